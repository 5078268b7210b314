import Domain
import Testing

@Suite("Display text")
struct DisplayTextTests {
    @Test("what acts on a terminal is replaced", arguments: [0x00...0x09, 0x0B...0x1F, 0x7F...0x9F, 0x2028...0x2029])
    func controls(range: ClosedRange<UInt32>) throws {
        for code in range {
            let scalar = try #require(Unicode.Scalar(code))
            #expect(DisplayText.block("a\(scalar)b") == "a\u{FFFD}b", "U+\(String(code, radix: 16))")
            #expect(DisplayText.line("a\(scalar)b") == "a\u{FFFD}b", "U+\(String(code, radix: 16))")
        }
    }

    @Test(
        "what reverses text is dropped",
        arguments: [0x202A...0x202E, 0x2066...0x2069, 0x200E...0x200F, 0x061C...0x061C] as [ClosedRange<UInt32>])
    func bidi(range: ClosedRange<UInt32>) throws {
        for code in range {
            let scalar = try #require(Unicode.Scalar(code))
            #expect(DisplayText.block("a\(scalar)b") == "ab", "U+\(String(code, radix: 16))")
        }
    }

    @Test("a line break continues, indented, and cannot look like another row")
    func lineBreaks() {
        #expect(DisplayText.block("one\ntwo\n\nthree") == "one\n  two\n  \n  three")
        #expect(DisplayText.block("one\r\ntwo") == "one\u{FFFD}\n  two")
    }

    @Test("a name stays on its line")
    func names() {
        #expect(DisplayText.line("bob\n-- wiped") == "bob\u{FFFD}-- wiped")
        #expect(DisplayText.line("bob\r\nx") == "bob\u{FFFD}\u{FFFD}x")
    }

    @Test("an escape sequence loses its power and shows what was tried")
    func escapeSequence() {
        #expect(DisplayText.block("\u{1B}]0;title\u{07}\u{9B}2J") == "\u{FFFD}]0;title\u{FFFD}\u{FFFD}2J")
    }

    @Test(
        "other text is left as it is",
        arguments: [
            "", "hello", "äöü ß", "日本語", "👩‍👩‍👧 🫂", "e\u{301}", "a\u{A0}b", "שלום", "\u{FFFD}", "zero\u{200B}width",
        ])
    func kept(text: String) {
        #expect(Array(DisplayText.block(text).utf8) == Array(text.utf8))
    }

    @Test(
        "neighbours of what is cleaned are not", arguments: [0x20, 0x7E, 0xA0, 0x2027, 0x202F, 0x2065, 0x206A, 0x061D])
    func neighbours(code: UInt32) throws {
        let text = "a\(try #require(Unicode.Scalar(code)))b"
        #expect(Array(DisplayText.block(text).utf8) == Array(text.utf8))
    }
}
