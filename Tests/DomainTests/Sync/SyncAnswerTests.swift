import Domain
import Testing

@Suite("Answering sync requests")
struct SyncAnswerTests {
    private let cryptography = PacketTools.cryptography

    private func request(
        _ types: [MessageType]? = nil, holding held: [GossipPacket] = [], since: Int64? = nil,
        filter: String? = nil
    ) throws -> RequestSync {
        let filterOfHeld = GCSFilter.build(held.map(\.hash)).filter
        return try #require(
            RequestSync(
                p: filterOfHeld.parameter, m: filterOfHeld.modulus, data: filterOfHeld.data,
                types: types.map { SyncTypeFlags($0) }, since: since.map { SyncPackets.now($0) },
                fragmentFilter: filter.map { FragmentFilter(text: $0) }))
    }

    private func sent(
        _ request: RequestSync, from store: GossipStore, board: [GossipPacket] = [], at offset: Int64 = 0
    ) throws -> [Int64] {
        try SyncPackets.served(
            SyncAnswer(to: request, from: store, board: board, at: SyncPackets.now(offset)), from: store
        ).map { Int64($0.timestamp.milliseconds) - Int64(SyncPackets.now.milliseconds) }
    }

    private func store(_ packets: [(MessageType, Int64)]) throws -> GossipStore {
        var store = GossipStore()
        for (number, (type, age)) in packets.enumerated() {
            let stored = store.insert(try SyncPackets.made(type, number, age: age), at: SyncPackets.now(-age))
            guard case .stored = stored else {
                Issue.record("\(type) is refused")
                continue
            }
        }
        return store
    }

    @Test("which types are asked for")
    func types() throws {
        let store = try store([(.message, 2), (.announce, 1), (.fragment, 3), (.groupMessage, 4), (.fileTransfer, 5)])
        let board = [try SyncPackets.made(.boardPost, 6, age: 6)]
        #expect(try sent(request(), from: store, board: board) == [-1, -2])
        #expect(try sent(request([]), from: store, board: board) == [])
        #expect(try sent(request([.leave, .noiseEncrypted, .requestSync]), from: store, board: board) == [])
        #expect(try sent(request([.boardPost, .groupMessage, .fragment]), from: store, board: board) == [-3, -4, -6])
        let all = try request([.announce, .message, .fragment, .fileTransfer, .boardPost, .prekeyBundle, .groupMessage])
        #expect(try sent(all, from: store, board: board) == [-1, -2, -3, -5, -4, -6])
    }

    @Test("a cursor holds back what is older; not announces, whose keys the rest is checked with")
    func cursor() throws {
        let store = try store([(.announce, 9), (.message, 9), (.message, 8), (.message, 7)])
        #expect(try sent(request(since: -8), from: store) == [-9, -8, -7])
        let announce = store.packets(of: .announce)
        #expect(try sent(request(holding: announce, since: -8), from: store) == [-8, -7])
    }

    @Test("named streams come whatever the cursor says, and nothing else of their type; a filter still applies")
    func streams() throws {
        var store = GossipStore()
        func fragment(_ stream: UInt64, _ index: UInt16, age: Int64) throws -> GossipPacket {
            let payload = PacketBytes.of(stream) + PacketBytes.of(index) + PacketBytes.of(UInt16(9)) + [2]
            return try SyncPackets.made(.fragment, age: age, payload: payload)
        }
        let wanted = try [fragment(0xAB, 0, age: 3), fragment(0xAB, 1, age: 2)]
        for packet in try wanted + [fragment(0xCD, 0, age: 1), SyncPackets.made(.fragment, age: 4, payload: [1])] {
            _ = store.insert(packet, at: SyncPackets.now)
        }
        let types: [MessageType] = [.fragment]
        let name = "00000000000000AB"
        #expect(try sent(request(types, since: 100_000, filter: name), from: store) == [-3, -2])
        #expect(
            try sent(request(types, holding: [wanted[0]], since: 100_000, filter: "x,\(name)"), from: store) == [-2])
        #expect(try sent(request(types, since: -1, filter: "zzzz,0011"), from: store) == [-1])
        #expect(try sent(request(types, filter: "zzzz,0011"), from: store) == [-3, -2, -1, -4])
    }

    @Test("what has become too old meanwhile is not served; board packets are not judged by age")
    func age() throws {
        let store = try store([(.message, 10), (.announce, 10), (.fragment, 10)])
        let board = [try SyncPackets.made(.boardPost, 1, age: 500_000_000)]
        let types: [MessageType] = [.announce, .message, .fragment, .boardPost]
        #expect(try sent(request(types), from: store, board: board, at: 899_990) == [-10, -10, -10, -500_000_000])
        #expect(try sent(request(types), from: store, board: board, at: 899_991) == [-10, -500_000_000])
        #expect(try sent(request(types), from: store, at: 21_599_991) == [])
        #expect(try sent(request([.boardPost], since: -400_000_000), from: store, board: board) == [])
    }

    @Test(
        "what is asked for, as it stands on the wire",
        arguments: [
            ("04000200f8", []), ("04000203f8", [-1, -2]), ("", [-1, -2]), ("040009200000000000000000", [-1, -2]),
            ("040000", [-1, -2]), ("04000120", [-3]), ("040008200000000000000080", [-3]),
        ] as [(String, [Int64])])
    func wireTypes(types: String, expected: [Int64]) throws {
        let store = try store([(.announce, 1), (.message, 2), (.fragment, 3)])
        let payload = try #require(Hex.decode("01000107" + "02000400000001" + "030000" + types))
        #expect(try sent(try #require(RequestSync(payload[...])), from: store) == expected)
    }

    @Test(
        "parameters out of their range are no request",
        arguments: [(0, 128), (33, 128), (200, 128), (7, 0)] as [(UInt8, UInt32)])
    func parameters(parameter: UInt8, modulus: UInt32) throws {
        let bytes = [1, 0, 1, parameter, 2, 0, 4] + PacketBytes.of(modulus) + [3, 0, 1, 0x27]
        #expect(RequestSync(bytes[...]) == nil)
    }

    @Test("whatever a request says, nothing traps, and each packet is sent at most once")
    func damaged() throws {
        var generator = PacketTestGenerator(seed: 0xDA)
        let store = try store(
            (0..<40).map { number -> (MessageType, Int64) in
                ([.announce, .message, .fragment, .fileTransfer, .groupMessage][number % 5], Int64(number))
            })
        let (honest, _) = store.request(
            for: SyncPolicy.initialTypes, streams: [FragmentID(rawValue: 1)],
            round: SyncRound(number: 2, neighbour: nil), at: SyncPackets.now)
        let payload = try #require(honest.encoded)
        var read = 0
        for _ in 0..<4000 {
            var bytes = payload
            for _ in 0...generator.next() % 4 {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.insert(contentsOf: generator.bytes(Int(generator.next() % 5)), at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                default: bytes[place] ^= 1 << UInt8(generator.next() % 8)
                }
                if bytes.isEmpty { bytes = [1] }
            }
            guard let request = RequestSync(([0xEE] + bytes).dropFirst()) else { continue }
            read += 1
            #expect(GCSSet(request.filter).values.count <= request.data.count * 8 / (Int(request.p) + 1))
            #expect(SyncAnswer(to: request, from: store, at: SyncPackets.now).remaining <= 40)
        }
        #expect(read > 100)
    }

    @Test("a filter that holds nothing has everything sent")
    func nothingHeld() throws {
        let store = try store([(.message, 1), (.message, 2)])
        let claims = try #require(RequestSync(p: 7, m: 1, data: [0xFF, 0x00, 0x12]))
        #expect(try sent(claims, from: store) == [-1, -2])
    }

    @Test("a signature stays good in an answer, over a deflated payload too", arguments: [20, 1500])
    func signature(length: Int) throws {
        var generator = PacketTestGenerator(seed: 3)
        let seed = PacketTools.seed(generator.bytes(32))
        let packet = SyncPackets.packet(.message, payload: generator.text(length))
        let signed = try #require(
            packet.signedFrame(padding: false, with: seed, using: cryptography, PacketTools.compression))
        let view = try #require(PacketView(signed.frame))
        #expect(view.isCompressed == (length > 100))
        let kept = try #require(
            GossipPacket(frame: signed.frame, using: cryptography, PacketTools.compression))
        var store = GossipStore()
        _ = store.insert(kept, at: SyncPackets.now)
        var answer = SyncAnswer(to: try request(), from: store, at: SyncPackets.now)
        let next = answer.next(from: store)
        let frame = try #require(next)
        let served = try #require(PacketView(frame))
        #expect(served.ttl == 0 && served.isSyncResponse && frame.count == signed.frame.count)
        let verdict = served.verifySignature(
            by: cryptography.signingPublicKey(of: seed), using: cryptography, PacketTools.compression, spend: { true })
        #expect(verdict == .valid)
        // Two bytes of the frame are others, and those only.
        #expect(zip(frame, signed.frame).enumerated().filter { $1.0 != $1.1 }.map(\.offset) == [2, 11])
    }

    @Test("an answer goes out as the link takes it, without what has been removed since")
    func cursorOverAStore() throws {
        var store = try store(Array(0..<6).map { (MessageType.message, Int64($0)) })
        let board = [try SyncPackets.made(.boardPost, 1)]
        var answer = SyncAnswer(
            to: try request([.message, .boardPost]), from: store, board: board, at: SyncPackets.now)
        #expect(answer.remaining == 7)
        let first = answer.next(from: store).flatMap { PacketView($0)?.timestamp }
        #expect(first == SyncPackets.now && answer.remaining == 6)
        // The removed packets' places are taken by others, which nobody asked for.
        _ = store.senderLeft(PeerID(rawValue: 0xA))
        for number in 10..<16 {
            _ = store.insert(try SyncPackets.made(.message, number, from: 0xB), at: SyncPackets.now)
        }
        let rest = try SyncPackets.served(answer, from: store)
        #expect(rest.map(\.type) == [.boardPost])
        while answer.next(from: store) != nil {}
        #expect(answer.remaining == 0 && answer.next(from: store) == nil)
    }
}
