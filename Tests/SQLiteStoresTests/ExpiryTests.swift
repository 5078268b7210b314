import Application
import Domain
import Support
import Testing

@testable import SQLiteStores

@Suite("Entries that expire")
struct ExpiryTests {
    let home: JournalHome
    /// Noon of a day.
    private let noon: UInt64 = 19_700 * 86_400_000 + 43_200_000

    init() throws {
        home = try JournalHome()
        home.time.withLock { $0 = WallTime(milliseconds: noon) }
    }

    /// Writes a row for each expiry, beside the journal; kinds of entries that expire need not exist for this.
    private func write(_ expiries: [UInt64?]) throws {
        try home.open().close()
        let connection = try home.schema()
        let table = try RecordTable(connection, seal: home.seal(), policy: JournalPolicy())
        for (index, expiry) in expiries.enumerated() {
            try table.put(
                Record.metric(.queued, UInt64(index)).json, as: RecordKey(.metric, [UInt8(index)]),
                expiry: expiry.map { WallTime(milliseconds: $0) })
        }
    }

    private func rows() throws -> Int64? { try home.database().number("SELECT count(*) FROM record") }

    @Test("only days are visible: the first that begins when the entry has expired")
    func days() throws {
        let day: UInt64 = 86_400_000
        try write([0, 1, day - 1, day, day + 1, .max, nil])
        let statement = try home.database().prepare("SELECT expires FROM record ORDER BY changed")
        var days: [Int64?] = []
        while try statement.step() { days.append(statement.number(at: 0)) }
        #expect(days == [0, 1, 1, 1, 2, Int64(UInt64.max / day) + 1, nil])
    }

    @Test("rows go at the start of the day after; what lives on or never expires stays")
    func atStart() throws {
        let midnight = noon + 43_200_000
        try write([noon - 1, noon, noon + 1, midnight, midnight + 1, nil])
        try home.open().close()
        #expect(try rows() == 6)
        home.time.withLock { $0 = WallTime(milliseconds: midnight - 1) }
        try home.open().close()
        #expect(try rows() == 6)
        home.time.withLock { $0 = WallTime(milliseconds: midnight) }
        let journal = try home.open()
        #expect(try rows() == 2)
        #expect(try journal.records().records == [.metric(.queued, 4), .metric(.queued, 5)])
    }

    @Test("a node that runs for days deletes with its first write of a day, and counts right afterwards")
    func whileRunning() throws {
        try write([noon + 1, noon + 1, noon + 200_000_000, nil])
        var policy = JournalPolicy()
        policy.recordLimits[.metric] = 3
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        home.passDays(1)
        _ = journal.append(.put(.metric(.opened, 1)))
        try recorder.wait(for: .committed(1))
        #expect(try rows() == 3)
        _ = journal.append(.put(.metric(.sprayed, 1)))
        journal.close()
        #expect(try home.open().records().records == [.metric(.queued, 3), .metric(.opened, 1), .metric(.sprayed, 1)])
    }

    @Test("before the rows of yesterday are deleted they are not read either")
    func readOnly() throws {
        try write([noon, nil])
        let journal = try home.open()
        home.passDays(1)
        #expect(try journal.records().records == [.metric(.queued, 1)])
        #expect(try rows() == 2)
    }

    @Test("a clock that went back deletes nothing")
    func clockBack() throws {
        try write([noon, nil])
        home.time.withLock { $0 = WallTime(milliseconds: 0) }
        let journal = try home.open()
        #expect(try journal.records().records.count == 2)
    }
}
