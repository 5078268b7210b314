import Domain
import Testing

@Suite("Splitting private texts (spec: app §6.2, §19 case 26a)")
struct PrivateTextTests {
    @Test("up to 255 bytes a text goes as typed", arguments: ["", "hi", String(repeating: "a", count: 255)])
    func short(text: String) { #expect(PrivateText.parts(of: text) == [text]) }

    @Test("256 bytes go in two numbered parts")
    func two() throws {
        let parts = try #require(PrivateText.parts(of: String(repeating: "a", count: 256)))
        #expect(parts == ["(1/2) " + String(repeating: "a", count: 249), "(2/2) aaaaaaa"])
    }

    @Test("characters of two bytes are not torn: pieces of 248 and 8 bytes")
    func accents() throws {
        let parts = try #require(PrivateText.parts(of: String(repeating: "é", count: 128)))
        #expect(parts.map { $0.dropFirst(6).utf8.count } == [248, 8])
    }

    @Test("nine parts are the most: 2,241 bytes pass, 2,242 do not")
    func limit() {
        #expect(PrivateText.parts(of: String(repeating: "a", count: 2241))?.count == 9)
        #expect(PrivateText.parts(of: String(repeating: "a", count: 2242)) == nil)
    }

    @Test("a cut falls behind the last white space in the second half of the room, if there is one")
    func whiteSpace() throws {
        let text = String(repeating: "a", count: 200) + " " + String(repeating: "b", count: 100)
        let parts = try #require(PrivateText.parts(of: text))
        #expect(parts.first == "(1/2) " + String(repeating: "a", count: 200) + " ")
        let early = "a " + String(repeating: "b", count: 300)
        #expect(try #require(PrivateText.parts(of: early)).first?.utf8.count == 255)
    }

    @Test("one character above 249 bytes is cut between its scalars, and nothing is lost")
    func giantCharacter() throws {
        let text = "e" + String(repeating: "\u{301}", count: 200)
        #expect(text.count == 1)
        let parts = try #require(PrivateText.parts(of: text))
        #expect(parts.allSatisfy { $0.utf8.count <= 255 })
        #expect(parts.flatMap { $0.unicodeScalars.dropFirst(6) } == Array(text.unicodeScalars))
    }

    @Test("the pieces joined are exactly the text", arguments: 1...20)
    func joined(seed: Int) throws {
        let words = (0..<seed * 15).map { String(repeating: ["x", "ü", "🙂", "字"][$0 % 4], count: 1 + $0 * seed % 7) }
        let text = words.joined(separator: " ")
        guard text.utf8.count > 255, let parts = PrivateText.parts(of: text) else { return }
        #expect(parts.map { $0.dropFirst(6) }.joined() == text)
        #expect(parts.allSatisfy { $0.utf8.count <= 255 })
    }
}

@Suite("Near-equal texts (spec: app §5.4, §19 case 23)")
struct ContentKeyTests {
    @Test(
        "case, blanks and a link's query do not count",
        arguments: [
            ("HTTP://X.Y/a?b=1", "http://x.y/a"), ("  Hello   World ", "hello world"),
            ("see https://a.b/c#d now", "see https://a.b/c now"), ("http://a/?u=https://b", "http://a/"),
        ])
    func equal(first: String, second: String) { #expect(ContentKey(first) == ContentKey(second)) }

    @Test("other texts differ", arguments: [("a", "b"), ("http://x.y/a", "http://x.y/b"), ("a?b", "a?c")])
    func different(first: String, second: String) { #expect(ContentKey(first) != ContentKey(second)) }

    @Test(
        "a text of ASCII is reduced like any other",
        arguments: [
            "Hello", " A\tb\u{B}C\r\nd \n", "See HTTPS://A.b/c?d=e#f, HTTP://x", "http://http://a?b c#d", "https:// ?x",
            "hhttp://a#", "\u{1C}x\u{7F}",
        ])
    func ascii(text: String) {
        let continued = " \u{E9}".utf8.reduce(ContentKey(text).hash) { $0 &* 33 &+ UInt64($1) }
        #expect(ContentKey(text + " \u{E9}").hash == continued)
    }

    @Test("the hash is DJB2 over the reduced text, and what follows 256 characters does not count")
    func hash() {
        #expect(ContentKey("a").hash == 5381 * 33 + 97)
        #expect(ContentKey("a").text == "h:000000000002b606")
        let long = String(repeating: "z", count: 256)
        #expect(ContentKey(long + "a") == ContentKey(long + "b"))
    }
}
