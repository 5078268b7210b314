import Foundation
import Testing

@testable import Terminal

@Suite("Terminal input")
struct TerminalInputTests {
    private func decode(_ pieces: [[UInt8]]) -> String {
        var decoder = CharacterDecoder()
        var result = String.UnicodeScalarView()
        for piece in pieces {
            decoder.append(piece)
            while let scalar = decoder.next() { result.append(scalar) }
        }
        return String(result)
    }

    @Test("characters are read however their bytes arrive", arguments: [1, 2, 3, 100])
    func pieces(size: Int) {
        let text = "aäß漢🫂e\u{301}"
        let bytes = Array(text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        #expect(Array(decode(pieces).utf8) == bytes)
    }

    @Test(
        "what is not UTF-8 becomes U+FFFD and nothing behind it is lost",
        arguments: [
            ([0xFF, 0x61], "\u{FFFD}a"), ([0xC3, 0x61], "\u{FFFD}a"), ([0x80, 0x61], "\u{FFFD}a"),
            ([0xF0, 0x9F, 0xAB, 0x61], "\u{FFFD}a"), ([0xED, 0xA0, 0x80, 0x61], "\u{FFFD}a"),
            ([0xE0, 0x80, 0x80, 0x61], "\u{FFFD}a"),
        ] as [([UInt8], String)])
    func invalid(bytes: [UInt8], text: String) {
        #expect(decode([bytes]) == text)
    }

    @Test("plain lines end by LF or CR LF, the last one also by the end of the input")
    func lines() {
        var lines = PlainLines()
        lines.append(Array("one\r\ntw".utf8))
        #expect(lines.next() == "one")
        #expect(lines.next() == nil)
        lines.append(Array("o\n\nlast".utf8))
        #expect(lines.next() == "two")
        #expect(lines.next() == "")
        #expect(lines.next() == nil)
        lines.end()
        #expect(lines.next() == "last")
        #expect(lines.next() == nil)
    }

    @Test("a stream without line ends is cut, nothing is lost")
    func endless() throws {
        var lines = PlainLines()
        lines.append([UInt8](repeating: 0x61, count: PlainLines.limit + 10))
        #expect(lines.next()?.utf8.count == PlainLines.limit)
        lines.append([0x0A])
        #expect(lines.next() == "aaaaaaaaaa")
    }
}

@Suite("Completion")
struct CompletionTests {
    @Test("the only candidate is inserted with a space, a common beginning without, and what adds nothing is not")
    func insertion() {
        #expect(Completion(replaced: 2, candidates: ["/who"], typed: "/w").insertion == "/who ")
        #expect(Completion(replaced: 1, candidates: ["anna", "annabel"], typed: "a").insertion == "anna")
        #expect(Completion(replaced: 4, candidates: ["anna", "annabel"], typed: "anna").insertion == nil)
        #expect(Completion(replaced: 1, candidates: ["bob", "bert"], typed: "b").insertion == nil)
        #expect(Completion(replaced: 0, candidates: ["x", "y"]).insertion == nil)
        #expect(Completion(replaced: 0, candidates: []).insertion == nil)
    }
}
