import Domain
import Support
import Testing

@Suite("Packet properties")
struct PacketPropertyTests {
    private let compression = PacketTools.compression

    private func randomPacket(_ generator: inout PacketTestGenerator) -> Packet {
        let version: UInt8 = Bool.random(using: &generator) ? 1 : 2
        let length = Int.random(in: 0...700, using: &generator)
        let hops = version == 2 ? Int.random(in: 0...5, using: &generator) : 0
        return Packet(
            version: version, type: MessageType(rawValue: .random(in: 0...255, using: &generator)),
            ttl: .random(in: 0...255, using: &generator), timestamp: WallTime(milliseconds: generator.next()),
            sender: PeerID(rawValue: generator.next()),
            recipient: Bool.random(using: &generator) ? PeerID(rawValue: generator.next()) : nil,
            route: (0..<hops).map { _ in PeerID(rawValue: generator.next()) },
            payload: Bool.random(using: &generator) ? generator.bytes(length) : generator.text(length),
            signature: Bool.random(using: &generator) ? Signature(generator.bytes(64)) : nil,
            isSyncResponse: Bool.random(using: &generator))
    }

    @Test(
        "what is encoded decodes to itself, and encodes to the same bytes again",
        arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = PacketTestGenerator(seed: seed)
        for _ in 0..<250 {
            let packet = randomPacket(&generator)
            let padding = Bool.random(using: &generator)
            let frame = try #require(packet.encoded(padding: padding, using: compression))
            let decoded = try #require(Packet.decode(frame, using: compression))
            #expect(decoded == packet)
            #expect(decoded.encoded(padding: padding, using: compression) == frame)
            var delimiter = FrameDelimiter()
            let plain = try packet.plainFrame()
            let cut = delimiter.append(frame, at: Uptime(milliseconds: 0))
            #expect(cut == [plain])
        }
    }

    @Test("damaged frames are refused or read, and never trap")
    func mutations() throws {
        var generator = PacketTestGenerator(seed: 20_250_810)
        let wires = ["packet-encode", "packet-decode", "packet-signature"].flatMap { Vectors.cases($0) }
            .compactMap { ($0.input["wire"] ?? $0.output["wire"])?.hex }
            .filter { !$0.isEmpty && $0.count < 5000 }
        try #require(wires.count > 150)
        var accepted = 0
        for round in 0..<20_000 {
            var wire = wires[round % wires.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: 0..<wire.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: wire[offset] = UInt8(truncatingIfNeeded: generator.next())
                case 1: wire[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: wire.removeLast(min(wire.count - 1, Int.random(in: 1...40, using: &generator)))
                default: wire.insert(UInt8(truncatingIfNeeded: generator.next()), at: offset)
                }
            }
            accepted += try exercise(wire) ? 1 : 0
        }
        #expect((1000..<19_999).contains(accepted))
    }

    /// Runs everything that reads a received frame; `true` when it decodes.
    private func exercise(_ wire: [UInt8]) throws -> Bool {
        var delimiter = FrameDelimiter()
        _ = delimiter.append(wire, at: Uptime(milliseconds: 0))
        guard let view = PacketView(wire) else { return false }
        #expect(view.end + view.wellFormedPadding.count <= wire.count)
        let relayed = try #require(PacketView(view.relayedFrame(ttl: 1)))
        #expect(relayed.payloadSection == view.payloadSection && relayed.flags == view.flags)
        _ = FragmentHeader(view.payloadSection)
        guard let packet = view.packet(using: compression) else { return false }
        #expect(packet.route == view.route && packet.signature == view.signature)
        var candidates = SignatureCandidates(of: view)
        var count = 0
        while candidates.next(using: compression) != nil { count += 1 }
        #expect((1...4).contains(count))
        return true
    }
}
