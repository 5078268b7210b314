import Domain
import Support
import Testing

@Suite("Fragment headers")
struct FragmentHeaderTests {
    @Test("vectors", arguments: Vectors.cases("fragments", op: "header"))
    func vectors(vector: VectorCase) throws {
        let payload = try #require(vector.input.member("payload").hex)
        guard !vector.output.isNull else {
            #expect(FragmentHeader(payload[...]) == nil)
            return
        }
        let header = try #require(FragmentHeader(payload[...]))
        #expect(header.id.hex == vector.output.member("stream_id").string)
        #expect(UInt64(header.index) == vector.output.member("index").unsigned)
        #expect(UInt64(header.total) == vector.output.member("total").unsigned)
        #expect(UInt64(header.originalType.rawValue) == vector.output.member("original_type").unsigned)
        #expect(Array(header.chunk) == vector.output.member("data").hex)
        #expect(header.encoded == payload)
        let recipient = vector.input.member("recipient").hex.map { PeerID(fitting: $0) }
        let packet = Packet.sample(type: .fragment, recipient: recipient, payload: payload)
        #expect(packet.isBroadcast == vector.output.member("broadcast").bool)
    }

    @Test("the specification's example")
    func published() throws {
        let header = try #require(
            FragmentHeader(
                id: FragmentID(rawValue: 0x0001_0203_0405_0607), index: 1, total: 3, originalType: .message,
                chunk: [0xAA, 0xBB]))
        #expect(Hex.encode(header.encoded) == "00010203040506070001000302aabb")
    }

    @Test(
        "pieces that no receiver accepts are not made",
        arguments: [(0, 0), (3, 3), (0, 10_001), (65_535, 65_535)] as [(UInt16, UInt16)])
    func impossible(index: UInt16, total: UInt16) {
        let id = FragmentID(rawValue: 1)
        #expect(FragmentHeader(id: id, index: index, total: total, originalType: .message, chunk: []) == nil)
    }

    @Test("a payload read from the middle of a frame keeps its own offsets")
    func sliced() throws {
        let piece = try #require(
            FragmentHeader(id: FragmentID(rawValue: 1), index: 0, total: 1, originalType: .leave, chunk: [5, 6]))
        let frame = [9, 9, 9] + piece.encoded
        #expect(FragmentHeader(frame[3...]) == piece)
    }

    @Test("identifiers are eight bytes")
    func identifiers() {
        #expect(FragmentID([1, 2, 3, 4, 5, 6, 7]) == nil)
        #expect(FragmentID([1, 2, 3, 4, 5, 6, 7, 8])?.hex == "0102030405060708")
        #expect(
            FragmentID(from: PacketTestRandomness(seed: 1)) != FragmentID(from: PacketTestRandomness(seed: 2)))
    }
}

@Suite("Fragment plans")
struct FragmentPlanTests {
    private let compression = PacketTools.compression
    private let id = FragmentID(rawValue: 0x0102_0304_0506_0708)

    @Test("vectors", arguments: Vectors.cases("fragments", op: "split"))
    func vectors(vector: VectorCase) throws {
        let input = vector.input
        let packet = try #require(PacketVector(input.member("packet")).packet)
        let frame = try #require(
            packet.encoded(padding: input.member("padding").bool == true, using: compression))
        let defaultChunk = try #require(input.member("default_chunk").integer)
        let budget = try #require(input.member("mtu").integer)
        let chunk = FragmentPlan.chunkSize(
            for: packet, explicit: input.member("max_chunk").integer.map { Int($0) }, defaultChunk: Int(defaultChunk),
            frameBudget: Int(budget))
        let plan = FragmentID(input.member("fragment_id").hex ?? []).flatMap {
            FragmentPlan(
                of: packet, frame: frame, id: $0,
                directedTo: input.member("directed_peer").hex.map { PeerID(fitting: $0) }, chunkSize: chunk)
        }
        guard !vector.output.isNull else {
            #expect(plan == nil)
            return
        }
        let made = try #require(plan)
        #expect(made.spacing.count == vector.output.member("spacing_ms").integer)
        let expected = try #require(vector.output.member("fragments").array)
        if vector.output.member("byte_exact").bool == true {
            #expect(Int64(made.chunkSize) == vector.output.member("chunk_size").integer)
            #expect(Int64(made.count) == vector.output.member("count").integer)
        }
        var rebuilt: [UInt8] = []
        for index in 0..<made.count {
            let fragment = try #require(made.fragment(at: index))
            #expect(UInt64(fragment.version) == vector.output.member("version").unsigned)
            let wire = try fragment.plainFrame()
            if vector.output.member("byte_exact").bool == true { #expect(wire == expected[index].hex) }
            rebuilt += try #require(FragmentHeader(fragment.payload[...])).chunk
        }
        #expect(rebuilt == frame)
        #expect(made.fragment(at: made.count) == nil)
        #expect(made.fragment(at: -1) == nil)
    }

