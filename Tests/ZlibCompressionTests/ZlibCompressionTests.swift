import CZlib
import Domain
import Testing
import ZlibCompression

@Suite("Raw deflate by zlib")
struct ZlibCompressionTests {
    private static let text = Array(String(repeating: "the river is high and the mesh is quiet. ", count: 30).utf8)
    private let compression = ZlibCompression()

    // A span cannot be an argument of a call inside a macro, so the tests speak in arrays.
    private func deflate(_ bytes: [UInt8], level: Int, limit: Int) -> [UInt8]? {
        compression.deflate(bytes.span, level: level, limit: limit)
    }

    private func inflate(_ bytes: [UInt8], size: Int) -> [UInt8]? { compression.inflate(bytes.span, size: size) }

    private func stream(_ bytes: [UInt8] = text, level: Int = 5) throws -> [UInt8] {
        try #require(deflate(bytes, level: level, limit: bytes.count + 64))
    }

    @Test("what was compressed expands to the same bytes", arguments: [1, 2, 100, 255, 256, 4096, 65_536, 1_179_760])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }
        for level in [5, 6] {
            #expect(inflate(try stream(bytes, level: level), size: count) == bytes)
        }
    }

    @Test("a reused encoder state gives the stream that a fresh one gives")
    func reuse() throws {
        let messages = (1..<40).map { round in Self.text.map { $0 ^ UInt8(round % 3) }.prefix(round * 29) }
        for message in messages {
            let fresh = ZlibCompression().deflate(message.span, level: 5, limit: message.count + 64)
            #expect(deflate(Array(message), level: 5, limit: message.count + 64) == fresh)
        }
    }

    @Test("a refused result leaves no trace in the next one")
    func reuseAfterRefusal() throws {
        let expected = try stream()
        #expect(deflate(Self.text, level: 5, limit: expected.count - 1) == nil)
        #expect(try stream() == expected)
    }

    @Test("several threads at once get what one gets")
    func concurrent() async throws {
        let expected = try stream()
        let compression = compression
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask { compression.deflate(Self.text.span, level: 5, limit: 4096) == expected }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 32))
    }

    @Test("a result of exactly the limit is given, one byte less is refused")
    func limit() throws {
        let exact = try stream().count
        #expect(deflate(Self.text, level: 5, limit: exact)?.count == exact)
        #expect(deflate(Self.text, level: 5, limit: exact - 1) == nil)
        #expect(deflate(Self.text, level: 5, limit: 0) == nil)
        #expect(deflate(Self.text, level: 5, limit: -1) == nil)
    }

    @Test("a level that zlib does not know is refused", arguments: [-1, 10, Int.max, Int.min])
    func level(level: Int) { #expect(deflate(Self.text, level: level, limit: 4096) == nil) }

    @Test("nothing compresses to the empty stream, and a size of nothing is refused")
    func empty() {
        let nothing: [UInt8] = []
        #expect(deflate(nothing, level: 5, limit: 16) == [0x03, 0x00])
        #expect(inflate([0x03, 0x00], size: 0) == nil)
        #expect(inflate([0x03, 0x00], size: 1) == nil)
        #expect(inflate(nothing, size: 1) == nil)
        #expect(inflate(nothing, size: -1) == nil)
    }

    @Test("a size one off in either direction is refused")
    func wrongSize() throws {
        let stream = try stream()
        #expect(inflate(stream, size: Self.text.count) == Self.text)
        #expect(inflate(stream, size: Self.text.count - 1) == nil)
        #expect(inflate(stream, size: Self.text.count + 1) == nil)
        #expect(inflate(stream, size: 1) == nil)
    }

    @Test("bytes behind the end of the stream are refused", arguments: [[0], [0x03, 0x00], [0xff, 0xff, 0xff, 0xff]])
    func trailing(bytes: [UInt8]) throws {
        #expect(inflate((try stream() + bytes), size: Self.text.count) == nil)
    }

    @Test("every cut stream is refused, although the output may be whole already")
    func missingEnd() throws {
        let stream = try stream()
        for count in 0..<stream.count {
            #expect(inflate(Array(stream.prefix(count)), size: Self.text.count) == nil)
        }
    }

    @Test("a stream whose last block does not say that it is the last one is refused")
    func unfinished() {
        // A stored block of three bytes, first without and then with the final bit.
        let block: [UInt8] = [0x03, 0x00, 0xfc, 0xff, 1, 2, 3]
        #expect(inflate(([0x00] + block), size: 3) == nil)
        #expect(inflate(([0x01] + block), size: 3) == [1, 2, 3])
    }

    @Test("a zlib or gzip wrapper is refused")
    func wrapped() throws {
        let zlibHeader: [UInt8] = [0x78, 0x5e]
        let adler = try #require(zlibChecksum(Self.text))
        #expect(inflate((zlibHeader + (try stream()) + adler), size: Self.text.count) == nil)
        let gzipHeader: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        #expect(inflate((gzipHeader + (try stream())), size: Self.text.count) == nil)
    }

    @Test("damage is refused or changes the content, and never more than the asked size comes out")
    func damaged() throws {
        let stream = try stream()
        for index in stream.indices {
            var bytes = stream
            bytes[index] ^= 0x10
            if let output = inflate(bytes, size: Self.text.count) {
                #expect(output.count == Self.text.count)
            }
        }
    }

    @Test("a stream that would expand far beyond the asked size is refused within it")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 4_000_000)
        let stream = try stream(zeros)
        #expect(stream.count < 5000)
        #expect(inflate(stream, size: 100) == nil)
        #expect(inflate(stream, size: zeros.count) == zeros)
    }

    @Test("the library is classic zlib, whose streams the phones' signatures depend on")
    func classic() { #expect(!String(cString: zlibVersion()).contains("ng")) }

    private func zlibChecksum(_ bytes: [UInt8]) -> [UInt8]? {
        let sum = bytes.withUnsafeBufferPointer { adler32(1, $0.baseAddress, UInt32($0.count)) }
        return UInt32(exactly: sum).map { value in
            var result: [UInt8] = []
            result.append(bigEndian: value)
            return result
        }
    }
}
