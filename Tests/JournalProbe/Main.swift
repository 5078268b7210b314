import Application
import Dispatch
import Domain
import Glibc
import NativeCryptography
import SQLiteStores

/// Appends events to a journal and tells on standard output what became of each, until it is killed.
///
/// usage: JournalProbe DATABASE COUNT
@main
enum JournalProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = UInt64(arguments[2]) else { exit(64) }
        let randomness = SystemRandomness()
        let cryptography = NativeCryptography()
        let journal = try SQLiteJournal(
            path: arguments[1], dataKey: cryptography.importSecret([UInt8](repeating: 7, count: 32).span),
            cryptography: cryptography,
            makeNonce: { AEADNonce(prefix: UInt32(truncatingIfNeeded: randomness.next()), suffix: randomness.next()) },
            now: { WallTime(milliseconds: 1_700_000_000_000) })
        // As many appends may wait as a busy node would have; the rest wait for reports.
        let room = DispatchSemaphore(value: 50)
        let last = Last()
        journal.start(
            reporting: JournalReports(
                committed: { id in
                    say("committed \(id.rawValue)")
                    for _ in last.value..<id.rawValue { room.signal() }
                    last.value = id.rawValue
                },
                commitFailed: { id, _ in
                    say("failed \(id.rawValue)")
                    last.value = id.rawValue
                    room.signal()
                },
                logged: { _ in }))
        for number in 0..<count {
            room.wait()
            _ = journal.append(.event(event(number + 1)))
        }
        journal.close()
    }

    private static func event(_ number: UInt64) -> Event {
        .publicMessage(
            ChatMessage(
                id: String(number), sender: PeerID(rawValue: number), senderName: "probe",
                text: String(repeating: "x", count: 200), sentAt: WallTime(milliseconds: number),
                receivedAt: WallTime(milliseconds: number), isOwn: false))
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
