import Domain
import Support
import Testing

/// Assemblies by reference, so that expectations can call what changes them.
private final class Assembler {
    private var assemblies: FragmentAssemblies
    static let local = PeerID(rawValue: 0xFFFF_0000)
    static let alice = PeerID(rawValue: 0xA)

    init() { assemblies = FragmentAssemblies(localPeer: Self.local) }

    var count: Int { assemblies.count }
    var totalCost: Int { assemblies.totalCost }

    func insert(_ packet: Packet, isSolicited: Bool = false, at time: Int64 = 0) throws -> FragmentAssemblies.Outcome {
        let header = try #require(FragmentHeader(packet.payload[...]))
        return assemblies.insert(
            header, from: packet.sender, ttl: packet.ttl, isBroadcast: packet.isBroadcast, isSolicited: isSolicited,
            at: Uptime(milliseconds: time))
    }

    func insert(
        _ index: UInt16, of total: UInt16, type: MessageType = .message, chunk: [UInt8] = [1], id: UInt64 = 1,
        from sender: PeerID = alice, on link: UInt64 = 0, ttl: UInt8 = 7, isBroadcast: Bool = true,
        isSolicited: Bool = false, at time: Int64 = 0
    ) throws -> FragmentAssemblies.Outcome {
        let header = try #require(
            FragmentHeader(
                id: FragmentID(rawValue: id), index: index, total: total, originalType: type, chunk: chunk[...]))
        return assemblies.insert(
            header, from: sender, on: link, ttl: ttl, isBroadcast: isBroadcast, isSolicited: isSolicited,
            at: Uptime(milliseconds: time))
    }

    func sweep(at time: Int64) { assemblies.sweep(at: Uptime(milliseconds: time)) }
    func takeStalled(at time: Int64) -> [FragmentStream] { assemblies.takeStalled(at: Uptime(milliseconds: time)) }
    func reset() { assemblies.reset() }
}

extension FragmentAssemblies.Outcome {
    fileprivate var completion: FragmentAssemblies.Completion? {
        if case .complete(let completion) = self { completion } else { nil }
    }
}

@Suite("Reassembly")
struct FragmentAssembliesTests {
    private let compression = PacketTools.compression

    @Test("vectors", arguments: Vectors.cases("fragments", op: "assemble"))
    func vectors(vector: VectorCase) throws {
        let assembler = Assembler()
        let fragments = try #require(vector.input.member("fragments").array)
        let order = try #require(vector.input.member("order").array)
        let steps = try #require(vector.output.member("steps").array)
        try #require(order.count == steps.count)
        for (place, expected) in zip(order, steps) {
            let index = Int(try #require(place.integer))
            let wire = try #require(fragments[index].hex)
            let packet = try #require(Packet.decode(wire, using: compression))
            let outcome = try assembler.insert(packet)
            let started = expected.member("started").bool == true
            switch expected.member("result").string {
            case "stored": #expect(outcome == .stored(started: started))
            case "complete":
                let completion = try #require(outcome.completion)
                #expect(completion.frame == expected.member("data").hex)
                #expect(completion.started == started)
                let inner = Packet.decode(completion.frame, using: compression)
                #expect(
                    inner == (expected.member("packet").isNull ? nil : PacketVector(expected.member("packet")).packet))
            default: Issue.record("unknown result in \(vector.label)")
            }
        }
    }

    private func fragments(of packet: Packet, chunk: Int, id: UInt64 = 7) throws -> [Packet] {
        let plan = try #require(
            FragmentPlan(
                of: packet, frame: packet.plainFrame(), id: FragmentID(rawValue: id), directedTo: nil, chunkSize: chunk)
        )
        return try (0..<plan.count).map { try #require(plan.fragment(at: $0)) }
    }

    @Test("pieces out of order, one of them twice, make one frame")
    func duplicates() throws {
        var generator = PacketTestGenerator(seed: 4)
        let packet = Packet.sample(payload: generator.bytes(400))
        let pieces = try fragments(of: packet, chunk: 100)
        let assembler = Assembler()
        var frames: [[UInt8]] = []
        for index in [4, 1, 1, 0, 3, 2] {
            if let completion = try assembler.insert(pieces[index]).completion { frames.append(completion.frame) }
        }
        #expect(frames == [try packet.plainFrame()])
        #expect(assembler.count == 0)
        #expect(assembler.totalCost == 0)
    }