    @Test("a plan of 256 is what Android takes; 257 are refused before anything leaves")
    func androidCap() throws {
        for (chunks, allowed) in [(256, true), (257, false)] {
            let packet = Packet.sample(version: 2, type: .fileTransfer, recipient: PeerID(rawValue: 1))
            let frame = [UInt8](repeating: 0, count: chunks * 469)
            let plan = FragmentPlan(
                of: packet, frame: frame, id: id, directedTo: nil, chunkSize: 469,
                maximumCount: FragmentPolicy.maximumCountForAndroid)
            #expect((plan?.count == chunks) == allowed)
        }
    }

    @Test("no plan has more fragments than receivers accept, or none")
    func bounds() {
        let packet = Packet.sample()
        let longest = [UInt8](repeating: 0, count: 640_000)
        let plan = { FragmentPlan(of: packet, frame: $0, id: id, directedTo: nil, chunkSize: $1) }
        #expect(plan(longest, 64)?.count == 10_000)
        #expect(plan(longest + [0], 64) == nil)
        #expect(plan([], 64) == nil)
        #expect(plan(longest, 0) == nil)
        #expect(plan([1], 64)?.count == 1)
    }

    @Test("a routed original makes routed fragments of 434 bytes for two hops")
    func routed() throws {
        let hops = [PeerID(rawValue: 1), PeerID(rawValue: 2)]
        let packet = Packet.sample(
            version: 2, type: .noiseEncrypted, recipient: PeerID(rawValue: 3), route: hops,
            payload: [UInt8](repeating: 1, count: 900))
        #expect(FragmentPlan.chunkSize(for: packet, explicit: nil) == 434)
        let plan = try #require(
            FragmentPlan(
                of: packet, frame: packet.plainFrame(), id: id, directedTo: nil, chunkSize: 434))
        let fragment = try #require(plan.fragment(at: 0))
        #expect(fragment.version == 2)
        #expect(fragment.route == hops)
        #expect(fragment.signature == nil)
        #expect(try fragment.plainFrame().count <= 512)
    }

    @Test("a route in version 1 goes nowhere, so it neither narrows nor widens fragments")
    func routeInVersion1() throws {
        let packet = Packet.sample(route: [PeerID(rawValue: 1)])
        #expect(FragmentPlan.chunkSize(for: packet, explicit: nil) == 469)
        let plan = try #require(
            FragmentPlan(of: packet, frame: packet.plainFrame(), id: id, directedTo: nil, chunkSize: 469))
        #expect(plan.fragment(at: 0)?.version == 1)
        #expect(plan.fragment(at: 0)?.route == [])
    }

    @Test(
        "a chunk for a link's limit fills the frame to the byte",
        arguments: [(185, false, 0), (185, true, 0), (512, true, 0), (512, false, 0), (244, true, 2), (512, true, 3)])
    func linkLimit(limit: Int, isDirected: Bool, hops: Int) throws {
        var generator = PacketTestGenerator(seed: UInt64(limit))
        let packet = Packet.sample(
            version: hops > 0 ? 2 : 1, type: .fileTransfer, recipient: isDirected ? PeerID(rawValue: 9) : nil,
            route: (0..<hops).map { PeerID(rawValue: UInt64($0)) }, payload: generator.bytes(2000))
        let chunk = FragmentPlan.chunkSize(forLinkLimit: limit, isDirected: isDirected, hops: hops)
        let plan = try #require(
            FragmentPlan(of: packet, frame: packet.plainFrame(), id: id, directedTo: nil, chunkSize: chunk))
        // The first piece holds the header, which may compress.
        #expect(try plan.fragment(at: 1)?.plainFrame().count == limit)
    }

    @Test("chunks never fall below 64 bytes")
    func minimum() {
        #expect(FragmentPlan.chunkSize(forLinkLimit: 20, isDirected: true) == 64)
        #expect(FragmentPlan.chunkSize(for: .sample(), explicit: 10) == 64)
        let longRoute = Packet.sample(version: 2, route: (0..<60).map { PeerID(rawValue: $0) })
        #expect(FragmentPlan.chunkSize(for: longRoute, explicit: nil) == 64)
    }

    @Test("we cut as the phones do, and finer where the first hop is narrower")
    func ours() {
        let file = Packet.sample(version: 2, type: .fileTransfer)
        #expect(FragmentPlan.chunkSize(for: file, directedTo: nil, linkLimit: nil) == 469)
        #expect(FragmentPlan.chunkSize(for: file, directedTo: nil, linkLimit: 512) == 469)
        #expect(FragmentPlan.chunkSize(for: file, directedTo: nil, linkLimit: 185) == 150)
        #expect(FragmentPlan.chunkSize(for: file, directedTo: PeerID(rawValue: 1), linkLimit: 185) == 142)
    }

    @Test("FF x 8 counts as a recipient for the pacing")
    func spacing() throws {
        for (recipient, spacing) in [(nil, 30), (.broadcast, 25), (PeerID(rawValue: 1), 25)] as [(PeerID?, Int64)] {
            let packet = Packet.sample(recipient: recipient)
            let plan = FragmentPlan(of: packet, frame: try packet.plainFrame(), id: id, directedTo: nil, chunkSize: 64)
            #expect(plan?.spacing.count == spacing)
        }
    }
}
