import Domain
import Testing

@Suite("Building sync requests")
struct SyncRequestBuildingTests {
    private func store(_ count: Int, _ type: MessageType = .message) throws -> GossipStore {
        var store = GossipStore()
        for number in 0..<count {
            _ = store.insert(try SyncPackets.made(type, number, age: Int64(number) * 10), at: SyncPackets.now)
        }
        return store
    }

    @Test("of 400 packets a filter holds 355, and a cursor names the last of them; one packet needs none")
    func cursor() throws {
        let (partial, covered) = try store(400).request(for: SyncTypeFlags([.message]), at: SyncPackets.now)
        #expect(covered == 355 && partial.since == SyncPackets.now(-3540))
        let (whole, all) = try store(1).request(for: SyncTypeFlags([.message]), at: SyncPackets.now)
        #expect(all == 1 && whole.since == nil)
    }

    @Test("who holds nothing asks for everything")
    func nothing() throws {
        let (request, covered) = GossipStore().request(for: SyncPolicy.initialTypes, at: SyncPackets.now)
        #expect(
            covered == 0 && request.filter == .empty && request.since == nil && request.types?.encoded == [0xA3, 7])
    }

    @Test("a request counts what the asker could serve, not what is too old for it")
    func freshOnly() throws {
        var store = try store(400)
        // 60 of them are older than their age allows 21,600 s less 3.4 s from now.
        let later = SyncPackets.now(21_600_000 - 3400)
        let (request, covered) = store.request(for: SyncTypeFlags([.message]), at: later)
        #expect(covered == 341 && request.since == nil)
        _ = store.tick(at: later, uptime: Uptime(milliseconds: 0))
        #expect(store.request(for: SyncTypeFlags([.message]), at: later).request == request)
    }

    @Test("the newest of all types asked for come first, the board's among them")
    func mixed() throws {
        var store = GossipStore()
        var board: [GossipPacket] = []
        for number in 0..<120 {
            for type in [MessageType.message, .groupMessage, .fragment] {
                _ = store.insert(try SyncPackets.made(type, number, age: Int64(number) * 10), at: SyncPackets.now)
            }
            board.append(try SyncPackets.made(.boardPost, number, age: Int64(number) * 10))
        }
        let types = SyncTypeFlags([.message, .groupMessage, .boardPost])
        let (request, covered) = store.request(for: types, board: board.reversed(), at: SyncPackets.now)
        #expect(covered == 355 && request.since == SyncPackets.now(-1180))
        let held = GCSSet(request.filter)
        for packet in store.packets(of: .message) + store.packets(of: .groupMessage) + board
        where packet.timestamp > SyncPackets.now(-1180) {
            #expect(held.contains(packet.hash))
        }
        #expect(store.request(for: [], board: board, at: SyncPackets.now).covered == 0)
        let withoutBoard = store.request(for: SyncTypeFlags([.message]), board: board, at: SyncPackets.now)
        #expect(withoutBoard.covered == 120)
    }

    @Test(
        "files, bundles and board packets alone are 200 at most",
        arguments: [(.fileTransfer, 200), (.message, 250)] as [(MessageType, Int)])
    func caps(type: MessageType, covered: Int) throws {
        var limits = SyncPolicy.limits
        limits.files.packets = 1000
        var store = GossipStore(limits: limits)
        var board: [GossipPacket] = []
        for number in 0..<250 {
            _ = store.insert(try SyncPackets.made(type, number, age: Int64(number)), at: SyncPackets.now)
            board.append(try SyncPackets.made(.boardPost, number, age: Int64(number)))
        }
        #expect(store.request(for: SyncTypeFlags([type]), at: SyncPackets.now).covered == covered)
        let (request, onBoard) = store.request(for: SyncTypeFlags([.boardPost]), board: board, at: SyncPackets.now)
        #expect(onBoard == 200 && request.since == SyncPackets.now(-199))
    }

    @Test("a targeted request names its streams, with filter and cursor as in any other")
    func targeted() throws {
        let store = try store(400, .fragment)
        let streams = [FragmentID(rawValue: 0xFF), FragmentID(rawValue: 0x0011_2233_4455_66AA)]
        let (request, _) = store.request(for: SyncTypeFlags([.fragment]), streams: streams, at: SyncPackets.now)
        #expect(request.fragmentFilter?.text == "00000000000000ff,00112233445566aa")
        let (common, _) = store.request(for: SyncTypeFlags([.fragment]), at: SyncPackets.now)
        #expect(common.fragmentFilter == nil)
        #expect(request.filter == common.filter && request.since == common.since && request.since != nil)
        let many = store.request(
            for: SyncTypeFlags([.fragment]), streams: (0..<100).map { FragmentID(rawValue: $0) }, at: SyncPackets.now)
        #expect(many.request.fragmentFilter?.streams.count == 60)
    }

    @Test("every request that is built can be sent and read")
    func readable() throws {
        let store = try store(900)
        for number in 0..<6 as Range<UInt32> {
            let round = SyncRound(number: number, neighbour: PeerID(rawValue: 9))
            let (request, _) = store.request(for: SyncPolicy.initialTypes, round: round, at: SyncPackets.now)
            let payload = try #require(request.encoded)
            #expect(RequestSync(payload[...]) == request)
        }
    }
}
