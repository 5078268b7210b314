import Application
import Domain
import Testing

@testable import App

@Suite("Chat rows")
struct ChatRowTests {
    private func text(_ row: ChatRow, columns: Int = 80, colour: Bool = false) -> String {
        ChatRowText(columns: columns, usesColour: colour, clock: { _ in "14:03:59" }).text(of: row)
    }

    private func row(_ text: String, name: String = "bob#1a2b", status: DeliveryStatus? = nil) -> ChatRow {
        ChatRow(
            id: "1", at: WallTime(milliseconds: 0), content: .message(name: name, text: text), status: status)
    }

    @Test("a row has time, name, text and status")
    func form() {
        #expect(text(row("hello")) == "14:03:59 <bob#1a2b> hello")
        #expect(text(row("hello", status: .delivered)) == "14:03:59 <bob#1a2b> hello  [✓✓ delivered]")
        #expect(text(.local("bob left")) == "-- bob left")
        #expect(
            text(ChatRow(at: WallTime(milliseconds: 0), content: .emote(name: "bob#1a2b", text: "🫂 bob hugs anna")))
                == "14:03:59 * bob#1a2b: 🫂 bob hugs anna")
    }

    @Test(
        "the labels of the delivery states",
        arguments: [
            (.sending, "…"), (.sent, "✓ sent, no confirmation"), (.carried, "» carried, no confirmation"),
            (.partiallySent(sent: 2, total: 5), "2/5"),
            (.delivered, "✓✓ delivered"), (.read, "✓✓ read"), (.failed(reason: "gone\u{1B}[2J"), "✗ gone\u{FFFD}[2J"),
        ] as [(DeliveryStatus, String)])
    func labels(status: DeliveryStatus, label: String) {
        #expect(ChatRowText.label(of: status) == label)
    }

    @Test("a name or a text cannot forge a row, move the cursor or reverse what stands there")
    func hostile() {
        let shown = text(row("hi\n-- wiped\r\u{1B}]0;x\u{07}", name: "bob\n14:00:00 <anna#0000>\u{202E}"))
        #expect(
            shown == "14:03:59 <bob\u{FFFD}14:00:00 <anna#0000>> hi\n  -- wiped\u{FFFD}\u{FFFD}]0;x\u{FFFD}")
        #expect(text(.local("x\u{1B}c\n-- y")) == "-- x\u{FFFD}c\n  -- y")
    }

    @Test("a long text is folded to thirty rows with a count, a shorter one is not")
    func folded() {
        let lines = text(row(String(repeating: "word ", count: 401)), columns: 50).split(separator: "\n")
        #expect(lines.last == "  … and 505 more characters")
        let plain = text(row(String(repeating: "word ", count: 400)), columns: 50)
        #expect(!plain.contains("more characters"))
        let wall = text(row(String(repeating: "x", count: 512)), columns: 10)
        #expect(wall.hasSuffix("\n  … and 212 more characters"))
        #expect(!text(row(String(repeating: "x", count: 511)), columns: 10).contains("more characters"))
    }

    @Test("colours are used only where they may be, around whole lines")
    func colours() {
        #expect(text(.local("a\nb"), colour: true) == "\u{1B}[2m-- a\u{1B}[0m\n\u{1B}[2m  b\u{1B}[0m")
        #expect(text(row("hello"), colour: true) == "14:03:59 <bob#1a2b> hello")
        #expect(text(ChatRow(content: .alarm("key"))) == "-- !! key")
    }

    @Test("the digits behind a name are those of the peer, and not added twice")
    func suffixes() {
        let peer = PeerID(rawValue: 0x1A2B_0000_0000_0000)
        #expect(ChatNames.suffixed("bob", peer) == "bob#1a2b")
        #expect(ChatNames.suffixed("bob#1a2b", peer) == "bob#1a2b")
        #expect(ChatNames.suffixed("bob#9999", peer) == "bob#9999#1a2b")
    }
}

