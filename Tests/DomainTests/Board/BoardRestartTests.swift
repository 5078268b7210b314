import Domain
import Testing

@Suite("The board across restarts")
struct BoardRestartTests {
    private typealias Table = BoardTable
    private static let week = 7 * BoardTable.day

    private func restore(_ entry: StoredNotice, to board: inout NoticeBoard, at offset: Int64 = 0) -> BoardOutcome {
        board.restore(entry, at: Table.time(offset), using: Table.cryptography, PacketTools.compression)
    }

    @Test("what was written down makes the same board")
    func same() throws {
        var table = BoardTable()
        for id in 1...5 { _ = try table.bring(Table.post(UInt128(id), created: Int64(-id))) }
        _ = try table.bring(Table.removal(3))
        _ = try table.bring(Table.removal(9, by: 2))
        _ = try table.bring(Table.post(9, by: 3))
        let again = table.restarted(at: Table.start)
        #expect(again.entries(at: Table.start) == table.board.entries(at: Table.start))
        #expect(again.entries(at: Table.start).count == 7)
    }

    @Test("a store cannot bring in what a neighbour could not")
    func refused() throws {
        let payload = try #require(try Table.post(1).encoded)
        var forged = payload
        forged[forged.count - 1] ^= 1
        let frames: [([UInt8], BoardRefusal)] = [
            ([], .malformed), ([UInt8](repeating: 0xFF, count: 300), .malformed),
            (try Table.packet(Array(payload.dropLast())).plainFrame(), .malformed),
            (try Table.packet(forged).plainFrame(), .badSignature),
            (try Table.packet(payload).plainFrame() + [UInt8](repeating: 0, count: 2048), .tooLong),
        ]
        var board = NoticeBoard()
        for (frame, refusal) in frames {
            let entry = StoredNotice(frame: frame, retainUntil: Table.time(Table.day), isOrphan: false)
            let outcome = restore(entry, to: &board)
            #expect(outcome.verdict == .rejected(refusal))
        }
        let entry = StoredNotice(
            frame: try Table.packet(payload).plainFrame(), retainUntil: Table.time(90 * Table.day), isOrphan: false)
        let late = restore(entry, to: &board, at: Table.day)
        #expect(late.verdict == .rejected(.expired))
        // A notice's own end counts, not the stored one.
        let outcome = restore(entry, to: &board)
        #expect(outcome.added?.retainUntil == Table.time(Table.day))
    }

    @Test(
        "a removal keeps the time it was given, but no longer than its date allows",
        arguments: [
            (0, Table.day, Table.day), (0, 90 * Table.day, week), (-Table.day, week, week - Table.day),
            (90 * Table.day, 365 * Table.day, week + Table.hour), (-week, Table.day, 0), (0, 0, 0), (0, -1, 0),
        ] as [(Int64, Int64, Int64)])
    func bounded(deleted: Int64, stored: Int64, kept: Int64) throws {
        let payload = try #require(Table.removal(1, deleted: deleted).encoded)
        let entry = StoredNotice(
            frame: try Table.packet(payload).plainFrame(), retainUntil: Table.time(stored), isOrphan: false)
        var board = NoticeBoard()
        let outcome = restore(entry, to: &board)
        #expect(outcome.verdict == (kept > 0 ? .accepted : .rejected(.expired)))
        #expect(outcome.added?.retainUntil == (kept > 0 ? Table.time(kept) : nil))
        #expect(outcome.added?.isOrphan != true)
    }

    @Test("the removal of a notice that was here takes no orphan's place after a restart")
    func removalsAreNoOrphans() throws {
        var table = BoardTable()
        for id in 1...8 {
            _ = try table.bring(Table.post(UInt128(id)))
            _ = try table.bring(Table.removal(UInt128(id)))
        }
        #expect(table.restarted(at: Table.start).entries(at: Table.start).count == 8)
    }

    @Test("an orphan is one after a restart too: else each restart would make room for as many again")
    func orphansStay() throws {
        var table = BoardTable()
        for round in 0..<4 {
            for id in 1...5 { _ = try table.bring(Table.removal(UInt128(round * 5 + id))) }
            table.board = table.restarted(at: Table.start)
            #expect(table.removals() == BoardPolicy.orphansPerAuthor, "after restart \(round)")
        }
        #expect(table.stored.count == BoardPolicy.orphansPerAuthor)
    }

    @Test("an orphan from the far future is not kept longer by restarting")
    func farFuture() throws {
        var table = BoardTable()
        _ = try table.bring(Table.removal(1, deleted: 900 * Table.day))
        for days in 1...7 { table.board = table.restarted(at: Table.time(Int64(days) * Table.day)) }
        #expect(table.removals(at: Self.week + Table.hour - 1) == 1)
        #expect(table.removals(at: Self.week + Table.hour) == 0)
    }
}