    @Test("a single piece is a whole frame at once")
    func single() throws {
        let packet = Packet.sample()
        let outcome = try Assembler().insert(try fragments(of: packet, chunk: 469)[0])
        #expect(outcome.completion?.frame == (try packet.plainFrame()))
        #expect(outcome.completion?.started == true)
        #expect(outcome.completion?.originalType == .message)
    }

    @Test("what comes out has no hops left")
    func noHopsLeft() throws {
        let packet = Packet.sample(ttl: 7)
        let completion = try Assembler().insert(try fragments(of: packet, chunk: 469)[0]).completion
        #expect(completion?.packet(using: compression) == .sample(ttl: 0))
        let noFrame = try Assembler().insert(0, of: 1, chunk: [1, 2, 3]).completion
        #expect(noFrame != nil && noFrame?.packet(using: compression) == nil)
    }

    @Test("empty pieces are accepted")
    func empty() throws {
        let assembler = Assembler()
        #expect(try assembler.insert(0, of: 2, chunk: []) == .stored(started: true))
        #expect(try assembler.insert(1, of: 2, chunk: []).completion?.frame == [])
    }

    @Test("one ID from two senders is two streams")
    func senders() throws {
        let assembler = Assembler()
        #expect(try assembler.insert(0, of: 2) == .stored(started: true))
        #expect(try assembler.insert(1, of: 2, from: PeerID(rawValue: 0xB)) == .stored(started: true))
        #expect(assembler.count == 2)
    }

    @Test("our own fragments are not put together")
    func own() throws {
        let assembler = Assembler()
        #expect(try assembler.insert(0, of: 1, from: Assembler.local) == .ignored(.own))
        #expect(assembler.count == 0)
    }

    @Test("nothing unfolds twice")
    func nested() throws {
        let assembler = Assembler()
        #expect(try assembler.insert(0, of: 2, type: .fragment) == .ignored(.nested))
        let inner = try Packet.sample(type: .fragment).plainFrame()
        #expect(try assembler.insert(0, of: 1, chunk: inner) == .dropped(.nested))
        #expect(assembler.count == 0)
    }

    @Test("a frame of another type than announced is dropped")
    func foreignType() throws {
        let inner = try Packet.sample(type: .announce).plainFrame()
        #expect(try Assembler().insert(0, of: 1, type: .message, chunk: inner) == .dropped(.foreignType))
        #expect(try Assembler().insert(0, of: 1, type: .announce, chunk: inner).completion?.frame == inner)
    }

    @Test("an assembly that contradicts itself is dropped")
    func contradictory() throws {
        let assembler = Assembler()
        _ = try assembler.insert(0, of: 3)
        #expect(try assembler.insert(1, of: 2) == .dropped(.contradictory))
        #expect(assembler.count == 0)
        _ = try assembler.insert(0, of: 3)
        #expect(try assembler.insert(1, of: 3, type: .announce) == .dropped(.contradictory))
        #expect(assembler.totalCost == 0)
    }

    @Test(
        "files and Noise messages may reach 1,179,760 bytes, all else 1,048,576",
        arguments: [(0x02, 1_048_576), (0x29, 1_048_576), (0x11, 1_179_760), (0x22, 1_179_760)] as [(UInt8, Int)])
    func limits(type: UInt8, limit: Int) throws {
        let assembler = Assembler()
        let type = MessageType(rawValue: type)
        let bulk = [UInt8](repeating: 0, count: limit - 1)
        #expect(try assembler.insert(0, of: 3, type: type, chunk: bulk) == .stored(started: true))
        #expect(try assembler.insert(1, of: 3, type: type, chunk: [1]) == .stored(started: false))
        #expect(try assembler.insert(2, of: 3, type: type, chunk: [1]) == .dropped(.tooLarge))
        #expect(assembler.count == 0)
    }

    @Test("a duplicate counts twice against the limit, and once once it is stored")
    func duplicateCounts() throws {
        let assembler = Assembler()
        let half = [UInt8](repeating: 0, count: 524_288)
        _ = try assembler.insert(0, of: 3, chunk: half)
        #expect(try assembler.insert(0, of: 3, chunk: half) == .stored(started: false))
        #expect(try assembler.insert(1, of: 3, chunk: half) == .stored(started: false))
        #expect(try assembler.insert(1, of: 3, chunk: [1]) == .dropped(.tooLarge))
    }

