import Domain
import Testing
import UnistringNormalization

@Suite("NFC by libunistring")
struct UnistringNormalizationTests {
    private let normalization = UnistringNormalization()

    // Swift compares strings by canonical equivalence, which is what must not decide here: the tests compare scalars.
    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test(
        "decomposed text is composed",
        arguments: [
            ("cafe\u{301}", "caf\u{e9}"),
            ("A\u{30a}ngstro\u{308}m", "\u{c5}ngstr\u{f6}m"),
            ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", "\u{d55c}\u{ae00}"),
            ("\u{212b}", "\u{c5}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"),
            ("\u{1e9b}\u{323}", "\u{1e9b}\u{323}"),
            ("\u{928}\u{93c}", "\u{929}"),
            ("x\u{0}e\u{301}\u{0}", "x\u{0}\u{e9}\u{0}"),
        ])
    func composed(text: String, expected: String) {
        #expect(scalars(normalization.nfc(text)) == scalars(expected))
    }

    @Test(
        "text in NFC comes back as it is",
        arguments: [
            "", "plain", "caf\u{e9}", "\u{d55c}\u{ae00}", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "a\u{0}b",
            "\u{6f22}\u{5b57}", "\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{10ffff}",
        ])
    func unchanged(text: String) { #expect(scalars(normalization.nfc(text)) == scalars(text)) }

    @Test(
        "compatibility characters and excluded compositions are not touched beyond NFC",
        arguments: [
            ("\u{fb01}", "\u{fb01}"), ("\u{ff21}", "\u{ff21}"), ("\u{958}", "\u{915}\u{93c}"),
        ])
    func exclusions(text: String, expected: String) {
        #expect(scalars(normalization.nfc(text)) == scalars(expected))
    }

    @Test("normalising twice changes nothing more, at any length")
    func idempotent() {
        let text = String(repeating: "e\u{301}o\u{308}\u{1112}\u{1161}", count: 5000)
        let once = normalization.nfc(text)
        #expect(once.unicodeScalars.count == 15_000)
        #expect(scalars(normalization.nfc(once)) == scalars(once))
    }
}
