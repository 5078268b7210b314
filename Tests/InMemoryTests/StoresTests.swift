import Application
import Domain
import InMemory
import Testing

private func event(_ number: UInt64) -> JournalChange {
    .event(
        .peer(PeerChange(kind: .appeared, peer: PeerID(rawValue: number), name: "", at: WallTime(milliseconds: 0))))
}

private func identity(_ key: UInt128, _ nickname: String) -> PeerIdentity {
    PeerIdentity(noiseKey: AgreementPublicKey(Bytes32(high: key, low: 0)), signingKey: nil, nickname: nickname)
}

@Suite("Memory journal")
struct MemoryJournalTests {
    private let time = VirtualTime()

    private func recorded(_ journal: MemoryJournal) -> () -> [String] {
        var told: [String] = []
        journal.committed = { told.append("\($0.rawValue)@\(time.now.milliseconds)") }
        journal.commitFailed = { commit, reason in
            #expect(!reason.isEmpty)
            told.append("failed \(commit.rawValue)@\(time.now.milliseconds)")
        }
        return { told }
    }

    @Test("identifiers rise from 1; a commit is told from the queue, once a group, with the highest")
    func immediate() {
        let journal = MemoryJournal(time)
        let told = recorded(journal)
        #expect((1...3).map { journal.append(event($0)).rawValue } == [1, 2, 3])
        #expect(told().isEmpty)
        #expect(journal.pending.count == 3)
        time.runUntilIdle()
        #expect(told() == ["3@0"])
        #expect(journal.events.map(\.sequence) == [1, 2, 3])
        #expect(journal.pending.isEmpty)
    }

    @Test("a group takes its time, and what comes meanwhile waits for the next one")
    func delayed() {
        let journal = MemoryJournal(time, delay: 100...100)
        let told = recorded(journal)
        _ = journal.append(event(1))
        time.run(until: Uptime(milliseconds: 50))
        _ = journal.append(event(2))
        _ = journal.append(event(3))
        #expect(told().isEmpty)
        time.runUntilIdle()
        #expect(told() == ["1@100", "3@200"])
    }

    @Test("the next changes fail as asked; failures and commits are told in order, and nothing failed is kept")
    func fails() {
        let journal = MemoryJournal(time)
        let told = recorded(journal)
        _ = journal.append(event(1))
        time.runUntilIdle()
        journal.failuresToCome = 2
        for number in 2...5 as ClosedRange<UInt64> { _ = journal.append(event(number)) }
        time.runUntilIdle()
        #expect(told() == ["1@0", "failed 2@0", "failed 3@0", "5@0"])
        #expect(journal.events.map(\.sequence) == [1, 2, 3])
        #expect(journal.events.map { JournalChange.event($0.event) } == [event(1), event(4), event(5)])
    }

    @Test("with a probability about as many fail, and the same ones for the same seed")
    func failsByChance() {
        let run = { (seed: UInt64) in
            let journal = MemoryJournal(time, randomness: SeededRandomness(seed: seed))
            journal.failureProbability = 0.3
            for number in 0..<1000 as Range<UInt64> { _ = journal.append(event(number)) }
            time.runUntilIdle()
            return journal.events
        }
        #expect((640...760).contains(run(1).count))
        #expect(run(1) == run(1))
        #expect(run(1) != run(2))
    }

    @Test("a crash forgets what is on its way and what waits, tells nobody, and keeps the rest for the next run")
    func crash() {
        let journal = MemoryJournal(time, delay: 10...10)
        let told = recorded(journal)
        _ = journal.append(event(1))
        _ = journal.append(.identity(identity(1, "alice")))
        time.run(until: Uptime(milliseconds: 15))
        _ = journal.append(event(2))
        _ = journal.append(.identity(identity(1, "mallory")))
        time.run(until: Uptime(milliseconds: 20))
        _ = journal.append(event(3))
        journal.crash()
        time.runUntilIdle()
        #expect(told() == ["2@10"])
        #expect(journal.events.count == 1)
        #expect(journal.identities() == [identity(1, "alice")])

        let toldNext = recorded(journal)
        #expect(journal.append(event(4)).rawValue == 1)
        time.runUntilIdle()
        #expect(toldNext() == ["1@35"])
        #expect(journal.events.map(\.sequence) == [1, 2])
    }

