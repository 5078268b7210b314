import CSQLite
import Domain
import Glibc

/// Makes and opens the journal's database file.
enum JournalSchema {
    /// `PRAGMA application_id`: the letters "Stch".
    static let applicationID: Int64 = 0x5374_6368

    /// One step for each schema version; `PRAGMA user_version` counts those that were taken. Never changed, only added to.
    ///
    /// Days, not times: retention needs no more, and who finds the disk shall not read when we talked. For the same reason
    /// `changed` counts changes. The sequence is AUTOINCREMENT so that it goes on rising when every event was pruned.
    static let migrations = [
        """
        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT, day INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT;
        CREATE INDEX eventDay ON event (day);
        CREATE TABLE identity (
            tag BLOB PRIMARY KEY, isAuthenticated INTEGER NOT NULL, changed INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identityAge ON identity (isAuthenticated, changed);
        CREATE TABLE keyCheck (one INTEGER PRIMARY KEY CHECK (one = 1), sealed BLOB NOT NULL) STRICT;
        """,
        // `expires` is a day: the first that begins when the entry has expired. The partial index has no row for what
        // never expires. No index for the reading at the start: it reads every row, and each write would pay for it.
        """
        CREATE TABLE record (
            kind INTEGER NOT NULL, tag BLOB NOT NULL, expires INTEGER, changed INTEGER NOT NULL, sealed BLOB NOT NULL,
            PRIMARY KEY (kind, tag)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX recordExpiry ON record (expires) WHERE expires IS NOT NULL;
        CREATE INDEX recordAge ON record (kind, changed);
        """,
    ]

    /// Opens the database, makes it where there is none, and brings its schema up to date.
    ///
    /// - Parameter verify: Looks at a database that has been used before, and refuses it by throwing; nothing has been
    ///   changed by then.
    static func open(
        _ path: String, pageLimit: Int?, verifying verify: (SQLiteConnection) throws(JournalError) -> Void
    ) throws(JournalError) -> SQLiteConnection {
        try makeFile(path)
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; \(noTemporaryFiles)")
        try check(connection)
        if try connection.number("PRAGMA user_version") ?? 0 > 0 { try verify(connection) }
        // WAL: readers never wait for the writer. FULL: every commit is flushed before it is reported; with NORMAL a power
        // cut would take back what the node has told others it holds.
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .unusable(path: path, reason: "the file system does not support write-ahead logging")
        }
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304")
        // What was deleted is overwritten, so that a used prekey does not lie on in a free page.
        try connection.execute("PRAGMA secure_delete = ON")
        if let pageLimit { _ = try connection.number("PRAGMA max_page_count = \(pageLimit)") }
        try migrate(connection)
        return connection
    }

    /// Sorting a large table must not leave anything outside our directory.
    private static let noTemporaryFiles = "PRAGMA temp_store = MEMORY"

    /// What a sequence goes on from that follows a log which cannot be read: the time in milliseconds. No log has ever held
    /// as many events, so that a cursor into the old one is known as one, and passes over nothing.
    static func sequenceStart(at time: WallTime) -> UInt64 { min(time.milliseconds, 1 << 52) }

    /// Lets the sequence of a new database go on from ``sequenceStart(at:)``.
    static func beginSequence(at time: WallTime, _ connection: SQLiteConnection) throws(JournalError) {
        try connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', \(sequenceStart(at: time)))")
    }

    /// A second connection, that only reads.
    static func openForReading(_ path: String) throws(JournalError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; \(noTemporaryFiles)")
        return connection
    }

    /// SQLite would make the file readable for others; its companion files take over its mode.
    private static func makeFile(_ path: String) throws(JournalError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
        close(file)
        let directory = path.lastIndex(of: "/").map { path[..<$0] }.map { $0.isEmpty ? "/" : String($0) } ?? "."
        let handle = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw .unusable(path: directory, reason: String(cString: strerror(errno))) }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw .unusable(path: directory, reason: String(cString: strerror(errno))) }
    }

    private static func check(_ connection: SQLiteConnection) throws(JournalError) {
        let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
        let application = try connection.number("PRAGMA application_id") ?? 0
        guard application == applicationID || isEmpty && application == 0 else {
            throw .foreign(path: connection.path)
        }
        let version = Int(try connection.number("PRAGMA user_version") ?? 0)
        guard version <= migrations.count else { throw .newerSchema(path: connection.path, version: version) }
        guard version >= 0 else { throw .foreign(path: connection.path) }
        guard try connection.text("PRAGMA quick_check(1)") == "ok" else {
            throw .failed(path: connection.path, code: SQLITE_CORRUPT, reason: "the database is damaged")
        }
    }

    private static func migrate(_ connection: SQLiteConnection) throws(JournalError) {
        let version = Int(try connection.number("PRAGMA user_version") ?? 0)
        for (index, step) in migrations.enumerated().dropFirst(max(version, 0)) {
            try connection.transaction { () throws(JournalError) in
                try connection.execute(step)
                try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(index + 1)")
            }
        }
    }

    /// Renames a corrupt database and its companions, so that a new one can be made and the old one still be rescued.
    ///
    /// - Returns: The database's new path.
    static func setAside(_ path: String, at time: WallTime) throws(JournalError) -> String {
        let stem = "\(path).corrupt-\(time.milliseconds)"
        var aside = stem
        var attempt = 1
        while access(aside, F_OK) == 0 {
            aside = "\(stem)-\(attempt)"
            attempt += 1
        }
        // The database last: a crash in between finds it in its place and corrupt, and does this again.
        for suffix in ["-wal", "-shm", ""] {
            guard rename(path + suffix, aside + suffix) == 0 || errno == ENOENT && !suffix.isEmpty else {
                throw .unusable(path: path + suffix, reason: String(cString: strerror(errno)))
            }
        }
        return aside
    }
}

extension JournalError {
    /// Whether SQLite says that the file's contents are broken.
    var isCorruption: Bool {
        if case .failed(_, let code, _) = self {
            // The low byte is the primary result code.
            code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
        } else {
            false
        }
    }
}
