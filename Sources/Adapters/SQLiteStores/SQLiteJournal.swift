import Application
import Dispatch
import Domain
import Synchronization

/// The journal and the event log in one SQLite database.
///
/// What waits while the disk is busy is written in one transaction with one flush, so that a slow SD card costs latency
/// and not throughput. Events, peers and the stores' entries are sealed under the vault's data key; without it the file
/// tells how many there are of which kind, of which day or until which one, and how long they are.
///
/// Unchecked: `writer` is touched only on `queue`; everything else that changes is behind a mutex.
public final class SQLiteJournal<C: Cryptography>: NodeJournal, @unchecked Sendable {
    /// Where a corrupt database was moved that lay in our place at the start; `nil` when all was well.
    public let setAside: String?
    private let seal: JournalSeal<C>
    private let policy: JournalPolicy
    private let now: @Sendable () -> WallTime
    private let queue = DispatchQueue(label: "satchel.journal")
    private let pending: Mutex<JournalQueue>
    private let reader: Mutex<JournalReader?>
    private var writer: JournalWriter<C>?

    /// Opens the database at `path`, makes it where there is none, and brings its schema up to date.
    ///
    /// A database that SQLite calls corrupt is set aside under another name, never deleted, and a new one made; its
    /// sequence begins above every cursor into the old one.
    ///
    /// - Parameters:
    ///   - dataKey: 32 bytes; the vault's ``IdentityKeys/data``.
    ///   - makeNonce: Draws a random nonce.
    ///   - now: The wall clock, for retention.
    public init(
        path: String, dataKey: C.Secret, cryptography: C, policy: JournalPolicy = JournalPolicy(),
        makeNonce: @escaping @Sendable () -> AEADNonce, now: @escaping @Sendable () -> WallTime
    ) throws(JournalError) {
        let seal = JournalSeal(dataKey: dataKey, cryptography: cryptography, makeNonce: makeNonce)
        func open() throws(JournalError) -> SQLiteConnection {
            try JournalSchema.open(path, pageLimit: policy.pageLimit) { connection throws(JournalError) in
                _ = try Self.hasKey(connection, seal)
            }
        }
        let connection: SQLiteConnection
        do {
            connection = try open()
            setAside = nil
        } catch {
            guard error.isCorruption else { throw error }
            setAside = try JournalSchema.setAside(path, at: now())
            connection = try open()
            try JournalSchema.beginSequence(at: now(), connection)
        }
        if try !Self.hasKey(connection, seal) {
            let insert = try connection.prepare("INSERT INTO keyCheck (one, sealed) VALUES (1, ?1)")
            insert.bind(seal.seal([], for: .keyCheck), at: 1)
            try insert.run()
        }
        self.seal = seal
        self.policy = policy
        self.now = now
        let writer = try JournalWriter(connection, seal: seal, policy: policy)
        // A disk that is full now must not keep the node from starting; reading passes over what has expired anyway.
        try? writer.purge(at: now())
        self.writer = writer
        reader = Mutex(try JournalReader(connection: JournalSchema.openForReading(path)))
        pending = Mutex(JournalQueue(limit: policy.queueLimit))
    }

    /// Whether the database was sealed under our key; `false` when no key was noted in it. Another key is refused.
    private static func hasKey(_ connection: SQLiteConnection, _ seal: JournalSeal<C>) throws(JournalError) -> Bool {
        let statement = try connection.prepare("SELECT sealed FROM keyCheck")
        defer { statement.reset() }
        guard try statement.step() else { return false }
        guard seal.open(statement.bytes(at: 0), for: .keyCheck) != nil else {
            throw .wrongDataKey(path: connection.path)
        }
        return true
    }

    /// Begins to write, what was appended before included.
    public func start(reporting reports: JournalReports) {
        let isDue = pending.withLock { $0.start(reports) }
        if isDue { queue.async { self.drain() } }
    }