    @Test("the 129th assembly displaces the one that started first")
    func evictOldest() throws {
        for senders in [1, 129] as [UInt64] {
            let assembler = Assembler()
            let sender = { PeerID(rawValue: 100 + $0 % senders) }
            for id in 0..<128 as Range<UInt64> { _ = try assembler.insert(0, of: 2, id: id, from: sender(id)) }
            // Progress does not make an assembly younger.
            _ = try assembler.insert(0, of: 2, id: 0, from: sender(0), at: 5)
            _ = try assembler.insert(0, of: 2, id: 128, from: sender(128))
            #expect(assembler.count == 128)
            #expect(try assembler.insert(1, of: 2, id: 1, from: sender(1)).completion != nil)
            #expect(try assembler.insert(1, of: 2, id: 0, from: sender(0)) == .stored(started: true))
        }
    }

    @Test("a flood under one name displaces only itself")
    func fairShare() throws {
        let assembler = Assembler()
        let flood = PeerID(rawValue: 0xBAD)
        _ = try assembler.insert(0, of: 2, id: 1)
        for id in 0..<1000 as Range<UInt64> { _ = try assembler.insert(0, of: 2, id: id, from: flood) }
        #expect(assembler.count == 128)
        #expect(try assembler.insert(1, of: 2, id: 1).completion != nil)
    }

