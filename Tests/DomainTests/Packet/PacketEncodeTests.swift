import Domain
import Support
import Testing

@Suite("Encoding packets")
struct PacketEncodeTests {
    private let compression = PacketTools.compression

    @Test("vectors", arguments: Vectors.cases("packet-encode", op: "encode"))
    func vectors(vector: VectorCase) throws {
        let padding = vector.input.member("padding").bool == true
        let packet = PacketVector(vector.input.member("packet")).packet
        let frame = packet?.encoded(padding: padding, using: compression)
        guard !vector.output.isNull else {
            #expect(frame == nil)
            return
        }
        let encoded = try #require(frame)
        let view = try #require(PacketView(encoded))
        #expect(view.isCompressed == vector.output.member("compressed").bool)
        let wire = try #require(vector.output.member("wire").hex)
        if vector.output["byte_exact"]?.bool == false {
            let decoded = try #require(view.packet(using: compression))
            #expect(decoded == Packet.decode(wire, using: compression))
        } else {
            #expect(encoded == wire)
            #expect(UInt64(encoded.count) == vector.output.member("length").unsigned)
        }
    }

    @Test("the specification's frames come out byte for byte")
    func published() throws {
        let minimal = Packet.sample(
            timestamp: WallTime(milliseconds: 0x0102_0304_0506_0708), sender: PeerID(rawValue: 0x1011_1213_1415_1617),
            payload: [0xAA, 0xBB, 0xCC])
        #expect(Hex.encode(try minimal.plainFrame()) == "01020701020304050607080000031011121314151617aabbcc")

        let routed = Packet.sample(
            version: 2, type: .noiseEncrypted, ttl: 5, timestamp: WallTime(milliseconds: 42),
            sender: PeerID(rawValue: 0x0102_0304_0506_0708), recipient: PeerID(rawValue: 0x1112_1314_1516_1718),
            route: [PeerID(rawValue: 0x2122_2324_2526_2728), PeerID(rawValue: 0x3132_3334_3536_3738)],
            payload: [0xDE, 0xAD], signature: Signature([UInt8](repeating: 0x5A, count: 64)))
        let expected =
            "021105000000000000002a0b00000002" + "0102030405060708" + "1112131415161718" + "02"
            + "2122232425262728" + "3132333435363738" + "dead" + String(repeating: "5a", count: 64)
        #expect(Hex.encode(try routed.plainFrame()) == expected)
    }

    @Test("a handshake message is padded to 256 bytes")
    func paddedHandshake() throws {
        let message = Packet.sample(
            type: .noiseHandshake, recipient: PeerID(rawValue: 1), payload: [UInt8](repeating: 9, count: 32))
        let frame = try #require(message.encoded(padding: true, using: compression))
        #expect(frame.count == 256)
        #expect(frame[62...] == [UInt8](repeating: 0xC2, count: 194)[...])
        #expect(Packet.decode(frame, using: compression) == Packet.decode(try message.plainFrame(), using: compression))
    }

    @Test("versions other than 1 and 2 are refused", arguments: [0, 3, 0x63, 0xFF] as [UInt8])
    func otherVersions(version: UInt8) {
        #expect(Packet.sample(version: version).encoded(padding: false, using: compression) == nil)
    }

    @Test("255 hops are encoded, 256 are refused, and version 1 drops them")
    func hops() throws {
        let hops = (0..<256).map { PeerID(rawValue: UInt64($0)) }
        let longest = try Packet.sample(version: 2, route: Array(hops.dropLast())).plainFrame()
        #expect(PacketView(longest)?.route == Array(hops.dropLast()))
        #expect(Packet.sample(version: 2, route: hops).encoded(padding: false, using: compression) == nil)
        #expect(try Packet.sample(route: hops).plainFrame() == Packet.sample().plainFrame())
    }

    @Test("version 1 carries 65,535 bytes and refuses one more, even if they compress")
    func longestVersion1() throws {
        var generator = PacketTestGenerator(seed: 1)
        let longest = Packet.sample(payload: generator.bytes(65_535))
        #expect(try longest.plainFrame().count == 22 + 65_535)
        let compressible = Packet.sample(payload: [UInt8](repeating: 7, count: 65_536))
        #expect(compressible.encoded(padding: false, using: compression) == nil)
    }

    @Test("no payload leaves that every receiver refuses")
    func longestVersion2() throws {
        var generator = PacketTestGenerator(seed: 2)
        let longest = Packet.sample(version: 2, payload: generator.bytes(1_179_760))
        #expect(PacketView(try longest.plainFrame()) != nil)
        for payload in [generator.bytes(1_179_761), [UInt8](repeating: 7, count: 1_179_761)] {
            #expect(Packet.sample(version: 2, payload: payload).encoded(padding: false, using: compression) == nil)
        }
    }

    @Test("identifiers of other lengths are cut or filled with zeros")
    func fitting() {
        #expect(PeerID(fitting: [1, 2, 3, 4]).hex == "0102030400000000")
        #expect(PeerID(fitting: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).hex == "0102030405060708")
        #expect(PeerID(fitting: [] as [UInt8]).rawValue == 0)
    }
}

@Suite("Compression rule")
struct CompressionRuleTests {
    private func isCompressed(_ payload: [UInt8], version: UInt8 = 1, type: MessageType = .message) throws -> Bool {
        let frame = try Packet.sample(version: version, type: type, payload: payload).plainFrame()
        return try #require(PacketView(frame)).isCompressed
    }

    @Test("100 bytes are worth it, 99 are not")
    func threshold() throws {
        #expect(try !isCompressed([UInt8](repeating: 1, count: 99)))
        #expect(try isCompressed([UInt8](repeating: 1, count: 100)))
    }

