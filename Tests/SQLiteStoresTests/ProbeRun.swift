import Application
import Foundation
import Support
import Testing

@testable import JournalProbe
@testable import SQLiteStores

/// Whether there is time for many rounds: `SATCHEL_SOAK=1`.
let isSoak = ProcessInfo.processInfo.environment["SATCHEL_SOAK"] == "1"

/// One run of the probe: what it appended, and what it was told of each.
struct ProbeRun {
    let process: ChildProcess
    let first: UInt64

    /// Starts the probe.
    ///
    /// - Parameters:
    ///   - first: The number of the first group.
    ///   - dies: Whether it kills itself at its end instead of closing the database.
    ///   - disk: What is wrong with its disk; the variables of `disk_faults.c`.
    init(
        _ home: JournalHome, from first: UInt64, count: UInt64, dies: Bool = false, disk: [String: String] = [:]
    ) throws {
        self.first = first
        process = try ChildProcess(
            try BuiltProgram("JournalProbe").url.path, [home.path, "\(first)", "\(count)"] + (dies ? ["die"] : []),
            environment: disk)
    }

    /// How long a probe may take, in seconds; only a broken one does.
    static let patience = 60.0

    /// Waits until its database is open.
    func opened() throws { _ = try process.line(.output, within: Self.patience) { $0 == "opened" } }

    /// Waits for the end; its exit status, or 128 and a signal.
    func ended() throws -> Int32 { try process.exitStatus(within: Self.patience) }

    /// What was reported, once it has ended.
    var outcome: Outcome { Outcome(process.lines(.output), first: first) }

    /// What became of the groups, as far as it was said.
    struct Outcome {
        private(set) var committed: Set<UInt64> = []
        private(set) var failed: Set<UInt64> = []
        /// Whether the disk failed at all.
        private(set) var hadFault = false

        fileprivate init(_ lines: [String], first: UInt64) {
            // A report of a commit speaks for every group since the last report.
            var next = first
            for line in lines {
                if line == "fault" { hadFault = true }
                let words = line.split(separator: " ")
                guard words.count == 2, let number = UInt64(words[1]), number >= next else { continue }
                if words[0] == "committed" { committed.formUnion(next...number) } else { failed.insert(number) }
                next = number + 1
            }
        }
    }
}

/// Follows one database over many runs, and counts what was found after each.
final class Ledger {
    let home: JournalHome
    /// The number of the next run's first group.
    private(set) var next: UInt64 = 1
    /// Groups that were reported as committed.
    private(set) var committed = 0
    /// Groups that were found though nothing had been said of them.
    private(set) var unreported = 0
    /// Groups that were reported as committed and not found.
    private(set) var lost = 0
    /// Groups that were reported as failed and found all the same.
    private(set) var revenants = 0
    private var replica = Replica()
    private var lastSequence: UInt64 = 0

    init() throws { home = try JournalHome() }

    /// What has been found so far, in a line.
    var figures: String {
        "\(committed) committed, \(committed + unreported - lost) found, \(unreported) of them not reported yet, "
            + "lost \(lost), failed and found \(revenants)"
    }

    /// Opens the database as the next start would, and compares it with what was reported.
    ///
    /// Which groups are durable is read from the log; that each is there as a whole, and no other, from all the rest.
    func settle(_ outcome: ProbeRun.Outcome) throws {
        let journal = try home.open()
        defer { journal.close() }
        #expect(journal.setAside == nil)
        let events = try journal.events(after: lastSequence, limit: .max)
        let found = events.compactMap {
            if case .publicMessage(let message) = $0.event { UInt64(message.id) } else { nil }
        }
        #expect(events.map(\.sequence) == (0..<events.count).map { lastSequence + 1 + UInt64($0) })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 } && found.first ?? next >= next)
        for number in found { replica.take(number) }
        let (identities, records) = (try journal.identities(), try journal.records())
        #expect(identities.records == replica.identities && identities.damaged == 0)
        #expect(records.records == replica.records && records.damaged == 0)
        #expect(try home.database().text("PRAGMA integrity_check") == "ok")
        let numbers = Set(found)
        committed += outcome.committed.count
        lost += outcome.committed.subtracting(numbers).count
        revenants += outcome.failed.intersection(numbers).count
        unreported += numbers.subtracting(outcome.committed).subtracting(outcome.failed).count
        lastSequence += UInt64(events.count)
        next = max(next, found.last ?? 0, outcome.failed.max() ?? 0, outcome.committed.max() ?? 0) + 1
    }
}