    @Test("a flood under invented names on one link leaves the assemblies of other links alone")
    func linkShare() throws {
        let assembler = Assembler()
        for id in 0..<40 as Range<UInt64> { _ = try assembler.insert(0, of: 2, id: id, on: 1) }
        for id in 0..<1000 as Range<UInt64> {
            _ = try assembler.insert(0, of: 2, id: id, from: PeerID(rawValue: 1000 + id), on: 2)
        }
        #expect(assembler.count == 128)
        for id in 0..<40 as Range<UInt64> { #expect(try assembler.insert(1, of: 2, id: id, on: 1).completion != nil) }
    }

    @Test("links that all want more get the same each; a late one finds its place")
    func equalShares() throws {
        let assembler = Assembler()
        for id in 0..<500 as Range<UInt64> {
            for link in 1...3 as ClosedRange<UInt64> {
                _ = try assembler.insert(0, of: 2, id: id, from: PeerID(rawValue: id << 8 | link), on: link)
            }
        }
        for id in 0..<32 as Range<UInt64> { _ = try assembler.insert(0, of: 2, id: id, on: 4) }
        #expect(assembler.count == 128)
        for link in 1...3 as ClosedRange<UInt64> {
            let newest = (468..<500 as Range<UInt64>).map { (id: $0, sender: PeerID(rawValue: $0 << 8 | link)) }
            for (id, sender) in newest {
                #expect(try assembler.insert(1, of: 2, id: id, from: sender, on: link).completion != nil)
            }
        }
        for id in 0..<32 as Range<UInt64> { #expect(try assembler.insert(1, of: 2, id: id, on: 4).completion != nil) }
    }

    @Test("bytes are shared by link as well")
    func linkShareOfBytes() throws {
        let assembler = Assembler()
        let chunk = [UInt8](repeating: 0, count: 1_000_000)
        for id in 0..<10 as Range<UInt64> { _ = try assembler.insert(0, of: 2, chunk: chunk, id: id, on: 1) }
        for id in 0..<60 as Range<UInt64> {
            _ = try assembler.insert(0, of: 2, chunk: chunk, id: id, from: PeerID(rawValue: 1000 + id), on: 2)
            #expect(assembler.totalCost <= 32 * 1024 * 1024)
        }
        for id in 0..<10 as Range<UInt64> { #expect(try assembler.insert(1, of: 2, id: id, on: 1).completion != nil) }
    }

    @Test("all assemblies together stay below 32 MiB, bookkeeping included")
    func totalBound() throws {
        let assembler = Assembler()
        let chunk = [UInt8](repeating: 0, count: 1_000_000)
        _ = try assembler.insert(0, of: 2, id: 1)
        let flood = PeerID(rawValue: 0xBAD)
        for id in 0..<60 as Range<UInt64> { _ = try assembler.insert(0, of: 2, chunk: chunk, id: id, from: flood) }
        #expect(assembler.totalCost <= 32 * 1024 * 1024)
        #expect(assembler.totalCost > 30_000_000)
        // The flood gave way to itself, and not the assembly that was there before it.
        #expect(try assembler.insert(1, of: 2, id: 1).completion != nil)
        for id in 0..<60 as Range<UInt64> {
            _ = try assembler.insert(0, of: 2, chunk: chunk, id: id, from: PeerID(rawValue: id))
            #expect(assembler.totalCost <= 32 * 1024 * 1024)
        }
    }

    @Test("empty pieces are not free")
    func emptyPiecesCost() throws {
        let assembler = Assembler()
        for index in 0..<9999 as Range<UInt16> { _ = try assembler.insert(index, of: 10_000, chunk: []) }
        #expect(assembler.totalCost >= 9999 * 64)
    }

    @Test("an assembly lives 30 s from its first fragment, whatever still arrives")
    func expiry() throws {
        let assembler = Assembler()
        _ = try assembler.insert(0, of: 3, at: 0)
        _ = try assembler.insert(1, of: 3, at: 29_000)
        assembler.sweep(at: 30_000)
        #expect(assembler.count == 1)
        assembler.sweep(at: 30_001)
        #expect(assembler.count == 0)
        #expect(assembler.totalCost == 0)
        #expect(try assembler.insert(2, of: 3, at: 31_000) == .stored(started: true))
        assembler.reset()
        #expect(assembler.count == 0)
    }

    @Test("a frame is solicited only if every piece was")
    func solicited() throws {
        for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
            let assembler = Assembler()
            _ = try assembler.insert(0, of: 2, isSolicited: first)
            let outcome = try assembler.insert(1, of: 2, isSolicited: second)
            #expect(outcome.completion?.isSolicited == (first && second))
        }
    }

    @Test("a frame is a neighbour's own only if every piece came on one link with no hops left")
    func direct() throws {
        let rows: [(links: [UInt64], ttls: [UInt8], direct: UInt64?)] = [
            ([3, 3], [0, 0], 3), ([3, 3], [0, 1], nil), ([3, 3], [7, 0], nil), ([3, 4], [0, 0], nil),
            ([0, 0], [0, 0], nil), ([0, 3], [0, 0], nil),
        ]
        for (links, ttls, direct) in rows {
            let assembler = Assembler()
            _ = try assembler.insert(0, of: 2, on: links[0], ttl: ttls[0])
            let outcome = try assembler.insert(1, of: 2, on: links[1], ttl: ttls[1])
            let completion = try #require(outcome.completion)
            #expect(completion.directLink == direct)
        }
        // A piece that came twice counts both times: nobody slips one in.
        let assembler = Assembler()
        for ttl in [0, 5, 0] as [UInt8] { _ = try assembler.insert(0, of: 2, on: 3, ttl: ttl) }
        let outcome = try assembler.insert(1, of: 2, on: 3, ttl: 0)
        let completion = try #require(outcome.completion)
        #expect(completion.directLink == nil)
    }
}

@Suite("Stalled streams")
struct StalledStreamTests {
    @Test("five seconds without a new piece are a stall; duplicates are none")
    func stall() throws {
        let assembler = Assembler()
        _ = try assembler.insert(0, of: 3, at: 0)
        _ = try assembler.insert(0, of: 3, at: 4000)
        #expect(assembler.takeStalled(at: 4999).isEmpty)
        #expect(assembler.takeStalled(at: 5000).map(\.id.rawValue) == [1])
        #expect(assembler.takeStalled(at: 14_999).isEmpty)
        #expect(assembler.takeStalled(at: 15_000).count == 1)
        _ = try assembler.insert(1, of: 3, at: 24_000)
        #expect(assembler.takeStalled(at: 28_000).isEmpty)
    }

    @Test("nobody stores directed fragments, so nobody is asked for them")
    func directed() throws {
        let assembler = Assembler()
        _ = try assembler.insert(0, of: 3, isBroadcast: false)
        #expect(assembler.takeStalled(at: 20_000).isEmpty)
    }

    @Test("at most 60 at once, the oldest stall first, ties by sender and ID")
    func order() throws {
        let assembler = Assembler()
        for id in (0..<70 as Range<UInt64>).reversed() {
            _ = try assembler.insert(
                0, of: 2, id: id, from: PeerID(rawValue: id % 2), at: id == 69 ? 0 : 1000)
        }
        let asked = assembler.takeStalled(at: 10_000)
        let even = stride(from: 0, to: 70, by: 2).map { UInt64($0) }
        let odd = stride(from: 1, to: 69, by: 2).map { UInt64($0) }
        #expect(asked.map(\.id.rawValue) == Array(([69] + even + odd).prefix(60)))
        #expect(assembler.takeStalled(at: 10_000).count == 10)
    }
}
