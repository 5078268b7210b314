import Domain
import Support
import Testing

@Suite("Decoding packets")
struct PacketDecodeTests {
    private let compression = PacketTools.compression

    @Test("vectors", arguments: Vectors.cases("packet-decode", op: "decode"))
    func vectors(vector: VectorCase) throws {
        let wire = try #require(vector.input.member("wire").hex)
        let packet = Packet.decode(wire, using: compression)
        guard !vector.output.isNull else {
            #expect(packet == nil)
            return
        }
        let expected = try #require(PacketVector(vector.output).packet)
        #expect(packet == expected)
        let view = try #require(PacketView(wire))
        #expect(view.payloadLengthAfterInflation == expected.payload.count)
        #expect(view.route == expected.route)
        #expect(view.hopCount == expected.route.count)
        #expect(view.payload(using: compression) == expected.payload[...])
    }

    @Test("21 bytes are no frame, 22 are one without payload")
    func shortestVersion1() throws {
        let frame = try Packet.sample(payload: []).plainFrame()
        #expect(frame.count == 22)
        #expect(Packet.decode(frame, using: compression)?.payload == [])
        #expect(PacketView(Array(frame.dropLast())) == nil)
    }

    @Test("version 2 needs 24 bytes")
    func shortestVersion2() throws {
        let frame = try Packet.sample(version: 2, payload: []).plainFrame()
        #expect(frame.count == 24)
        #expect(PacketView(frame) != nil)
        #expect(PacketView(Array(frame.prefix(23))) == nil)
        #expect(PacketView(Array(frame.prefix(22))) == nil)
    }

    @Test("other versions are refused, padded or not", arguments: [0, 3, 0x63, 0xFF] as [UInt8])
    func otherVersions(version: UInt8) throws {
        var frame = try Packet.sample().plainFrame()
        frame[0] = version
        #expect(PacketView(frame) == nil)
        Padding.pad(&frame)
        #expect(PacketView(frame) == nil)
    }

    @Test("a payload that is not there is not read")
    func lengthBeyondEnd() throws {
        var frame = try Packet.sample(payload: [1, 2, 3, 4, 5, 6, 7, 8]).plainFrame()
        frame[13] = 193
        #expect(PacketView(frame) == nil)
    }

    @Test("version 1 has no route, whatever the flag says")
    func routeFlagInVersion1() throws {
        var frame = try Packet.sample().plainFrame()
        frame[11] |= 0x08
        #expect(Packet.decode(frame, using: compression) == Packet.sample())
    }

    @Test("a route of no hops is no route; a route cut short is refused")
    func routes() throws {
        var empty = try Packet.sample(version: 2).plainFrame()
        empty[11] |= 0x08
        empty.insert(0, at: 24)
        #expect(Packet.decode(empty, using: compression) == Packet.sample(version: 2))

        let hops = [PeerID(rawValue: 1), PeerID(rawValue: 2)]
        var short = try Packet.sample(version: 2, route: hops, payload: []).plainFrame()
        short[24] = 3
        #expect(PacketView(short) == nil)
        #expect(PacketView(Array(short.prefix(24))) == nil)
    }

    /// A compressed frame of version 1 or 2 with the given original size and stream.
    private func compressed(version: UInt8, originalSize: Int, stream: [UInt8]) throws -> [UInt8] {
        let width = version == 1 ? 2 : 4
        var section = (0..<width).reversed().map { UInt8(truncatingIfNeeded: originalSize >> ($0 * 8)) }
        section += stream
        var frame = try Packet.sample(version: version, type: .noiseEncrypted, payload: section).plainFrame()
        frame[11] |= 0x04
        return frame
    }

    @Test("a compressed section needs its size field and at least one byte", arguments: [1, 2] as [UInt8])
    func compressedTooShort(version: UInt8) throws {
        let width = version == 1 ? 2 : 4
        for length in 0...width {
            var frame = try Packet.sample(version: version, payload: [UInt8](repeating: 0, count: length)).plainFrame()
            frame[11] |= 0x04
            #expect(PacketView(frame) == nil)
        }
    }