    @Test("a crash within the telling of a group ends the telling")
    func crashWhileTelling() {
        let journal = MemoryJournal(time)
        var failed: [UInt64] = []
        journal.failuresToCome = 3
        journal.commitFailed = { commit, _ in
            failed.append(commit.rawValue)
            journal.crash()
        }
        for number in 1...3 as ClosedRange<UInt64> { _ = journal.append(event(number)) }
        time.runUntilIdle()
        #expect(failed == [1])
    }

    @Test("nothing commits while held; releasing goes on")
    func held() {
        let journal = MemoryJournal(time)
        let told = recorded(journal)
        journal.isHeld = true
        _ = journal.append(event(1))
        time.runUntilIdle()
        #expect(told().isEmpty)
        journal.isHeld = false
        time.runUntilIdle()
        #expect(told() == ["1@0"])
    }

    @Test("a later record of an identity replaces the earlier one; they are listed in order of keys")
    func identities() {
        let journal = MemoryJournal(time)
        for (key, name) in [(9, "nine"), (2, "two"), (9, "new nine")] as [(UInt128, String)] {
            _ = journal.append(.identity(identity(key, name)))
        }
        time.runUntilIdle()
        #expect(journal.identities().map(\.nickname) == ["two", "new nine"])
    }

    private let now = WallTime(milliseconds: 0)

    @Test("changes that belong together are committed together, under one identifier, or fail together")
    func groups() {
        let journal = MemoryJournal(time)
        let told = recorded(journal)
        #expect(journal.append([event(1), .put(.metric(.queued, 1)), .put(.metric(.opened, 1))]).rawValue == 1)
        #expect(journal.pending == [event(1), .put(.metric(.queued, 1)), .put(.metric(.opened, 1))])
        time.runUntilIdle()
        journal.failuresToCome = 1
        _ = journal.append([event(2), .put(.metric(.queued, 2)), .remove(Record.metric(.opened, 0).key)])
        _ = journal.append([.put(.metric(.sprayed, 3)), .identity(identity(1, "alice"))])
        #expect(journal.append([]).rawValue == 4)
        time.runUntilIdle()
        #expect(told() == ["1@0", "failed 2@0", "4@0"])
        #expect(journal.events.count == 1)
        #expect(journal.records(at: now) == [.metric(.queued, 1), .metric(.opened, 1), .metric(.sprayed, 3)])
        #expect(journal.identities() == [identity(1, "alice")])
    }

    @Test("entries are listed in the order of their last changes; what was removed is gone")
    func records() {
        let journal = MemoryJournal(time)
        let changes: [JournalChange] = [
            .put(.metric(.queued, 1)), .put(.metric(.opened, 2)), .put(.metric(.sprayed, 3)),
            .remove(Record.metric(.opened, 0).key), .put(.metric(.queued, 4)), .remove(Record.metric(.resent, 0).key),
        ]
        for change in changes { _ = journal.append(change) }
        #expect(journal.records(at: now).isEmpty)
        time.runUntilIdle()
        #expect(journal.records(at: now) == [.metric(.sprayed, 3), .metric(.queued, 4)])
        _ = journal.append(.put(.metric(.opened, 5)))
        time.runUntilIdle()
        #expect(journal.records(at: now) == [.metric(.sprayed, 3), .metric(.queued, 4), .metric(.opened, 5)])
    }

    @Test("a crash forgets a group as a whole, and the next run finds the committed entries")
    func crashWithRecords() {
        let journal = MemoryJournal(time, delay: 10...10)
        _ = journal.append([.put(.metric(.queued, 1)), .put(.metric(.opened, 1))])
        time.run(until: Uptime(milliseconds: 15))
        _ = journal.append([.put(.metric(.queued, 2)), .remove(Record.metric(.opened, 0).key)])
        time.run(until: Uptime(milliseconds: 20))
        journal.crash()
        time.runUntilIdle()
        #expect(journal.records(at: now) == [.metric(.queued, 1), .metric(.opened, 1)])
        _ = journal.append(.put(.metric(.queued, 3)))
        time.runUntilIdle()
        #expect(journal.records(at: now) == [.metric(.opened, 1), .metric(.queued, 3)])
    }

