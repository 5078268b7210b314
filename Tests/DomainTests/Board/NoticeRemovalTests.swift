import Domain
import Testing

@Suite("Removed notices")
struct NoticeRemovalTests {
    private typealias Table = BoardTable
    private static let week = 7 * BoardTable.day

    @Test("the author's removal takes the notice down, and keeps it down until it would have ended")
    func removal() throws {
        var table = BoardTable()
        _ = try table.bring(Table.post(1))
        let outcome = try table.bring(Table.removal(1), at: 5)
        #expect(outcome.verdict == .accepted && outcome.removed == [.post(1)])
        #expect(outcome.added?.retainUntil == Table.time(Table.day) && outcome.added?.isOrphan == false)
        let again = try table.bring(Table.removal(1), at: 6)
        let post = try table.bring(Table.post(1), at: 7)
        #expect(again.verdict == .duplicate && post.verdict == .rejected(.takenDown))
        #expect(table.posts(at: 7).isEmpty && table.removals(at: Table.day - 1) == 1)
        #expect(table.removals(at: Table.day) == 0)
    }

    @Test("a stranger's removal is refused, and the notice stays (39)")
    func stranger() throws {
        var table = BoardTable()
        _ = try table.bring(Table.post(1))
        let outcome = try table.bring(Table.removal(1, by: 2))
        #expect(outcome.verdict == .rejected(.notTheAuthor) && table.posts() == [1] && table.removals() == 0)
    }

    @Test("a removal that comes first keeps the notice away, and it is not relayed (39)")
    func orphan() throws {
        var table = BoardTable()
        let outcome = try table.bring(Table.removal(1))
        #expect(outcome.verdict == .accepted && outcome.added?.isOrphan == true)
        let post = try table.bring(Table.post(1))
        #expect(post.verdict == .rejected(.takenDown) && !post.verdict.isRelayed && table.posts().isEmpty)
    }

    @Test("REF-GAP: a stranger's removal that came first does not make the author's one a duplicate")
    func squattedRemoval() throws {
        // Judged by the notice alone, the second removal would be a duplicate and the notice could never be taken down.
        var table = BoardTable()
        let squatter = try table.bring(Table.removal(1, by: 2))
        let post = try table.bring(Table.post(1))
        let author = try table.bring(Table.removal(1))
        #expect(squatter.verdict == .accepted && post.verdict == .accepted)
        #expect(author.verdict == .accepted && author.removed == [.post(1)])
        #expect(table.posts().isEmpty && table.removals() == 2)
        let again = try table.bring(Table.post(1))
        #expect(again.verdict == .rejected(.takenDown))
    }

    @Test(
        "one for a notice never seen is kept for a week from its date, at most a week and an hour from now (39)",
        arguments: [
            (0, week), (-1000, week - 1000), (Table.hour, week + Table.hour), (Table.hour + 1, week + Table.hour),
            (500 * Table.day, week + Table.hour), (-week + 1, 1), (-week, 0), (-week - 1, 0),
        ] as [(Int64, Int64)])
    func orphanTimes(deleted: Int64, kept: Int64) throws {
        var table = BoardTable()
        let outcome = try table.bring(Table.removal(1, deleted: deleted))
        #expect(outcome.verdict == (kept > 0 ? .accepted : .rejected(.expired)))
        #expect(outcome.added?.retainUntil == (kept > 0 ? Table.time(kept) : nil))
    }

    @Test("a date at the end of time wraps around, as the phones let it")
    func wrapped() throws {
        var table = BoardTable()
        let last = WallTime(milliseconds: .max)
        let outcome = try table.bring(Table.removal(1, by: 1, at: last))
        #expect(outcome.verdict == .rejected(.expired))
    }

    @Test("whatever its date, the removal of a notice that is here lasts as long as the notice")
    func oldDate() throws {
        var table = BoardTable()
        _ = try table.bring(Table.post(1))
        let outcome = try table.bring(Table.removal(1, deleted: -30 * Table.day))
        #expect(outcome.verdict == .accepted && outcome.added?.retainUntil == Table.time(Table.day))
    }

