import Application
import Domain
import Foundation
import Support
import Testing

@testable import SQLiteStores

@Suite("Entries in the journal")
struct RecordTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    /// Appends each group, and answers what was reported.
    @discardableResult
    private func append(_ groups: [[JournalChange]], policy: JournalPolicy = JournalPolicy()) throws -> [Report] {
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        for group in groups { _ = journal.append(group) }
        journal.start(reporting: recorder.reports)
        journal.close()
        return recorder.all
    }

    private func records() throws -> [Record] {
        let journal = try home.open()
        defer { journal.close() }
        let (records, damaged) = try journal.records()
        #expect(damaged == 0)
        return records
    }

    @Test("entries come back in the order of their last changes, over restarts")
    func order() throws {
        #expect(try records().isEmpty)
        try append([[.put(.metric(.queued, 1))], [.put(.metric(.opened, 2)), .put(.metric(.sprayed, 3))]])
        try append([[.put(.metric(.queued, 4))]])
        #expect(try records() == [.metric(.opened, 2), .metric(.sprayed, 3), .metric(.queued, 4)])
    }

    @Test("what is removed stays away, and removing what is not there changes nothing")
    func removed() throws {
        let key = Record.metric(.queued, 0).key
        try append([[.put(.metric(.queued, 1)), .put(.metric(.opened, 2)), .remove(key)], [.remove(key)]])
        #expect(try records() == [.metric(.opened, 2)])
        try append([[.remove(key), .put(.metric(.queued, 3)), .put(.metric(.queued, 4))]])
        #expect(try records() == [.metric(.opened, 2), .metric(.queued, 4)])
    }

    @Test("an append has one identifier, however many changes it has, and may have none")
    func identifiers() throws {
        let reports = try append([
            [.put(.metric(.queued, 1)), .event(event(1)), .identity(identity(1))], [], [.event(event(2))], [],
        ])
        #expect(reports == [.committed(4), .logged(2)])
        let journal = try home.open()
        #expect(try journal.events(after: 0, limit: 9).map(\.event) == [event(1), event(2)])
        #expect(try journal.identities().records == [identity(1)])
    }

    @Test("the queue counts changes and takes a group whole or not; one larger than itself when nothing waits")
    func queueLimit() throws {
        var policy = JournalPolicy()
        policy.queueLimit = 3
        let two: [JournalChange] = [.put(.metric(.queued, 2)), .event(event(2))]
        #expect(
            try append([two, two, [.event(event(3))], [], []], policy: policy)
                == [.committed(1), .failed(2), .committed(3), .failed(4), .failed(5), .logged(2)])
        let large = Metric.allCases.map { JournalChange.put(.metric($0, 5)) }
        #expect(try append([large, two], policy: policy) == [.committed(1), .failed(2)])
        #expect(try records() == Metric.allCases.map { .metric($0, 5) })
    }

    @Test("a group that does not fit on the disk is absent as a whole, and a later one is whole")
    func atomicGroup() throws {
        var policy = JournalPolicy()
        policy.pageLimit = 60
        try append([[.put(.metric(.queued, 1)), .put(.metric(.opened, 1))]], policy: policy)
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        _ = journal.append([
            .put(.metric(.queued, 2)), .remove(Record.metric(.opened, 0).key),
            .event(event(1, text: String(repeating: "x", count: 400_000))), .put(.metric(.sprayed, 2)),
        ])
        try recorder.wait(for: .failed(1))
        #expect(recorder.reason == "\(home.path): the database or disk is full")
        #expect(try journal.records().records == [.metric(.queued, 1), .metric(.opened, 1)])
        _ = journal.append([.put(.metric(.opened, 3)), .put(.metric(.queued, 3))])
        journal.close()
        #expect(recorder.all == [.failed(1), .committed(2)])
        #expect(try records() == [.metric(.opened, 3), .metric(.queued, 3)])
    }

    @Test("a store that grows without end loses what changed longest ago, and no other store does")
    func bound() throws {
        var policy = JournalPolicy()
        policy.recordLimits[.metric] = 3
        try append(Metric.allCases.map { [.put(.metric($0, 1))] }, policy: policy)
        #expect(try records() == Metric.allCases.suffix(3).map { .metric($0, 1) })
        // Replacing and removing are counted right, in one transaction and over a restart.
        let (first, second) = (Metric.allCases[0], Metric.allCases[1])
        let last = Metric.allCases.suffix(3).map { Record.metric($0, 1) }
        try append(
            [
                [.put(last[0]), .remove(last[1].key), .remove(last[1].key), .put(.metric(first, 2))],
                [.put(.metric(first, 3))],
            ], policy: policy)
        #expect(try records() == [last[2], last[0], .metric(first, 3)])
        try append([[.put(.metric(second, 4))]], policy: policy)
        #expect(try records() == [last[0], .metric(first, 3), .metric(second, 4)])
    }

    @Test("a group that failed does not count")
    func boundAfterFailure() throws {
        var policy = JournalPolicy()
        policy.pageLimit = 60
        policy.recordLimits[.metric] = 3
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        let kept = Metric.allCases.prefix(3).map { Record.metric($0, 1) }
        let first = try recorder.isCommitted(journal.append(kept.prefix(2).map { .put($0) }))
        let tooMuch = JournalChange.event(event(1, text: String(repeating: "x", count: 400_000)))
        let second = try recorder.isCommitted(
            journal.append(Metric.allCases.suffix(5).map { .put(.metric($0, 2)) } + [tooMuch]))
        #expect(first && !second)
        _ = journal.append(.put(kept[2]))
        journal.close()
        #expect(try records() == kept)
    }

    @Test("each kind of entry has a bound")
    func bounds() {
        for kind in RecordKey.Kind.allCases { #expect(JournalPolicy().recordLimits[kind] ?? 0 > 0) }
    }

    @Test("rows that changed places do not open and are counted; the others still do")
    func swapped() throws {
        try append([[.put(.metric(.queued, 1)), .put(.metric(.opened, 2)), .put(.metric(.sprayed, 3))]])
        try home.database().execute(
            "UPDATE record SET sealed = (SELECT sealed FROM record WHERE changed = 2) WHERE changed = 1")
        var read = try home.open().records()
        #expect(read.records == [.metric(.opened, 2), .metric(.sprayed, 3)] && read.damaged == 1)
        try home.database().execute("UPDATE record SET kind = 77 WHERE changed = 2")
        read = try home.open().records()
        #expect(read.records == [.metric(.sprayed, 3)] && read.damaged == 2)
        // Writing over a broken row mends it.
        try append([[.put(.metric(.queued, 9))]])
        read = try home.open().records()
        #expect(read.records == [.metric(.sprayed, 3), .metric(.queued, 9)] && read.damaged == 1)
    }

    @Test("what was deleted or replaced is overwritten in the file")
    func secureDelete() throws {
        try append([Metric.allCases.map { .put(.metric($0, 1)) }])
        let sealed = try Metric.allCases.indices.map { index in
            let statement = try home.database().prepare("SELECT sealed FROM record ORDER BY changed")
            for _ in 0...index { #expect(try statement.step()) }
            return statement.bytes(at: 0)
        }
        let before = try home.directory.read("satchel.db")
        #expect(sealed.allSatisfy { before.contains($0) })
        try append([
            [.put(.metric(Metric.allCases[0], 2))]
                + Metric.allCases.dropFirst().map {
                    .remove(Record.metric($0, 0).key)
                }
        ])
        #expect(try home.directory.names() == ["satchel.db"])
        let after = try home.directory.read("satchel.db")
        #expect(!sealed.contains { after.contains($0) })
    }

    @Test(
        "every statement on entries finds its rows by an index",
        arguments: [
            (RecordSQL.update, "PRIMARY KEY (kind=? AND tag=?)"), (RecordSQL.delete, "PRIMARY KEY (kind=? AND tag=?)"),
            (RecordSQL.deleteExpired, "recordExpiry (expires<?)"), (RecordSQL.deleteOldest, "recordAge (kind=?)"),
            (RecordSQL.count, "COVERING INDEX recordAge"),
        ])
    func indexes(sql: String, index: String) throws {
        let connection = try home.schema()
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var plan = ""
        while try statement.step() { plan += (statement.text(at: 3) ?? "") + "\n" }
        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
}
