import Domain
import Testing

@Suite("Text in bytes")
struct TextTests {
    @Test(
        "cutting keeps whole characters",
        arguments: [
            ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("€€", 5, "€"), ("e\u{301}x", 2, ""),
            ("a👨‍👩‍👧", 10, "a"), ("", 4, ""),
        ])
    func cut(text: String, limit: Int, kept: String) { #expect(text.prefix(utf8Bytes: limit) == kept) }

    @Test(
        "bytes that are not UTF-8 are no text",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func invalid(bytes: [UInt8]) { #expect(bytes.text == nil) }

    @Test("a number needs exactly its bytes")
    func exact() {
        #expect(UInt16(exactBigEndianBytes: [1, 2]) == 0x0102)
        #expect(UInt16(exactBigEndianBytes: [1]) == nil)
        #expect(UInt16(exactBigEndianBytes: [1, 2, 3]) == nil)
    }
}
