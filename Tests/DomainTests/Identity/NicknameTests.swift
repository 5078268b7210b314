import Domain
import Foundation
import Testing

@Suite("Nicknames")
struct NicknameTests {
    private struct FoundationNormalization: TextNormalization {
        func nfc(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
    }
    private let normalization = FoundationNormalization()

    private func own(_ text: String, seed: UInt64 = 1) -> String {
        Nickname(own: text, normalization: normalization, randomness: PacketTestRandomness(seed: seed)).text
    }

    @Test("our own name is trimmed and composed")
    func ownName() {
        #expect(own("  bob\n") == "bob")
        #expect(Array(own("cafe\u{301}").unicodeScalars) == Array("caf\u{E9}".unicodeScalars))
    }

    @Test("an empty name becomes anon and four digits, drawn uniformly", arguments: ["", "  \u{200B}\n"])
    func anonymous(text: String) throws {
        var drawn: Set<Int> = []
        for seed in 0..<500 as Range<UInt64> {
            let name = own(text, seed: seed)
            #expect(name.hasPrefix("anon"))
            let number = try #require(Int(name.dropFirst(4)))
            #expect((1000...9999).contains(number))
            drawn.insert(number)
        }
        #expect(drawn.count > 400)
    }

    @Test("a received name is composed and otherwise left alone")
    func received() {
        let name = Nickname(received: " cafe\u{301}\u{202E}\n", normalization: normalization)
        #expect(Array(name.text.unicodeScalars) == Array(" caf\u{E9}\u{202E}\n".unicodeScalars))
    }

    @Test(
        "the validator refuses what is empty, long, or holds control or format characters",
        arguments: [
            ("", false), (" \n", false), (" bob ", true), (String(repeating: "é", count: 50), true),
            (String(repeating: "é", count: 51), false), ("a\tb", false), ("a\nb", false), ("a\u{200D}b", false),
            ("👩‍👧", false), ("👩", true), ("a\u{202E}b", false), ("\tbob\n", true), ("\u{7F}", false),
        ])
    func validator(text: String, valid: Bool) {
        #expect((Nickname.validated(text, normalization: normalization) != nil) == valid)
    }

    @Test("a validated name comes out trimmed and composed")
    func validated() {
        let name = Nickname.validated(" cafe\u{301} ", normalization: normalization)
        #expect(name.map { Array($0.text.unicodeScalars) } == Array("caf\u{E9}".unicodeScalars))
    }

    @Test("an announce carries 255 bytes of name, and no more")
    func announce() {
        let fits = { Nickname(received: String(repeating: "a", count: $0), normalization: normalization).fitsAnnounce }
        #expect(fits(255))
        #expect(!fits(256))
        #expect(!Nickname(received: String(repeating: "é", count: 128), normalization: normalization).fitsAnnounce)
    }

    @Test(
        "a displayed name comes apart at # and four digits",
        arguments: [
            ("bob#12ab", "bob", "#12ab"), ("@bob#12AB", "bob", "#12AB"), ("bob", "bob", ""), ("#12ab", "", "#12ab"),
            ("bob#12ag", "bob#12ag", ""), ("bob#123", "bob#123", ""), ("b@o@b", "bob", ""), ("", "", ""),
            ("bob#１２ab", "bob#１２ab", ""), ("bob#12abc", "bob#12abc", ""),
        ])
    func split(name: String, base: String, suffix: String) {
        let parts = Nickname.split(displayed: name)
        #expect(parts.base == base)
        #expect(parts.suffix == suffix)
    }

    @Test("names are told apart, and absent ones replaced, by the identifier")
    func marks() {
        let peer = PeerID(rawValue: 0x12AB_0000_0000_0000)
        #expect(Nickname(received: "bob", normalization: normalization).marked(for: peer) == "bob#12ab")
        #expect(Nickname.placeholder(for: peer).text == "anon12ab")
    }
}
