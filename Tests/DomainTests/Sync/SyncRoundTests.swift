import Domain
import Testing

@Suite("Rounds of sync requests")
struct SyncRoundTests {
    private static let types = SyncTypeFlags([.message])
    private let neighbour = PeerID(rawValue: 0x1234)

    private func hashes(_ count: Int, seed: UInt64) -> [SyncHash] {
        var generator = PacketTestGenerator(seed: seed)
        return (0..<count).map { _ in SyncHash(rawValue: generator.next()) }
    }

    private func store(_ count: Int) throws -> GossipStore {
        var store = GossipStore()
        for number in 0..<count {
            _ = store.insert(try SyncPackets.made(.message, number, age: Int64(number)), at: SyncPackets.now)
        }
        return store
    }

    private func request(_ store: GossipStore, _ round: SyncRound) -> (request: RequestSync, covered: Int) {
        store.request(for: Self.types, round: round, at: SyncPackets.now)
    }

    @Test("the same packets are asked for under another modulus each time, and of each neighbour")
    func moduli() throws {
        let store = try store(100)
        var seen: Set<UInt32> = []
        for number in 0..<10 as Range<UInt32> {
            for peer in 0..<10 as Range<UInt64> {
                let round = SyncRound(number: number, neighbour: PeerID(rawValue: peer))
                let (request, covered) = request(store, round)
                #expect(covered == 100 && request.since == nil && request.p == 7)
                #expect((12_000...12_800).contains(request.m))
                #expect(request == self.request(store, round).request)
                seen.insert(request.m)
            }
        }
        #expect(seen.count > 85)
        #expect(request(store, .plain).request.m == 12_800)
    }

    @Test("one packet, and none, are asked for as well")
    func few() throws {
        for number in 0..<6 as Range<UInt32> {
            let round = SyncRound(number: number, neighbour: neighbour)
            let (one, covered) = request(try store(1), round)
            #expect(covered == 1 && (120...128).contains(one.m))
            #expect(request(GossipStore(), round).request.filter == .empty)
        }
    }

    @Test("a wrong match does not come back in the next round, nor with the next neighbour")
    func independent() throws {
        let (store, others) = (try store(300), hashes(30_000, seed: 2))
        func wrong(_ round: SyncRound) -> Set<SyncHash> {
            let set = GCSSet(request(store, round).request.filter)
            return Set(others.filter { set.contains($0) })
        }
        let plain = wrong(.plain)
        #expect((190...280).contains(plain.count), "\(plain.count) wrong matches")
        #expect(wrong(.plain) == plain, "the phones' requests err in the same way each time")
        var earlier = [plain]
        for number in 0..<4 as Range<UInt32> {
            for peer in 1...2 as ClosedRange<UInt64> {
                let now = wrong(SyncRound(number: number, neighbour: PeerID(rawValue: peer)))
                // One in 128 of some 235 would be two.
                for before in earlier { #expect(now.intersection(before).count < 12) }
                earlier.append(now)
            }
        }
    }

    @Test("every third request of many packets covers them all, without a cursor and within 1,024 bytes")
    func sweep() throws {
        let store = try store(1000)
        for number in 0..<9 as Range<UInt32> {
            let round = SyncRound(number: number, neighbour: neighbour)
            let (request, covered) = request(store, round)
            #expect(round.isSweep == [2, 5, 8].contains(number))
            if round.isSweep {
                #expect(covered == 1000 && request.since == nil && request.p == 6)
                #expect((401...1024).contains(request.data.count))
            } else {
                #expect(covered == 355 && request.since == SyncPackets.now(-354) && request.data.count <= 400)
            }
        }
        #expect(!SyncRound.plain.isSweep)
    }

    @Test(
        "a sweep is as fine as its bytes allow; where a common filter holds all, it is one",
        arguments: [(355, 7), (356, 12), (585, 12), (586, 11), (630, 11), (910, 7), (1000, 6)] as [(Int, UInt8)])
    func sweepParameter(count: Int, parameter: UInt8) throws {
        let (request, covered) = request(try store(count), SyncRound(number: 2, neighbour: neighbour))
        #expect(covered == count && request.p == parameter)
        #expect(request.data.count <= (count > 355 ? 1024 : 400))
    }

    @Test("a store beyond what a sweep can hold sweeps its newest part")
    func beyond() throws {
        var limits = SyncPolicy.limits
        limits.messages.packets = 4000
        var store = GossipStore(limits: limits)
        for number in 0..<3000 {
            _ = store.insert(try SyncPackets.made(.message, number, age: Int64(number)), at: SyncPackets.now)
        }
        let (request, covered) = request(store, SyncRound(number: 2, neighbour: neighbour))
        #expect(covered == 2730 && request.since == SyncPackets.now(-2729) && request.p == 1)
    }

    // MARK: Two partitions meet

    /// What is still missing on both sides after each round, and how many frames went over the air that the other side had.
    private struct Outcome {
        var missing: [Int] = []
        var wasted = 0
    }

    /// Two stores with 300 messages each ask one another.
    private func meet(seed: UInt64, rounds: UInt32, plain: Bool) throws -> Outcome {
        var generator = PacketTestGenerator(seed: seed)
        var stores = [GossipStore(), GossipStore()]
        for number in 0..<600 {
            let packet = try SyncPackets.made(
                .message, number, from: generator.next() % 50, age: Int64(generator.next() % 10_000_000))
            _ = stores[number % 2].insert(packet, at: SyncPackets.now)
        }
        var outcome = Outcome()
        for number in 0..<rounds {
            for asking in 0...1 {
                let round = plain ? .plain : SyncRound(number: number, neighbour: PeerID(rawValue: UInt64(asking)))
                let (request, _) = request(stores[asking], round)
                let payload = try #require(request.encoded)
                let received = try #require(RequestSync(payload[...]))
                var answer = SyncAnswer(to: received, from: stores[1 - asking], at: SyncPackets.now)
                while let frame = answer.next(from: stores[1 - asking]) {
                    let before = stores[asking].count(of: .message)
                    let packet = try #require(
                        GossipPacket(frame: frame, using: PacketTools.cryptography, PacketTools.compression))
                    _ = stores[asking].insert(packet, at: SyncPackets.now)
                    if stores[asking].count(of: .message) == before { outcome.wasted += 1 }
                }
            }
            outcome.missing.append(stores.reduce(0) { $0 + 600 - $1.count(of: .message) })
        }
        return outcome
    }

    @Test("two partitions with 300 messages each: the phones' requests leave some behind, ours none after three rounds")
    func partitions() throws {
        var (left, rounds) = (0, [0, 0, 0])
        for seed in 0..<40 as Range<UInt64> {
            if seed < 4 { left += try meet(seed: seed, rounds: 10, plain: true).missing.last ?? 0 }
            let ours = try meet(seed: seed, rounds: 3, plain: false)
            #expect(ours.missing.last == 0, "seed \(seed): \(ours.missing)")
            #expect(ours.wasted == 0, "nothing is sent that the other side has")
            for (index, missing) in ours.missing.enumerated() { rounds[index] += missing }
        }
        #expect(left > 0, "the fault that the rounds are there for does not show")
        #expect(rounds[0] > rounds[1] && rounds[1] > 0, "the second round alone would do")
    }
}