    @Test("the sixth orphan of an author evicts the first received, whatever the dates (39)")
    func orphansPerAuthor() throws {
        var table = BoardTable()
        for id in 1...5 { _ = try table.bring(Table.removal(UInt128(id), deleted: Int64(-id))) }
        let sixth = try table.bring(Table.removal(6, deleted: -100))
        #expect(sixth.verdict == .accepted && sixth.removed == [.tombstone(1, by: Table.key(1))])
        let other = try table.bring(Table.removal(7, by: 2))
        #expect(other.removed.isEmpty && table.removals() == 6)
        let freed = try table.bring(Table.post(1))
        #expect(freed.verdict == .accepted)
    }

    @Test("beyond 100 orphans the first received goes")
    func orphansInAll() throws {
        var table = BoardTable()
        for number in 0..<BoardPolicy.orphans { _ = try table.bring(Table.removal(UInt128(number), by: number / 5)) }
        let more = try table.bring(Table.removal(1000, by: 50))
        #expect(more.removed == [.tombstone(0, by: Table.key(0))] && table.removals() == BoardPolicy.orphans)
    }

    @Test("one who posts and deletes in turns fills nothing: 20 removals of an author are kept, the last ones")
    func postingAndDeleting() throws {
        var table = BoardTable()
        for id in 1...50 {
            _ = try table.bring(Table.post(UInt128(id)))
            _ = try table.bring(Table.removal(UInt128(id)))
        }
        #expect(table.posts().isEmpty && table.removals() == BoardPolicy.removalsPerAuthor)
        #expect(table.board.entry(.tombstone(31, by: Table.key(1)), at: Table.start) != nil)
        #expect(table.board.entry(.tombstone(30, by: Table.key(1)), at: Table.start) == nil)
        #expect(table.stored.count == BoardPolicy.removalsPerAuthor)
    }

    @Test("a crowd that posts and deletes fills nothing either")
    func crowd() throws {
        var table = BoardTable()
        for number in 0..<(BoardPolicy.removals + 10) {
            _ = try table.bring(Table.post(UInt128(number), by: number / 10))
            _ = try table.bring(Table.removal(UInt128(number), by: number / 10))
        }
        #expect(table.removals() == BoardPolicy.removals)
    }

    @Test("others are given the notices first, then the removals, each in the order received")
    func candidates() throws {
        var table = BoardTable()
        _ = try table.bring(Table.removal(9, by: 2))
        _ = try table.bring(Table.post(3, created: -5))
        _ = try table.bring(Table.post(1))
        _ = try table.bring(Table.post(2, created: -9))
        _ = try table.bring(Table.removal(1))
        _ = try table.bring(Table.removal(8, by: 2))
        let keys = table.board.entries(at: Table.start).map(\.key)
        let tombstones: [BoardKey] = [
            .tombstone(9, by: Table.key(2)), .tombstone(1, by: Table.key(1)), .tombstone(8, by: Table.key(2)),
        ]
        #expect(keys == [.post(3), .post(2)] + tombstones)
    }

    @Test("a removal is written for one's own notice that is here, and for no other (§6.3)")
    func writing() throws {
        var table = BoardTable()
        _ = try table.bring(Table.post(1))
        let board = table.board
        #expect(
            board.tombstone(for: 1, by: Table.key(1), at: Table.time(5))
                == BoardTombstone(id: 1, deletedAt: Table.time(5)))
        #expect(board.tombstone(for: 1, by: Table.key(2), at: Table.time(5)) == nil)
        #expect(board.tombstone(for: 2, by: Table.key(1), at: Table.time(5)) == nil)
        #expect(board.tombstone(for: 1, by: Table.key(1), at: Table.time(Table.day)) == nil)
    }

    @Test("names as bytes differ by kind and author")
    func names() {
        let one = [UInt8](repeating: 0, count: 15) + [1]
        #expect(BoardKey.post(1).bytes == [1] + one)
        #expect(BoardKey.tombstone(1, by: Table.key(1)).bytes == [2] + one + Table.key(1).bytes.bytes)
    }
}
