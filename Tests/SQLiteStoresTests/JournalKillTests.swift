import Application
import Foundation
import Support
import Testing

@testable import JournalProbe
@testable import SQLiteStores

@Suite("Journal of a process that dies")
struct JournalKillTests {
    @Test("what was reported as durable survives kill -9 at any moment, whole and in order", .timeLimit(.minutes(30)))
    func killed() throws {
        let ledger = try Ledger()
        let rounds = isSoak ? 500 : 50
        for round in 1...rounds {
            let run = try ProbeRun(ledger.home, from: ledger.next, count: 1_000_000)
            let dice = Workload.mix(UInt64(round))
            // One in five is killed before it is under way: while it opens, recovers, or makes the database.
            if dice % 5 > 0 { try run.opened() }
            usleep(UInt32(dice / 5 % 100_000))
            run.process.send(SIGKILL)
            let status = try run.ended()
            #expect(status == 128 + SIGKILL)
            try ledger.settle(run.outcome)
        }
        print("kill -9, \(rounds) times: \(ledger.figures)")
        #expect(ledger.lost == 0 && ledger.revenants == 0 && ledger.committed > rounds)
    }

    @Test("where files may not grow, each append is either durable or reported as failed")
    func fileSizeLimit() throws {
        let home = try JournalHome()
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 256; exec \"$@\"", "sh", try BuiltProgram("JournalProbe").url.path,
                home.path, "1", "3000",
            ], environment: [:])
        let status = try process.exitStatus(within: ProbeRun.patience)
        #expect(status == 0)
        let failed = process.lines(.output).filter { $0.hasPrefix("failed ") }.compactMap { UInt64($0.dropFirst(7)) }
        let kept = try home.open().events(after: 0, limit: .max).compactMap {
            if case .publicMessage(let message) = $0.event { UInt64(message.id) } else { nil }
        }
        #expect(!failed.isEmpty && !kept.isEmpty)
        #expect(Set(kept).isDisjoint(with: failed))
        #expect(Set(kept).union(failed) == Set(1...3000))
    }
}
