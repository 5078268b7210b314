import Domain
import Testing

@Suite("Writing notices")
struct BoardWritingTests {
    private let now = BoardTable.start

    private func write(
        _ content: String, nickname: String = "ann", geohash: String = "", isUrgent: Bool = false, days: Int = 1
    ) throws -> BoardPost {
        try BoardPost(
            writing: content, nickname: nickname, on: geohash, isUrgent: isUrgent, days: days, id: 7, at: now)
    }

    @Test("blanks around the text go, and what was typed is on the notice")
    func plain() throws {
        let post = try write(" \n water at the school\u{A0}\n", geohash: "9q8yy", isUrgent: true, days: 3)
        #expect(post.content == "water at the school" && post.nickname == "ann" && post.geohash == "9q8yy")
        #expect(post.id == 7 && post.flags == BoardPost.urgentFlag && post.createdAt == now)
        #expect(post.expiresAt == BoardTable.time(3 * BoardTable.day))
        let calm = try write("x")
        #expect(calm.flags == 0 && calm.geohash.isEmpty)
    }

    @Test("1 to 512 bytes without the blanks around them")
    func lengths() throws {
        #expect(throws: BoardPostFault.empty) { try write("") }
        #expect(throws: BoardPostFault.empty) { try write(" \t\n\u{3000}") }
        let full = try write("  " + String(repeating: "é", count: 256) + "  ")
        #expect(full.content.utf8.count == 512)
        #expect(throws: BoardPostFault.tooLong(bytes: 513)) { try write(String(repeating: "é", count: 256) + "x") }
    }

    @Test(
        "one to seven days, whatever is asked for",
        arguments: [
            (1, 1), (3, 3), (7, 7), (8, 7), (0, 1), (-5, 1), (Int.max, 7), (Int.min, 1),
        ] as [(Int, Int64)])
    func days(asked: Int, given: Int64) throws {
        let post = try write("x", days: asked)
        #expect(post.expiresAt == BoardTable.time(given * BoardTable.day))
    }

    @Test("a long name loses whole characters from its end")
    func nickname() throws {
        let family = "👨‍👩‍👧"
        #expect(family.utf8.count == 18)
        #expect(try write("x", nickname: String(repeating: "n", count: 64)).nickname.utf8.count == 64)
        #expect(try write("x", nickname: String(repeating: "n", count: 65)).nickname.utf8.count == 64)
        #expect(
            try write("x", nickname: String(repeating: family, count: 4)).nickname
                == String(repeating: family, count: 3))
        #expect(try write("x", nickname: "").nickname.isEmpty)
    }

    @Test("a place that is no geohash is refused", arguments: ["9Q8YY", "a", "9q8yykv551w2s", "9q 8", "é"])
    func places(place: String) { #expect(throws: BoardPostFault.notAGeohash) { try write("x", geohash: place) } }

    @Test("what is written is taken by the board")
    func ingested() throws {
        var table = BoardTable()
        let post = try write("x", days: 7)
        let notice = BoardNotice(signing: .post(post), with: BoardTable.seed(1), using: BoardTable.cryptography)
        let outcome = try table.bring(notice)
        #expect(outcome.verdict == .accepted)
    }
}
