import Domain
import Testing

@Suite("Favorite messages")
struct FavoriteMessageTests {
    private static let npub = "npub1tpq9vu4k5yapvvtp95zh9jay8vyj5rsvx0p0t98yr8u76h6cr8yq8dw0ky"

    @Test(
        "the marker says what, the second part between colons says where",
        arguments: [
            ("[FAVORITED]", true, false), ("[UNFAVORITED]", false, false), ("[FAVORITED]:", true, false),
            ("[UNFAVORITED]:", false, false), ("[FAVORITED]:\(npub)", true, true),
            ("[UNFAVORITED]:\(npub)", false, true), ("[FAVORITED]::\(npub)", true, true),
            ("[FAVORITED]:\(npub):more", true, true), ("[FAVORITED]: and more:\(npub)", true, false),
            ("[FAVORITED] hello:\(npub)", true, true), ("[FAVORITED]\(npub)", true, false),
        ])
    func read(text: String, isFavorite: Bool, hasKey: Bool) throws {
        let message = try #require(FavoriteMessage(text))
        #expect(message.isFavorite == isFavorite)
        #expect(message.nostrKey?.npub == (hasKey ? Self.npub : nil))
    }

    @Test(
        "a key that does not decode is as good as none (§7, REF-GAP of the phones' unchecked one)",
        arguments: [
            "npub1", "npub1tpq9vu4k5yapvvtp95zh9jay8vyj5rsvx0p0t98yr8u76h6cr8yq8dw0kq", npub.uppercased(),
            "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5", npub + "\n", " " + npub,
            "58405672b6a13a1631612d0572cba43b092a0e0c33c2f594e419f9ed5f5819c8", "\u{301}" + npub,
        ])
    func badKey(key: String) throws {
        let message = try #require(FavoriteMessage("[FAVORITED]:" + key))
        #expect(message.isFavorite && message.nostrKey == nil)
    }

    @Test(
        "any other text is one to show",
        arguments: [
            "", "hello", "[favorited]", " [FAVORITED]", "FAVORITED", "[FAVORITED", "you [FAVORITED]", "[UNFAVORITED ]",
            ":\(npub)",
        ])
    func other(text: String) {
        #expect(FavoriteMessage(text) == nil)
        #expect(!FavoriteMessage.isMarked(text))
    }

    @Test("the marker is compared byte by byte: what joins its last character does not hide it")
    func joined() { #expect(FavoriteMessage.isMarked("[FAVORITED]\u{301}")) }

    @Test("what is written is read, and a missing key leaves the bare marker (app §6.7)")
    func written() throws {
        let key = try #require(NostrPublicKey(npub: Self.npub))
        #expect(FavoriteMessage(isFavorite: true, nostrKey: key).text == "[FAVORITED]:" + Self.npub)
        #expect(FavoriteMessage(isFavorite: false, nostrKey: nil).text == "[UNFAVORITED]")
        for isFavorite in [true, false] {
            for key in [key, nil] {
                let message = FavoriteMessage(isFavorite: isFavorite, nostrKey: key)
                #expect(FavoriteMessage(message.text) == message)
                #expect(message.text.utf8.count <= 255)
            }
        }
    }

    @Test("no text traps")
    func damage() {
        var generator = PacketTestGenerator(seed: 41)
        let pieces = ["[FAVORITED]", "[UNFAVORITED]", ":", Self.npub, "npub1", "\u{301}", "é", "\u{0}", " ", "1", "😀"]
        var read = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0...generator.next() % 6 { text += pieces[Int(generator.next() % UInt64(pieces.count))] }
            if generator.next().isMultiple(of: 4) {
                var bytes = Array(text.utf8)
                if let place = bytes.indices.randomElement(using: &generator) { bytes[place] ^= 1 }
                text = String(decoding: bytes, as: UTF8.self)
            }
            guard let message = FavoriteMessage(text) else { continue }
            read += 1
            #expect(FavoriteMessage.isMarked(text))
            #expect(FavoriteMessage(message.text) == message)
        }
        #expect(read > 1000)
    }

    @Test("a text of a million colons is read in passing")
    func long() {
        let text = "[FAVORITED]" + String(repeating: ":", count: 1_000_000) + Self.npub
        #expect(FavoriteMessage(text)?.nostrKey?.npub == Self.npub)
    }
}
