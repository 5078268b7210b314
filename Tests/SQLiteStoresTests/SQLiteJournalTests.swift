import Application
import Domain
import Foundation
import Support
import Testing

@testable import SQLiteStores

@Suite("Journal")
struct SQLiteJournalTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    @Test("appends are numbered at once and committed as one group, in order")
    func group() throws {
        let journal = try home.open()
        let recorder = Recorder()
        let ids = (1...3).map { journal.append(.event(event($0))) }
        #expect(ids.map(\.rawValue) == [1, 2, 3])
        journal.start(reporting: recorder.reports)
        journal.close()
        #expect(recorder.all == [.committed(3), .logged(3)])
    }

    @Test("what is appended while it runs is reported without a gap, and all of it")
    func running() throws {
        let journal = try home.open()
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        for number in 1...500 { _ = journal.append(.event(event(number))) }
        journal.close()
        let committed = recorder.all.compactMap { if case .committed(let id) = $0 { id } else { nil } }
        #expect(committed == committed.sorted() && committed.last == 500)
        #expect(recorder.all.last == .logged(500))
        #expect(!recorder.all.contains { if case .failed = $0 { true } else { false } })
    }

    @Test("an identity is committed and no event is announced for it")
    func identityAlone() throws {
        let journal = try home.open()
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        _ = journal.append(.identity(identity(1)))
        journal.close()
        #expect(recorder.all == [.committed(1)])
    }

    @Test("events are read back in order, from a cursor, with a limit, while the journal runs")
    func history() throws {
        try home.log(1...10)
        let journal = try home.open()
        #expect(try journal.events(after: 0, limit: 100).map(\.sequence) == Array(1...10))
        #expect(try journal.events(after: 0, limit: 100).map(\.event) == (1...10).map { event($0) })
        #expect(try journal.events(after: 4, limit: 3).map(\.sequence) == [5, 6, 7])
        #expect(try journal.events(after: 10, limit: 3).isEmpty)
        #expect(try journal.events(after: .max, limit: 3).isEmpty)
        #expect(try journal.events(after: 0, limit: 0).isEmpty)
        #expect(try journal.bounds() == 1...10)
    }

    @Test("an empty log has no bounds")
    func empty() throws {
        let journal = try home.open()
        #expect(try journal.bounds() == nil)
        #expect(try journal.events(after: 0, limit: 9).isEmpty)
        #expect(journal.setAside == nil)
    }

    @Test("the sequence goes on after a restart, even when every event is gone")
    func restart() throws {
        try home.log(1...3)
        #expect(try home.log(4...5) == [.committed(2), .logged(5)])
        try home.database().execute("DELETE FROM event")
        try home.log(6...6)
        #expect(try home.open().events(after: 0, limit: 9).map(\.sequence) == [6])
    }

    @Test("a closed journal fails appends, and reads are refused")
    func closed() throws {
        let journal = try home.open()
        journal.close()
        #expect(throws: JournalError.closed) { try journal.events(after: 0, limit: 1) }
        let late = try home.open()
        let recorder = Recorder()
        late.start(reporting: recorder.reports)
        late.close()
        let id = late.append(.event(event(1)))
        late.close()
        #expect(recorder.all == [.failed(id.rawValue)])
        #expect(try home.open().bounds() == nil)
    }

    @Test("a queue that is full fails the newest appends, in their order")
    func fullQueue() throws {
        var policy = JournalPolicy()
        policy.queueLimit = 3
        let reports = try home.log(1...5, policy: policy)
        #expect(reports == [.committed(3), .failed(4), .failed(5), .logged(3)])
        #expect(try home.open().events(after: 0, limit: 9).map(\.event) == (1...3).map { event($0) })
    }

    @Test("only the newest events are kept")
    func eventLimit() throws {
        var policy = JournalPolicy()
        policy.eventLimit = 4
        try home.log(1...10, policy: policy)
        #expect(try home.open().bounds() == 7...10)
    }

    @Test("events go when their days are over, except for the newest ones")
    func eventDays() throws {
        var policy = JournalPolicy()
        policy.eventMinimum = 3
        try home.log(1...10, policy: policy)
        home.passDays(30)
        try home.log(11...11, policy: policy)
        #expect(try home.open().bounds() == 1...11)
        home.passDays(1)
        try home.log(12...12, policy: policy)
        #expect(try home.open().bounds() == 10...12)
    }

    @Test("a peer's newest record replaces the one before; records come back oldest change first")
    func identities() throws {
        let journal = try home.open()
        for record in [identity(1), identity(2), identity(1, isAuthenticated: true, nickname: "b\u{0}b")] {
            _ = journal.append(.identity(record))
        }
        journal.close()
        let read = try home.open().identities()
        #expect(read.records == [identity(2), identity(1, isAuthenticated: true, nickname: "b\u{0}b")])
        #expect(read.damaged == 0)
    }

    @Test("too many peers: strangers go first, then who changed longest ago")
    func identityLimit() throws {
        var policy = JournalPolicy()
        policy.identityLimit = 3
        var journal = try home.open(policy: policy)
        for record in [
            identity(1, isAuthenticated: true), identity(2), identity(3), identity(4, isAuthenticated: true),
        ] { _ = journal.append(.identity(record)) }
        journal.close()
        #expect(try Set(home.open().identities().records.map(\.noiseKey.bytes.low)) == [1, 3, 4])
        journal = try home.open(policy: policy)
        for number in 5...6 { _ = journal.append(.identity(identity(number, isAuthenticated: true))) }
        journal.close()
        #expect(try Set(home.open().identities().records.map(\.noiseKey.bytes.low)) == [4, 5, 6])
    }

    @Test("every commit is flushed before it is reported, and readers do not wait")
    func durability() throws {
        let connection = try home.schema()
        #expect(try connection.number("PRAGMA synchronous") == 2)
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        #expect(try connection.number("PRAGMA user_version") == Int64(JournalSchema.migrations.count))
        #expect(try connection.number("PRAGMA application_id") == JournalSchema.applicationID)
    }

    @Test("retention and eviction use an index, not a scan of the table")
    func indexes() throws {
        let connection = try home.schema()
        for (sql, index) in [
            ("DELETE FROM event WHERE sequence <= 5", "INTEGER PRIMARY KEY"),
            ("DELETE FROM event WHERE day < 5 AND sequence <= 5", "eventDay"),
            ("SELECT tag FROM identity ORDER BY isAuthenticated, changed LIMIT 5", "identityAge"),
        ] {
            let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
            #expect(try statement.step())
            #expect(statement.text(at: 3)?.contains(index) == true, "\(sql)")
        }
    }
}
