import Application
import Dispatch
import Domain
import Glibc
import NativeCryptography
import SQLiteStores

/// Appends groups of changes to a journal and tells on standard output what became of each, until it is killed.
///
/// Lines: `opened`, `committed NUMBER` (and all groups before that did not fail), `failed NUMBER`; `unusable REASON` and
/// exit status 2 when there is no journal to be had.
///
/// usage: JournalProbe DATABASE FIRST COUNT [die]
///
/// `FIRST` numbers the first group. With `die` it kills itself when all groups are reported, instead of closing.
@main
enum JournalProbe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let first = UInt64(arguments[2]), let count = UInt64(arguments[3]) else { exit(64) }
        do {
            let journal = try open(arguments[1])
            say("opened")
            run(journal, first..<first + count)
            if arguments.count > 4 { kill(getpid(), SIGKILL) }
            journal.close()
        } catch {
            say("unusable \(error)")
            exit(2)
        }
    }

    private static func open(_ path: String) throws(JournalError) -> SQLiteJournal<NativeCryptography> {
        let randomness = SystemRandomness()
        let cryptography = NativeCryptography()
        return try SQLiteJournal(
            path: path, dataKey: cryptography.importSecret([UInt8](repeating: 7, count: 32).span),
            cryptography: cryptography,
            makeNonce: { AEADNonce(prefix: UInt32(truncatingIfNeeded: randomness.next()), suffix: randomness.next()) },
            now: { WallTime(milliseconds: 1_700_000_000_000) })
    }

    /// Appends them all, and waits until every one is reported.
    private static func run(_ journal: SQLiteJournal<NativeCryptography>, _ numbers: Range<UInt64>) {
        // Some appends share a commit, as on a busy node; the rest wait for reports.
        let places: UInt64 = 8
        let room = DispatchSemaphore(value: Int(places))
        let last = Last()
        let before = numbers.lowerBound - 1
        journal.start(
            reporting: JournalReports(
                committed: { id in
                    say("committed \(id.rawValue + before)")
                    for _ in last.value..<id.rawValue { room.signal() }
                    last.value = id.rawValue
                },
                commitFailed: { id, _ in
                    say("failed \(id.rawValue + before)")
                    last.value = id.rawValue
                    room.signal()
                },
                logged: { _ in }))
        for number in numbers {
            room.wait()
            _ = journal.append(Workload.group(number))
        }
        for _ in 0..<places { room.wait() }
        // A semaphore must not go with less than it came with.
        for _ in 0..<places { room.signal() }
    }

    /// One write a line: what was said before the kill is in the pipe.
    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}

/// The last append that was reported on. Unchecked: only the journal's queue touches it.
private final class Last: @unchecked Sendable {
    var value: UInt64 = 0
}