    @Test("the history answers from a cursor, within a limit, and knows its bounds")
    func history() {
        let journal = MemoryJournal(time)
        #expect(journal.history.bounds() == nil)
        #expect(journal.history.events(after: 0, limit: 10).isEmpty)
        for number in 1...9 as ClosedRange<UInt64> { _ = journal.append(event(number)) }
        time.runUntilIdle()
        let history = journal.history
        #expect(history.bounds() == 1...9)
        #expect(history.events(after: 0, limit: 2).map(\.sequence) == [1, 2])
        #expect(history.events(after: 7, limit: 100).map(\.sequence) == [8, 9])
        #expect(history.events(after: 9, limit: 100).isEmpty)
        #expect(history.events(after: .max, limit: 100).isEmpty)
        #expect(history.events(after: 0, limit: -1).isEmpty)
    }
}

@Suite("Memory files")
struct MemoryFilesTests {
    private let time = VirtualTime()

    @Test("a file is written under its category, and nothing is overwritten")
    func names() {
        let files = MemoryFiles(time)
        var paths: [String] = []
        files.stored = { _, path in paths.append(path) }
        for (name, category) in [
            ("a.png", .image), ("a.png", .image), ("a.png", .image), ("a.png", .file), ("bare", .audio),
            ("bare", .audio),
        ] as [(String, FileCategory)] {
            _ = files.store(Array(name.utf8), name: name, category: category)
        }
        #expect(paths.isEmpty)
        time.runUntilIdle()
        #expect(
            paths == [
                "/files/images/a.png", "/files/images/a (1).png", "/files/images/a (2).png", "/files/files/a.png",
                "/files/voicenotes/bare", "/files/voicenotes/bare (1)",
            ])
        #expect(files.contents.count == 6)
        #expect(files.contents["/files/files/a.png"] == Array("a.png".utf8))
    }

    @Test("a failing disk is reported and leaves no file")
    func fails() {
        let files = MemoryFiles(time)
        var told: [String] = []
        files.stored = { ticket, _ in told.append("stored \(ticket.rawValue)") }
        files.failed = { ticket, reason in told.append("failed \(ticket.rawValue) \(!reason.isEmpty)") }
        files.failuresToCome = 1
        _ = files.store([1], name: "x", category: .file)
        _ = files.store([2], name: "x", category: .file)
        time.runUntilIdle()
        #expect(told == ["failed 1 true", "stored 2"])
        #expect(files.contents == ["/files/files/x": [2]])
    }

    @Test("a crash forgets what was not written")
    func crash() {
        let files = MemoryFiles(time, delay: 10...10)
        files.stored = { _, _ in Issue.record("must not be told") }
        _ = files.store([1], name: "x", category: .file)
        time.run(until: Uptime(milliseconds: 5))
        files.crash()
        time.runUntilIdle()
        #expect(files.contents.isEmpty)
        #expect(files.store([2], name: "x", category: .file).rawValue == 1)
    }
}

@Suite("Notice recorder")
struct NoticeRecorderTests {
    @Test("notices are kept in order, and lines can be picked by level")
    func records() {
        let recorder = NoticeRecorder()
        var observed = 0
        recorder.observe = { _ in observed += 1 }
        recorder.emit(.log(.debug, "a"))
        recorder.emit(.fileProgress(id: "f", sent: 1, total: 2))
        recorder.emit(.log(.error, "b"))
        #expect(recorder.notices.count == 3)
        #expect(observed == 3)
        #expect(recorder.lines() == ["a", "b"])
        #expect(recorder.lines(atLeast: .warning) == ["b"])
        recorder.clear()
        #expect(recorder.notices.isEmpty)
    }
}