    /// Stands in for zlib and counts how often it is asked.
    private final class Spy: Compression, @unchecked Sendable {
        var trials = 0
        func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]? {
            trials += 1
            return nil
        }
        func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]? { nil }
    }

    private func isTried(_ payload: [UInt8], type: MessageType = .message) -> Bool {
        let spy = Spy()
        _ = Packet.sample(type: type, payload: payload).encoded(padding: false, using: spy)
        return spy.trials == 1
    }

    @Test(
        "nine tenths of distinct values look compressed already",
        arguments: [
            (100, 89, true), (100, 90, false), (256, 230, true), (256, 231, false), (300, 230, true),
            (300, 231, false), (20_000, 230, true), (20_000, 231, false),
        ])
    func diversity(length: Int, distinct: Int, tried: Bool) {
        let payload = (0..<length).map { UInt8($0 % distinct) }
        #expect(isTried(payload) == tried)
        // The values that tip the scale may also come last.
        let late = [UInt8](repeating: 0, count: length - distinct) + (0..<distinct).map { UInt8($0) }
        #expect(isTried(late) == tried)
    }

    @Test("ciphertext and its fragments are spared the trial, all else is not")
    func ciphertext() throws {
        let text = [UInt8](repeating: 1, count: 400)
        #expect(!isTried(text, type: .noiseHandshake))
        #expect(!isTried(text, type: .noiseEncrypted))
        for (original, tried) in [(0x10, false), (0x11, false), (0x02, true), (0x22, true)] as [(UInt8, Bool)] {
            let fragment = try #require(
                FragmentHeader(
                    id: FragmentID(rawValue: 0x0101_0101_0101_0101), index: 0, total: 1,
                    originalType: MessageType(rawValue: original), chunk: text[...]))
            #expect(isTried(fragment.encoded, type: .fragment) == tried)
        }
        #expect(isTried(Array(text.prefix(100)), type: .fragment))
    }

    @Test("a stream as long as the payload is thrown away")
    func notShorter() throws {
        struct Fixed: Compression {
            let length: Int
            func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]? {
                length <= limit ? [UInt8](repeating: 0, count: length) : nil
            }
            func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]? { nil }
        }
        let packet = Packet.sample(payload: [UInt8](repeating: 1, count: 100))
        for (length, compressed) in [(0, false), (99, true), (100, false)] {
            let frame = try #require(packet.encoded(padding: false, using: Fixed(length: length)))
            #expect((frame[11] & 0x04 != 0) == compressed)
        }
    }

    @Test("version 1 keeps what its size field cannot say plain")
    func version1() throws {
        #expect(try isCompressed([UInt8](repeating: 1, count: 65_535)))
        #expect(try isCompressed([UInt8](repeating: 1, count: 65_536), version: 2))
    }

    @Test("the specification's example: 504 bytes become 15, in both versions")
    func published() throws {
        let payload = Array(String(repeating: "ABCDEFGH", count: 63).utf8)
        let long = try Packet.sample(version: 2, ttl: 0, payload: payload).plainFrame()
        let expected = "020200000001977420dc7b04000000130011223344556677000001f873747276717573f7701ca547140d00"
        #expect(Hex.encode(long) == expected)
        let preimage = try #require(Packet.sample(payload: payload).signaturePreimage(using: PacketTools.compression))
        let start = "010200000001977420dc7b040011001122334455667701f873747276717573f7701ca547140d00"
        #expect(Hex.encode(preimage) == start + String(repeating: "d9", count: 217))
        #expect(
            PacketTools.cryptography.sha256(preimage.span).hex
                == "5043426073201c564ea8a9016f9b0c28fda3f3ddc881de16328c6666b440ba03")
    }
}

@Suite("Padding")
struct PaddingTests {
    @Test(
        "frames grow to the next block that leaves 16 bytes and can be told in one",
        arguments: [
            (22, 256), (239, 256), (240, 256), (241, 241), (256, 256), (257, 512), (496, 512), (497, 497), (768, 768),
            (769, 1024), (1008, 1024), (1009, 1009), (1792, 1792), (1793, 2048), (2032, 2048), (2033, 2033),
            (5000, 5000),
        ])
    func blocks(length: Int, padded: Int) {
        var frame = [UInt8](repeating: 0, count: length)
        Padding.pad(&frame)
        #expect(frame.count == padded)
        #expect(frame.dropFirst(length).allSatisfy { Int($0) == padded - length })
        #expect(Padding.length(forFrameOf: length) == padded - length)
        #expect(Padding.unpad(frame[...]).count == (padded > length ? length : frame.count))
    }

    @Test("240 bytes get 16 times 10, 257 get 255 times ff")
    func edges() {
        var short = [UInt8](repeating: 0, count: 240)
        Padding.pad(&short)
        #expect(short.suffix(16) == [UInt8](repeating: 0x10, count: 16)[...])
        var long = [UInt8](repeating: 0, count: 257)
        Padding.pad(&long)
        #expect(long.suffix(255) == [UInt8](repeating: 0xFF, count: 255)[...])
    }

    @Test(
        "what is no padding stays",
        arguments: [[], [0], [1, 2, 0], [5], [3, 3], [9, 3, 4, 3], [0xFF]] as [[UInt8]])
    func notPadding(bytes: [UInt8]) { #expect(Padding.unpad(bytes[...]) == bytes[...]) }

    @Test("padding is as many bytes as each of them says")
    func wellFormed() {
        #expect(Padding.isWellFormed([UInt8](repeating: 16, count: 16)[...]))
        #expect(!Padding.isWellFormed([UInt8](repeating: 16, count: 15)[...]))
        #expect(!Padding.isWellFormed([]))
        #expect(!Padding.isWellFormed([0]))
        #expect(!Padding.isWellFormed([UInt8](repeating: 0, count: 256)[...]))
    }
}