    @Test("one byte cannot stand for 65,535, two may try")
    func ratio() throws {
        #expect(PacketView(try compressed(version: 1, originalSize: 65_535, stream: [0])) == nil)
        #expect(PacketView(try compressed(version: 1, originalSize: 50_000, stream: [0])) != nil)
        #expect(PacketView(try compressed(version: 1, originalSize: 50_001, stream: [0])) == nil)
        let tried = try #require(PacketView(try compressed(version: 1, originalSize: 65_535, stream: [3, 0])))
        #expect(tried.originalSize == 65_535)
        #expect(tried.payload(using: compression) == nil)
        #expect(tried.packet(using: compression) == nil)
    }

    @Test("an original size of nothing or beyond the limit is refused before inflation")
    func originalSize() throws {
        let stream = [UInt8](repeating: 0, count: 40)
        #expect(PacketView(try compressed(version: 2, originalSize: 1_179_761, stream: stream)) == nil)
        #expect(PacketView(try compressed(version: 2, originalSize: 1_179_760, stream: stream)) != nil)
        #expect(PacketView(try compressed(version: 2, originalSize: 0, stream: stream)) == nil)
    }

    @Test("a section declared beyond the limit is refused whether or not it is there")
    func declaredTooLong() throws {
        var frame = try Packet.sample(version: 2, payload: []).plainFrame()
        frame.replaceSubrange(12..<16, with: [0x00, 0x12, 0x00, 0x71])
        frame += [UInt8](repeating: 0, count: 1_179_761)
        #expect(PacketView(frame) == nil)
        frame[15] = 0x70
        #expect(PacketView(frame)?.payloadSection.count == 1_179_760)
    }

    @Test("an unpadded frame that ends in 01 loses nothing")
    func endsInOne() throws {
        let packet = Packet.sample(payload: [9, 9, 1])
        #expect(Packet.decode(try packet.plainFrame(), using: compression) == packet)
    }

    @Test("both forms of broadcast are broadcast, and stay what they are")
    func broadcast() throws {
        let absent = try #require(PacketView(Packet.sample().plainFrame()))
        let all = try #require(PacketView(Packet.sample(recipient: .broadcast).plainFrame()))
        let directed = try #require(PacketView(Packet.sample(recipient: PeerID(rawValue: 5)).plainFrame()))
        #expect(absent.isBroadcast && absent.recipient == nil)
        #expect(all.isBroadcast && all.recipient == .broadcast)
        #expect(!directed.isBroadcast)
    }
}

@Suite("Relayed frames")
struct RelayedFrameTests {
    private func relayed(_ frame: [UInt8], ttl: UInt8 = 3) throws -> [UInt8] {
        try #require(PacketView(frame)).relayedFrame(ttl: ttl)
    }

    @Test("only the TTL changes: reserved flags and compressed bytes leave as they came")
    func onlyTTL() throws {
        var frame = try Packet.sample(
            version: 2, recipient: PeerID(rawValue: 9), route: [PeerID(rawValue: 4)],
            payload: [UInt8](repeating: 1, count: 300), signature: Signature([UInt8](repeating: 7, count: 64)),
            isSyncResponse: true
        ).plainFrame()
        frame[11] |= 0xE0
        var expected = frame
        expected[2] = 3
        #expect(try relayed(frame) == expected)
    }

    @Test("padding stays")
    func padding() throws {
        let message = Packet.sample(type: .noiseEncrypted, payload: [1, 2, 3])
        let frame = try #require(message.encoded(padding: true, using: PacketTools.compression))
        let view = try #require(PacketView(frame))
        #expect(view.wellFormedPadding.count == 256 - 25)
        #expect(view.end == 25)
        #expect(view.relayedFrame(ttl: 3).count == 256)
    }

    @Test(
        "other trailing bytes are cut",
        arguments: [[0], [2], [0xDE, 0xAD], [3, 3, 2], [UInt8](repeating: 16, count: 17)] as [[UInt8]])
    func trailing(bytes: [UInt8]) throws {
        let frame = try Packet.sample().plainFrame()
        var expected = frame
        expected[2] = 3
        #expect(try relayed(frame + bytes) == expected)
        #expect(PacketView(frame + bytes)?.wellFormedPadding.isEmpty == true)
    }
}