@Suite("Mentions")
struct MentionsTests {
    @Test(
        "tokens are letters, digits and _, with a suffix of four digits",
        arguments: [
            ("hi @bob", ["bob"]), ("@bob-smith", ["bob"]), ("mail@bob", ["bob"]), ("@bob smith", ["bob"]),
            ("@A#1b2", ["A"]), ("@A#1b2C x", ["A#1b2C"]), ("@A#12345", ["A#1234"]), ("@ bob @", []), ("@@x", ["x"]),
            ("@zoë_1 @漢字", ["zoë_1", "漢字"]), ("nothing", []),
        ] as [(String, Set<String>)])
    func tokens(text: String, tokens: Set<String>) { #expect(Mentions.tokens(in: text) == tokens) }

    @Test("our name mentions us, in either normal form, unless somebody carries it with a suffix")
    func hit() {
        #expect(Mentions.hit("bob", suffix: "#00ff", in: "hi @bob!", others: ["anna"]))
        #expect(!Mentions.hit("bob", suffix: "#00ff", in: "hi @Bob", others: []))
        #expect(!Mentions.hit("bob", suffix: "#00ff", in: "hi @bob", others: ["bob#1a2b"]))
        #expect(Mentions.hit("bob", suffix: "#00ff", in: "hi @bob#00ff", others: ["bob#1a2b"]))
        #expect(!Mentions.hit("bob", suffix: "#00ff", in: "hi @bob#1a2b", others: []))
        #expect(Mentions.hit("zo\u{EB}", suffix: "#00ff", in: "@zoe\u{308}", others: []))
    }

    @Test("a text that is too long to be scanned mentions nobody")
    func long() {
        #expect(Mentions.tokens(in: "@bob" + String(repeating: " ", count: 3996)) == ["bob"])
        #expect(Mentions.tokens(in: "@bob" + String(repeating: " ", count: 3997)) == [])
        #expect(Mentions.tokens(in: "@bob " + String(repeating: "x", count: 1024)) == [])
    }
}

@Suite("Emotes")
struct ChatEmoteTests {
    @Test("what is sent is what the phones send")
    func sent() {
        #expect(ChatEmote.hug.publicText(from: "me", to: "bob") == "* 🫂 me hugs bob *")
        #expect(
            ChatEmote.slap.publicText(from: "me", to: "bob") == "* 🐟 me slaps bob around a bit with a large trout *")
        #expect(ChatEmote.hug.privateText(from: "me") == "* 🫂 me hugs you *")
        #expect(ChatEmote.slap.privateText(from: "me") == "* 🐟 me slaps you around a bit with a large trout *")
    }

    @Test("both kinds of phones are understood, other stars are not")
    func received() {
        #expect(ChatEmote.inner(of: "* 🫂 bob hugs anna *") == "🫂 bob hugs anna")
        #expect(ChatEmote.inner(of: "* bob gives anna a warm hug 🫂 *") == "bob gives anna a warm hug 🫂")
        #expect(ChatEmote.inner(of: "* bob took a screenshot *") == "bob took a screenshot")
        #expect(ChatEmote.inner(of: "* bob is here *") == nil)
        #expect(ChatEmote.inner(of: "🫂 bob hugs anna") == nil)
        #expect(ChatEmote.inner(of: "* *") == nil)
    }

    @Test("we notice when we are meant")
    func attention() {
        #expect(ChatEmote.isTowards("anna", "* 🫂 bob hugs anna *"))
        #expect(ChatEmote.isTowards("anna", "* 🫂 bob hugs you *"))
        #expect(ChatEmote.isTowards("anna", "* bob slaps anna around a bit with a large trout 🐟 *"))
        #expect(ChatEmote.isTowards("anna", "* bob gives anna a warm hug 🫂 *"))
        #expect(!ChatEmote.isTowards("anna", "* 🫂 bob hugs carl *"))
        #expect(!ChatEmote.isTowards("anna", "bob hugs anna"))
    }
}
