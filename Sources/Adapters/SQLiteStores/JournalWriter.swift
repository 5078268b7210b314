import Application
import Domain

/// Writes groups of changes, each in one transaction. Lives on the journal's queue.
final class JournalWriter<C: Cryptography> {
    private let connection: SQLiteConnection
    private let seal: JournalSeal<C>
    private let policy: JournalPolicy
    private let insertEvent: SQLiteStatement
    private let pruneEvents: SQLiteStatement
    private let pruneDays: SQLiteStatement
    private let upsertIdentity: SQLiteStatement
    private let pruneIdentities: SQLiteStatement
    private let records: RecordTable<C>
    private var lastChange: Int64
    private var prunedDay: Int64?
    /// The sequence of the last event that is durable; 0 before the first.
    private(set) var lastSequence: UInt64

    init(_ connection: SQLiteConnection, seal: JournalSeal<C>, policy: JournalPolicy) throws(JournalError) {
        self.connection = connection
        self.seal = seal
        self.policy = policy
        insertEvent = try connection.prepare("INSERT INTO event (sequence, day, sealed) VALUES (?1, ?2, ?3)")
        pruneEvents = try connection.prepare("DELETE FROM event WHERE sequence <= ?1")
        pruneDays = try connection.prepare("DELETE FROM event WHERE day < ?1 AND sequence <= ?2")
        upsertIdentity = try connection.prepare(
            """
            INSERT INTO identity (tag, isAuthenticated, changed, sealed) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (tag) DO UPDATE SET
                isAuthenticated = excluded.isAuthenticated, changed = excluded.changed, sealed = excluded.sealed
            """)
        pruneIdentities = try connection.prepare(
            """
            DELETE FROM identity WHERE tag IN (
                SELECT tag FROM identity ORDER BY isAuthenticated, changed
                LIMIT max(0, (SELECT count(*) FROM identity) - ?1))
            """)
        records = try RecordTable(connection, seal: seal, policy: policy)
        let sequence = try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
        lastSequence = UInt64(clamping: sequence)
        lastChange = try connection.number("SELECT max(changed) FROM identity") ?? 0
    }

    /// Makes all changes durable, or none of them.
    func write(_ changes: [JournalChange], at time: WallTime) throws(JournalError) {
        var sequence = lastSequence
        var change = lastChange
        let day = Int64(clamping: time.milliseconds / 86_400_000)
        try attempt { () throws(JournalError) in
            for entry in changes {
                switch entry {
                case .event(let event):
                    sequence += 1
                    try insert(event, at: sequence, day: day)
                case .identity(let identity):
                    change += 1
                    try keep(identity, at: change)
                case .put(let record): try records.put(record)
                case .remove(let key): try records.remove(key)
                }
            }
            if sequence > lastSequence { try pruneEvents(upTo: sequence, day: day) }
            if change > lastChange {
                pruneIdentities.bind(Int64(policy.identityLimit), at: 1)
                try pruneIdentities.run()
            }
            try records.bound()
            try records.purge(at: time)
        }
        if sequence > lastSequence { prunedDay = day }
        lastSequence = sequence
        lastChange = change
    }

    /// Deletes entries that have expired.
    func purge(at time: WallTime) throws(JournalError) {
        try attempt { () throws(JournalError) in try records.purge(at: time) }
    }

    private func attempt(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        let state = records.state
        do {
            try connection.transaction(body)
        } catch {
            records.restore(state)
            overwriteFailure()
            throw error
        }
    }

    /// When only the flush fails, the transaction lies in the write-ahead log as a whole, and a start after a crash would
    /// take it for durable, though it was reported as failed. A write without meaning takes its place. When that fails
    /// too, there is nothing left to do.
    private func overwriteFailure() {
        try? connection.execute("PRAGMA user_version = \(JournalSchema.migrations.count)")
    }

    private func insert(_ event: Event, at sequence: UInt64, day: Int64) throws(JournalError) {
        insertEvent.bind(Int64(clamping: sequence), at: 1)
        insertEvent.bind(day, at: 2)
        insertEvent.bind(seal.seal(event.json.encoded, for: .event(sequence)), at: 3)
        try insertEvent.run()
    }

    private func keep(_ identity: PeerIdentity, at change: Int64) throws(JournalError) {
        let tag = seal.tag(of: identity.noiseKey)
        upsertIdentity.bind(tag, at: 1)
        upsertIdentity.bind(identity.isSigningKeyAuthenticated ? 1 : 0, at: 2)
        upsertIdentity.bind(change, at: 3)
        upsertIdentity.bind(seal.seal(identity.json.encoded, for: .identity(tag)), at: 4)
        try upsertIdentity.run()
    }

    private func pruneEvents(upTo sequence: UInt64, day: Int64) throws(JournalError) {
        let last = Int64(clamping: sequence)
        pruneEvents.bind(last - Int64(policy.eventLimit), at: 1)
        try pruneEvents.run()
        // Age is looked at once a day and at start; the day's first group pays for it.
        guard prunedDay != day else { return }
        pruneDays.bind(day - policy.eventDays, at: 1)
        pruneDays.bind(last - Int64(policy.eventMinimum), at: 2)
        try pruneDays.run()
    }
}
