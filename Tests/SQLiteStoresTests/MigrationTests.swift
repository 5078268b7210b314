import Application
import Domain
import Support
import Testing

@testable import SQLiteStores

@Suite("Migration of the journal")
struct MigrationTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    /// Version 1 as it was released: a copy, so that nobody changes a step that databases have taken.
    private static let version1 = """
        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT, day INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT;
        CREATE INDEX eventDay ON event (day);
        CREATE TABLE identity (
            tag BLOB PRIMARY KEY, isAuthenticated INTEGER NOT NULL, changed INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identityAge ON identity (isAuthenticated, changed);
        CREATE TABLE keyCheck (one INTEGER PRIMARY KEY CHECK (one = 1), sealed BLOB NOT NULL) STRICT;
        """

    /// A database as version 1 left it, with three events and two peers.
    private func makeVersion1() throws {
        try home.directory.write([], to: "satchel.db")
        let connection = try home.database()
        _ = try connection.text("PRAGMA journal_mode = WAL")
        try connection.execute(Self.version1)
        try connection.execute("PRAGMA application_id = 1400136552; PRAGMA user_version = 1")
        let seal = home.seal()
        let key = try connection.prepare("INSERT INTO keyCheck (one, sealed) VALUES (1, ?1)")
        key.bind(seal.seal([], for: .keyCheck), at: 1)
        try key.run()
        let log = try connection.prepare("INSERT INTO event (sequence, day, sealed) VALUES (?1, 19675, ?2)")
        for number in 1...3 {
            log.bind(Int64(number), at: 1)
            log.bind(seal.seal(event(number).json.encoded, for: .event(UInt64(number))), at: 2)
            try log.run()
        }
        let pin = try connection.prepare(
            "INSERT INTO identity (tag, isAuthenticated, changed, sealed) VALUES (?1, 0, ?2, ?3)")
        for number in 1...2 {
            let tag = seal.tag(of: identity(number).noiseKey)
            pin.bind(tag, at: 1)
            pin.bind(Int64(number), at: 2)
            pin.bind(seal.seal(identity(number).json.encoded, for: .identity(tag)), at: 3)
            try pin.run()
        }
    }

    @Test("a database of version 1 keeps everything and takes entries")
    func version1() throws {
        try makeVersion1()
        let journal = try home.open()
        #expect(journal.setAside == nil)
        #expect(try home.database().number("PRAGMA user_version") == Int64(JournalSchema.migrations.count))
        #expect(try journal.events(after: 0, limit: 9).map(\.event) == (1...3).map { event($0) })
        #expect(try journal.identities().records == [identity(1), identity(2)])
        #expect(try journal.records().records.isEmpty)
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        _ = journal.append([.put(.metric(.queued, 1)), .event(event(4)), .identity(identity(1))])
        journal.close()
        #expect(recorder.all == [.committed(1), .logged(4)])
        let again = try home.open()
        #expect(try again.records().records == [.metric(.queued, 1)])
        #expect(try again.identities().records == [identity(2), identity(1)])
        #expect(try again.bounds() == 1...4)
    }

    @Test("the first step is the one that version 1 took")
    func unchanged() { #expect(JournalSchema.migrations.first == Self.version1) }

    @Test("a migration that does not come to its end leaves version 1, and the next start takes it up")
    func interrupted() throws {
        try makeVersion1()
        // The second step cannot make its table.
        try home.database().execute("CREATE TABLE recordAge (a)")
        #expect(throws: JournalError.self) { try home.open() }
        #expect(try home.database().number("PRAGMA user_version") == 1)
        #expect(try home.database().number("SELECT count(*) FROM sqlite_schema WHERE name = 'record'") == 0)
        try home.database().execute("DROP TABLE recordAge")
        #expect(try home.open().bounds() == 1...3)
    }

    @Test("a database of version 1 of another identity is refused and not migrated")
    func wrongKey() throws {
        try makeVersion1()
        let before = try home.directory.read("satchel.db")
        #expect(throws: JournalError.wrongDataKey(path: home.path)) { try home.open(key: 8) }
        #expect(try home.directory.read("satchel.db") == before)
        #expect(try home.directory.names() == ["satchel.db"])
        #expect(try home.open().bounds() == 1...3)
    }
}
