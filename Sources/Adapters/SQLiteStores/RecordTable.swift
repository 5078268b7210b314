import Application
import Domain

/// The entries of the stores, one row for each, whatever its store. Lives on the journal's queue.
final class RecordTable<C: Cryptography> {
    /// What is known of the table without asking it; taken back when a transaction is.
    struct State {
        /// Rises with each change; no two rows have the same.
        fileprivate var lastChange: Int64
        /// Rows of each kind. Counting them would read the whole index with each commit.
        fileprivate var counts: [UInt8: Int]
        /// The day on which expired rows were last deleted.
        fileprivate var purgedDay: Int64?
    }

    private(set) var state: State
    private let connection: SQLiteConnection
    private let seal: JournalSeal<C>
    private let policy: JournalPolicy
    private let update: SQLiteStatement
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteExpired: SQLiteStatement
    private let deleteOldest: SQLiteStatement
    private let count: SQLiteStatement

    init(_ connection: SQLiteConnection, seal: JournalSeal<C>, policy: JournalPolicy) throws(JournalError) {
        self.connection = connection
        self.seal = seal
        self.policy = policy
        update = try connection.prepare(RecordSQL.update)
        insert = try connection.prepare(RecordSQL.insert)
        delete = try connection.prepare(RecordSQL.delete)
        deleteExpired = try connection.prepare(RecordSQL.deleteExpired)
        deleteOldest = try connection.prepare(RecordSQL.deleteOldest)
        count = try connection.prepare(RecordSQL.count)
        let lastChange = try connection.number("SELECT max(changed) FROM record") ?? 0
        state = State(lastChange: lastChange, counts: [:], purgedDay: nil)
        state.counts = try countRows()
    }

    private func countRows() throws(JournalError) -> [UInt8: Int] {
        defer { count.reset() }
        var counts: [UInt8: Int] = [:]
        while try count.step() {
            if let kind = count.number(at: 0).flatMap({ UInt8(exactly: $0) }), let rows = count.number(at: 1) {
                counts[kind] = Int(clamping: rows)
            }
        }
        return counts
    }

    /// Forgets what was noted during a transaction that did not come about.
    func restore(_ state: State) { self.state = state }

    /// Writes an entry in the place of the one with the same key.
    func put(_ record: Record) throws(JournalError) {
        try put(record.json, as: record.key, expiry: record.expiry)
    }

    func put(_ json: JSONValue, as key: RecordKey, expiry: WallTime?) throws(JournalError) {
        state.lastChange += 1
        let kind = key.kind.rawValue
        let tag = seal.tag(of: key)
        let sealed = seal.seal(json.encoded, for: .record(kind: kind, tag: tag))
        func run(_ statement: SQLiteStatement) throws(JournalError) -> Bool {
            statement.bind(Int64(kind), at: 1)
            statement.bind(tag, at: 2)
            if let expiry { statement.bind(Self.day(of: expiry), at: 3) }
            statement.bind(state.lastChange, at: 4)
            statement.bind(sealed, at: 5)
            try statement.run()
            return connection.changedRows > 0
        }
        // Two statements and not one upsert, which does not tell whether there is a row more now.
        if try !run(update) {
            _ = try run(insert)
            state.counts[kind, default: 0] += 1
        }
    }

    /// Deletes an entry, if there is one.
    func remove(_ key: RecordKey) throws(JournalError) {
        delete.bind(Int64(key.kind.rawValue), at: 1)
        delete.bind(seal.tag(of: key), at: 2)
        try delete.run()
        if connection.changedRows > 0 { state.counts[key.kind.rawValue, default: 0] -= 1 }
    }

    /// Deletes what has expired; more often than once a day there is nothing new to find.
    func purge(at time: WallTime) throws(JournalError) {
        let today = Int64(clamping: time.milliseconds / Self.dayLength)
        guard state.purgedDay != today else { return }
        deleteExpired.bind(today, at: 1)
        try deleteExpired.run()
        if connection.changedRows > 0 { state.counts = try countRows() }
        state.purgedDay = today
    }

    /// Deletes the oldest entries of a store that has too many.
    ///
    /// The last resort: the stores have bounds of their own and decide by them what goes. This one keeps a store that errs
    /// from filling the disk.
    func bound() throws(JournalError) {
        for kind in RecordKey.Kind.allCases {
            let limit = policy.recordLimits[kind] ?? 0
            let excess = state.counts[kind.rawValue, default: 0] - limit
            guard excess > 0 else { continue }
            deleteOldest.bind(Int64(kind.rawValue), at: 1)
            deleteOldest.bind(Int64(excess), at: 2)
            try deleteOldest.run()
            state.counts[kind.rawValue] = limit
        }
    }

    private static var dayLength: UInt64 { 86_400_000 }

    /// The first day that begins when the entry has expired.
    private static func day(of expiry: WallTime) -> Int64 {
        let (day, rest) = expiry.milliseconds.quotientAndRemainder(dividingBy: dayLength)
        return Int64(clamping: rest == 0 ? day : day + 1)
    }
}

/// The statements of the table, each with an index of its own; a test looks at their plans.
enum RecordSQL {
    static let update = "UPDATE record SET expires = ?3, changed = ?4, sealed = ?5 WHERE kind = ?1 AND tag = ?2"
    static let insert = "INSERT INTO record (kind, tag, expires, changed, sealed) VALUES (?1, ?2, ?3, ?4, ?5)"
    static let delete = "DELETE FROM record WHERE kind = ?1 AND tag = ?2"
    static let deleteExpired = "DELETE FROM record WHERE expires <= ?1"
    static let deleteOldest = """
        DELETE FROM record WHERE kind = ?1 AND tag IN (
            SELECT tag FROM record WHERE kind = ?1 ORDER BY changed LIMIT ?2)
        """
    static let count = "SELECT kind, count(*) FROM record GROUP BY kind"
    /// At a start; the exact expiry is in the sealed part.
    static let read = "SELECT kind, tag, sealed FROM record WHERE expires IS NULL OR expires > ?1 ORDER BY changed"
}
