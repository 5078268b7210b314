/// Reads on a connection of its own, so that a reader never waits for a flush.
///
/// Unchecked: SQLite does not bind a connection to a thread, and the owner lets one in at a time.
final class JournalReader: @unchecked Sendable {
    private let connection: SQLiteConnection

    init(connection: SQLiteConnection) { self.connection = connection }

    /// Hands over rows in order until `body` answers `false`.
    func events(after sequence: Int64, _ body: (UInt64, [UInt8]) -> Bool) throws(JournalError) {
        let statement = try connection.prepare(
            "SELECT sequence, sealed FROM event WHERE sequence > ?1 ORDER BY sequence")
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        while try statement.step() {
            guard let sequence = statement.number(at: 0), body(UInt64(clamping: sequence), statement.bytes(at: 1))
            else {
                return
            }
        }
    }

    func bounds() throws(JournalError) -> ClosedRange<UInt64>? {
        let statement = try connection.prepare(
            "SELECT (SELECT min(sequence) FROM event), (SELECT max(sequence) FROM event)")
        defer { statement.reset() }
        guard try statement.step(), let low = statement.number(at: 0), let high = statement.number(at: 1), low <= high
        else { return nil }
        return UInt64(clamping: low)...UInt64(clamping: high)
    }

    /// Hands over every peer's tag and sealed record.
    func identities(_ body: ([UInt8], [UInt8]) -> Void) throws(JournalError) {
        let statement = try connection.prepare("SELECT tag, sealed FROM identity ORDER BY changed")
        defer { statement.reset() }
        while try statement.step() { body(statement.bytes(at: 0), statement.bytes(at: 1)) }
    }

    /// Hands over kind, tag and sealed content of every entry that had not expired when the day began; the one that
    /// changed longest ago first.
    func records(onDay day: Int64, _ body: (Int64, [UInt8], [UInt8]) -> Void) throws(JournalError) {
        let statement = try connection.prepare(RecordSQL.read)
        defer { statement.reset() }
        statement.bind(day, at: 1)
        while try statement.step() {
            body(statement.number(at: 0) ?? 0, statement.bytes(at: 1), statement.bytes(at: 2))
        }
    }
}