    /// Queues changes that belong together and returns at once.
    public func append(_ changes: [JournalChange]) -> CommitID {
        let (id, isDue) = pending.withLock { $0.append(changes) }
        if isDue { queue.async { self.drain() } }
        return id
    }

    /// Writes what is queued, reports it, and closes the files. Later appends fail. Never from a report.
    public func close() {
        pending.withLock { $0.close() }
        queue.sync {
            drain()
            writer = nil
        }
        reader.withLock { $0 = nil }
    }

    private func drain() {
        while let (entries, reports) = pending.withLock({ $0.take() }) { commit(entries, reports) }
    }

    private func commit(_ entries: [JournalQueue.Entry], _ reports: JournalReports?) {
        let changes = entries.flatMap(\.changes)
        let before = writer?.lastSequence ?? 0
        var failure: String?
        do throws(JournalError) {
            guard let writer else { throw .closed }
            if !changes.isEmpty { try writer.write(changes, at: now()) }
        } catch {
            failure = error.description
        }
        guard let reports else { return }
        reports.report(entries, failure: failure)
        if let last = writer?.lastSequence, last > before { reports.logged(last) }
    }
}

extension SQLiteJournal {
    /// The peers' records, for the start of the node; the one that changed longest ago first.
    ///
    /// - Returns: The records, and the number of rows that are not ours or were damaged, which are left out.
    public func identities() throws(JournalError) -> (records: [PeerIdentity], damaged: Int) {
        try read { reader throws(JournalError) in
            var records: [PeerIdentity] = []
            var damaged = 0
            try reader.identities { tag, sealed in
                if let plaintext = seal.open(sealed, for: .identity(tag)),
                    let json = try? JSONValue(parsing: plaintext),
                    let record = try? PeerIdentity(json: json)
                {
                    records.append(record)
                } else {
                    damaged += 1
                }
            }
            return (records, damaged)
        }
    }

    /// The entries of all stores that have not expired, for the start of the node; the one that changed longest ago first.
    ///
    /// - Returns: The entries, and the number of rows that are not ours, were damaged, or are of a kind that this version
    ///   does not know; they are left out.
    public func records() throws(JournalError) -> (records: [Record], damaged: Int) {
        let time = now()
        return try read { reader throws(JournalError) in
            var records: [Record] = []
            var damaged = 0
            try reader.records(onDay: Int64(clamping: time.milliseconds / 86_400_000)) { kind, tag, sealed in
                if let kind = UInt8(exactly: kind),
                    let plaintext = seal.open(sealed, for: .record(kind: kind, tag: tag)),
                    let json = try? JSONValue(parsing: plaintext),
                    let record = try? Record(json: json)
                {
                    if !record.isExpired(at: time) { records.append(record) }
                } else {
                    damaged += 1
                }
            }
            return (records, damaged)
        }
    }

    /// At most `limit` events with a sequence above `sequence`, in order. A row that does not open is left out: one
    /// broken row must not hide all that follow.
    public func events(after sequence: UInt64, limit: Int) throws -> [LoggedEvent] {
        try read { reader throws(JournalError) in
            var events: [LoggedEvent] = []
            guard limit > 0 else { return events }
            try reader.events(after: Int64(clamping: sequence)) { sequence, sealed in
                if let plaintext = seal.open(sealed, for: .event(sequence)),
                    let json = try? JSONValue(parsing: plaintext),
                    let event = try? Event(json: json)
                {
                    events.append(LoggedEvent(sequence: sequence, event: event))
                }
                return events.count < limit
            }
            return events
        }
    }

    /// The lowest and the highest sequence kept; `nil` when the log is empty.
    public func bounds() throws -> ClosedRange<UInt64>? {
        try read { reader throws(JournalError) in try reader.bounds() }
    }

    private func read<Result: Sendable>(
        _ body: (JournalReader) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try reader.withLock { reader throws(JournalError) in
            guard let reader else { throw .closed }
            return try body(reader)
        }
    }
}
