import Application
import Domain
import Testing

@testable import SQLiteStores

@Suite("Volatile journal")
struct VolatileJournalTests {
    private let start: UInt64 = 1_700_000_000_000

    private func make(limit: Int = 1000) -> VolatileJournal {
        var policy = JournalPolicy()
        policy.volatileEventLimit = limit
        return VolatileJournal(reason: "the disk is full", policy: policy, at: WallTime(milliseconds: start))
    }

    @Test("every append fails with the reason, in order, what came before the start included")
    func fails() {
        let journal = make()
        let recorder = Recorder()
        let first = journal.append([.put(.metric(.queued, 1)), .event(event(1))])
        journal.start(reporting: recorder.reports)
        let second = journal.append(.identity(identity(1)))
        journal.close()
        #expect([first, second].map(\.rawValue) == [1, 2])
        #expect(recorder.all.filter { $0 != .logged(start + 1) } == [.failed(1), .failed(2)])
        #expect(recorder.reason == "the disk is full" && journal.reason == "the disk is full")
        #expect(journal.identities().records.isEmpty && journal.records().records.isEmpty)
    }

    @Test("whoever listens sees the events all the same, above every cursor into the log on the disk")
    func events() throws {
        let journal = make()
        let recorder = Recorder()
        #expect(journal.bounds() == nil)
        journal.start(reporting: recorder.reports)
        for number in 1...3 { _ = journal.append([.event(event(number)), .put(.metric(.queued, 1))]) }
        journal.close()
        #expect(recorder.all.last == .logged(start + 3))
        #expect(journal.bounds() == start + 1...start + 3)
        #expect(journal.events(after: 50_000, limit: 9).map(\.event) == (1...3).map { event($0) })
        #expect(journal.events(after: start + 1, limit: 1).map(\.sequence) == [start + 2])
        #expect(journal.events(after: start + 3, limit: 9).isEmpty)
        #expect(journal.events(after: .max, limit: 9).isEmpty)
        #expect(journal.events(after: 0, limit: -1).isEmpty)
    }

    @Test("only the newest events are in memory")
    func bounded() throws {
        let journal = make(limit: 3)
        for number in 1...100 { _ = journal.append(.event(event(number))) }
        let kept = journal.events(after: 0, limit: .max)
        #expect((3...6).contains(kept.count))
        #expect(kept.map(\.event) == (101 - kept.count...100).map { event($0) })
        #expect(journal.bounds() == start + 101 - UInt64(kept.count)...start + 100)
    }

    @Test("appends after the end fail as well")
    func closed() throws {
        let journal = make()
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        journal.close()
        let late = journal.append(.put(.metric(.queued, 1)))
        try recorder.wait(for: .failed(late.rawValue))
        #expect(recorder.reason == "the disk is full")
    }

    @Test(
        "a node runs without its database where only the keeping is impossible",
        arguments: [
            (.unusable(path: "p", reason: "Read-only file system"), true), (.full(path: "p"), true),
            (.newerSchema(path: "p", version: 9), true), (.failed(path: "p", code: 10, reason: "I/O"), true),
            (.wrongDataKey(path: "p"), false), (.foreign(path: "p"), false), (.closed, false),
        ] as [(JournalError, Bool)])
    func allowed(error: JournalError, isAllowed: Bool) { #expect(error.allowsVolatileRun == isAllowed) }
}
