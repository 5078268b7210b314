import Domain
import Testing

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test(
        "bytes and text stand for each other",
        arguments: [
            ("", []), ("AA", [0]), ("_w", [0xFF]), ("Zg", [0x66]), ("Zm8", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]),
            ("Zm9vYg", [0x66, 0x6F, 0x6F, 0x62]), ("-_-_", [0xFB, 0xFF, 0xBF]),
        ] as [(String, [UInt8])])
    func known(text: String, bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("every length up to 64 comes back")
    func lengths() {
        for count in 0...64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "other texts are refused: padding, the plain alphabet, blanks, a lone character, bits behind the last byte",
        arguments: ["Zg==", "Zg=", "+/+/", "Zm9v\n", " Zm9v", "A", "Zm9vY", "AB", "Zm9", "Zh", "é8"])
    func refused(text: String) { #expect(Base64URL.decode(text) == nil) }
}
