import Domain
import Testing

@Suite("Board notices")
struct BoardTests {
    private static let created = WallTime(milliseconds: 1_700_000_000_000)
    private static let week: UInt64 = 604_800_000
    private static let ones: UInt128 = 0x0101_0101_0101_0101_0101_0101_0101_0101

    private func post(
        geohash: String = "9q8yy", content: String = "hi", nickname: String = "bob", lifetime: UInt64 = 86_400_000,
        flags: UInt8 = 1
    ) -> BoardPost? {
        BoardPost(
            id: Self.ones, geohash: geohash, content: content, nickname: nickname,
            createdAt: Self.created,
            expiresAt: WallTime(milliseconds: Self.created.milliseconds + lifetime), flags: flags)
    }

    private func seed(_ byte: UInt8) -> PayloadSecret {
        let bytes = [UInt8](repeating: byte, count: 32)
        return payloadCryptography.importSecret(bytes.span)
    }

    private func signed(_ post: BoardPost) -> BoardNotice {
        BoardNotice(signing: .post(post), with: seed(9), using: payloadCryptography)
    }

    @Test("the signed bytes are those of the specification (packet §9, 18)")
    func examples() throws {
        let key = try #require(Bytes32([UInt8](repeating: 2, count: 32)))
        let author = SigningPublicKey(key)
        let zero = try #require(Signature([UInt8](repeating: 0, count: 64)))
        let body = try #require(self.post())
        let post = BoardNotice(body: .post(body), author: author, signature: zero)
        #expect(post.signedBytes.count == 98)
        #expect(
            payloadCryptography.sha256(post.signedBytes.span).hex
                == "0718d4af120064f86a0e2384435dc681edfb67d8cbf3ede3282181222cbea337")
        let tombstone = BoardTombstone(
            id: Self.ones, deletedAt: WallTime(milliseconds: 1_700_000_100_000))
        let removal = BoardNotice(body: .tombstone(tombstone), author: author, signature: zero)
        #expect(removal.signedBytes.count == 45)
        #expect(
            payloadCryptography.sha256(removal.signedBytes.span).hex
                == "f54537a1b495d5a9956f02f261d75bb889bc9f1cd7a32a4db2e15bcfb5a16ebc")
    }

    @Test("seven days are allowed, a millisecond more, none, or less are not")
    func lifetime() {
        #expect(post(lifetime: Self.week) != nil)
        #expect(post(lifetime: Self.week + 1) == nil)
        #expect(post(lifetime: 0) == nil)
        #expect(
            BoardPost(
                id: 1, geohash: "", content: "x", nickname: "", createdAt: Self.created,
                expiresAt: WallTime(milliseconds: 0), flags: 0) == nil)
    }

    @Test("1 to 512 bytes of text, up to 64 of name")
    func lengths() {
        for (length, fits) in [(0, false), (1, true), (512, true), (513, false)] {
            #expect((post(content: String(repeating: "c", count: length)) != nil) == fits)
        }
        #expect(post(nickname: String(repeating: "n", count: 64)) != nil)
        #expect(post(nickname: String(repeating: "n", count: 65)) == nil)
    }

    @Test(
        "a geohash is up to twelve lowercase digits, or none",
        arguments: [
            ("", true), ("9q8yykv551w2", true), ("9q8yykv551w2s", false), ("9q8yA", false), ("9q8ya", false),
            ("9q8yi", false), ("9q8yl", false), ("9q8yo", false), ("9q 8", false), ("é", false),
        ])
    func geohash(text: String, fits: Bool) { #expect((post(geohash: text) != nil) == fits) }

    @Test("another's key in place of the author's fails, and so does any changed word")
    func forged() throws {
        let post = try #require(self.post())
        let notice = signed(post)
        #expect(notice.verifies(using: payloadCryptography))
        let thief = payloadCryptography.signingPublicKey(of: seed(8))
        let stolen = BoardNotice(body: notice.body, author: thief, signature: notice.signature)
        #expect(!stolen.verifies(using: payloadCryptography))
        let otherPost = try #require(self.post(content: "ho"))
        let changed = BoardNotice(body: .post(otherPost), author: notice.author, signature: notice.signature)
        #expect(!changed.verifies(using: payloadCryptography))
    }

    @Test("what is written is read, posts and removals")
    func roundTrip() throws {
        let removal = BoardNotice(
            signing: .tombstone(BoardTombstone(id: 5, deletedAt: Self.created)), with: seed(9),
            using: payloadCryptography)
        let post = try #require(self.post())
        for notice in [signed(post), removal] {
            let payload = try #require(notice.encoded)
            #expect(BoardNotice(payload[...]) == notice)
        }
    }

    @Test("urgency is the first flags field of one byte, read without the rest")
    func urgency() throws {
        let urgent = try #require(post(flags: 1))
        let payload = try #require(signed(urgent).encoded)
        #expect(BoardNotice.claimsUrgency(payload[...]))
        let otherFlags = try #require(post(flags: 0xFE))
        let calm = try #require(signed(otherFlags).encoded)
        #expect(!BoardNotice.claimsUrgency(calm[...]))
        #expect(BoardNotice.claimsUrgency([9, 0, 2, 0, 0, 9, 0, 1, 1, 9, 0, 1, 0][...]))
        #expect(!BoardNotice.claimsUrgency([1, 0, 9, 9, 0, 1, 1][...]))
        #expect(!BoardNotice.claimsUrgency([][...]))
    }
}
