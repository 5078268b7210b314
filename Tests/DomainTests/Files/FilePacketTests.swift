import Domain
import Testing

@Suite("Files")
struct FilePacketTests {
    private func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [tag] + PacketBytes.of(UInt16(value.count)) + value
    }
    private func content(_ value: [UInt8]) -> [UInt8] { [4] + PacketBytes.of(UInt32(value.count)) + value }

    @Test("the specification's example (packet §9, 14)")
    func example() {
        let file = FilePacket(fileName: "a", mimeType: "m", content: [0xDE, 0xAD])
        #expect(file.map { Hex.encode($0.encoded) } == "0100016102000400000002" + "0300016d" + "0400000002dead")
    }

    @Test("a size of eight bytes is read, of other widths ignored")
    func sizes() throws {
        let eight = field(2, [0, 0, 0, 0, 0, 0, 0, 9]) + content([1])
        #expect(FilePacket(eight[...])?.fileSize == 9)
        for width in [0, 1, 3, 5, 7, 9] {
            let odd = field(2, [UInt8](repeating: 1, count: width)) + content([1])
            #expect(FilePacket(odd[...])?.fileSize == 1)
        }
    }

    @Test("a content length of 16 bits is taken where 32 do not fit")
    func legacyContent() { #expect(FilePacket([4, 0, 3, 7, 8, 9][...])?.content == [7, 8, 9]) }

    @Test("unknown fields before and behind the content are passed over")
    func unknown() {
        let payload = field(9, [1, 2]) + content([5]) + field(0xFE, [])
        #expect(FilePacket(payload[...])?.content == [5])
    }

    @Test("a stated size of 1,048,576 is read, one byte more refuses")
    func statedLimit() {
        for (size, accepted) in [(1_048_576, true), (1_048_577, false)] as [(UInt32, Bool)] {
            let payload = field(2, PacketBytes.of(size)) + content([1])
            #expect((FilePacket(payload[...]) != nil) == accepted)
            #expect((FilePacket(fileName: nil, fileSize: size, mimeType: nil, content: [1]) != nil) == accepted)
        }
    }

    @Test("content may come in parts up to 1,048,576 bytes together")
    func contentLimit() {
        let most = content([UInt8](repeating: 1, count: 1_048_575))
        #expect(FilePacket((most + content([2]))[...])?.content.count == 1_048_576)
        #expect(FilePacket((most + content([2, 3]))[...]) == nil)
    }

    @Test("a name alone, nothing, and empty content are refused")
    func empty() {
        for payload in [[], field(1, [0x61]), content([]), field(1, [0x61]) + content([])] {
            #expect(FilePacket(payload[...]) == nil)
        }
    }

    @Test("a name above 65,535 bytes is left out")
    func longName() throws {
        let file = try #require(
            FilePacket(fileName: String(repeating: "n", count: 65_536), mimeType: "m", content: [1]))
        #expect(FilePacket(file.encoded[...])?.fileName == nil)
        #expect(FilePacket(file.encoded[...])?.mimeType == "m")
    }
}

@Suite("Media types")
struct MediaTypeTests {
    private static let riff = Array("RIFF".utf8) + [1, 2, 3, 4]
    private static let long = [UInt8](repeating: 0, count: 101)

    static let accepted: [(String, [UInt8], MediaType)] = [
        ("image/jpeg", [0xFF, 0xD8, 0xFF], .jpeg), ("image/jpg", [0xFF, 0xD8, 0xFF, 0], .jpeg),
        ("IMAGE/PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        ("image/gif", Array("GIF87a".utf8), .gif), ("image/gif", Array("GIF89a".utf8), .gif),
        ("image/webp", riff + Array("WEBP".utf8), .webp), ("audio/mp4", long, .m4a), ("audio/m4a", long, .m4a),
        ("audio/aac", long, .m4a), ("audio/mpeg", Array("ID3".utf8), .mp3), ("audio/mp3", [0xFF, 0xFB], .mp3),
        ("audio/mp3", [0xFF, 0xE0], .mp3), ("audio/wav", riff + Array("WAVE".utf8), .wav),
        ("audio/x-wav", riff + Array("WAVEfmt".utf8), .wav), ("audio/ogg", Array("OggS".utf8), .ogg),
        ("application/pdf", Array("%PDF".utf8), .pdf), ("application/octet-stream", [0], .binary),
        ("text/html", Array("<html>".utf8), .binary), ("", [1], .binary),
    ]

    @Test(
        "a listed type whose content begins as it must is accepted, every other type is plain bytes",
        arguments: accepted)
    func accepts(mimeType: String, content: [UInt8], type: MediaType) throws {
        let file = try #require(FilePacket(fileName: nil, mimeType: mimeType, content: content))
        #expect(MediaType(accepting: file) == type)
    }

    static let refused: [(String, [UInt8])] = [
        ("image/png", [UInt8](repeating: 0, count: 16)), ("image/jpeg", [0xFF, 0xD8]),
        ("image/gif", Array("GIF88a".utf8)),
        ("image/webp", riff + Array("WAVE".utf8)), ("image/webp", Array("RIFFWEBP".utf8)),
        ("audio/mp4", [UInt8](repeating: 0, count: 100)), ("audio/mpeg", [0xFF]), ("audio/mpeg", [0xFF, 0xDF]),
        ("audio/wav", riff), ("audio/ogg", Array("Ogg".utf8)), ("application/pdf", Array("PDF".utf8)),
        ("application/octet-stream", []),
    ]

    @Test("content that does not begin as its type must is refused", arguments: refused)
    func refuses(mimeType: String, content: [UInt8]) throws {
        let file = try #require(FilePacket(fileName: nil, mimeType: mimeType, content: content))
        #expect(MediaType(accepting: file) == nil)
    }

    @Test("a file without a type is refused")
    func untyped() throws {
        let file = try #require(FilePacket(fileName: nil, mimeType: nil, content: [1]))
        #expect(MediaType(accepting: file) == nil)
    }

    @Test("the type we send is the type that is read")
    func names() {
        for type in MediaType.allCases { #expect(MediaType(mimeType: type.mimeType) == type) }
        #expect(
            MediaType.allCases.map(\.category.rawValue) == [
                "image", "image", "image", "image", "audio", "audio", "audio", "audio", "file", "file",
            ])
    }
}
