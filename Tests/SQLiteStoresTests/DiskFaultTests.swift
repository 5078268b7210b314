import Foundation
import Support
import Testing

@testable import JournalProbe
@testable import SQLiteStores

/// The shim that makes the probe's disk fail, built once.
private enum Shim {
    static let compiler = "/usr/bin/cc"
    static let isBuildable = FileManager.default.isExecutableFile(atPath: compiler)

    /// Holds the folder of the shared object for as long as the tests run.
    private static let folder = Result { try TemporaryDirectory() }
    private static let built = Result {
        let file = try folder.get().file("disk_faults.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("disk_faults.c")
        let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        let build = try ChildProcess(
            compiler, ["-shared", "-fPIC", "-O1", "-o", file, source.path, "-ldl", "-lpthread"], environment: path)
        let status = try build.exitStatus(within: 60)
        try #require(status == 0, "cc: \(build.text(.errors))")
        return file
    }

    /// The environment of a probe whose disk fails.
    static func disk(
        _ home: JournalHome, _ fault: String, at first: UInt64, times: UInt64, seed: UInt64 = 0, lies: Bool = false
    ) throws -> [String: String] {
        var variables = [
            "LD_PRELOAD": try built.get(), "SATCHEL_DISK_FILES": home.path, "SATCHEL_DISK_FAULT": fault,
            "SATCHEL_DISK_AT": "\(first)", "SATCHEL_DISK_TIMES": "\(times)", "SATCHEL_DISK_SEED": "\(seed)",
        ]
        if lies { variables["SATCHEL_DISK_LIES"] = "1" }
        return variables
    }
}

@Suite(
    "Journal on a failing disk", .timeLimit(.minutes(30)),
    .enabled(if: Shim.isBuildable, "there is no C compiler at \(Shim.compiler)"))
struct DiskFaultTests {
    @Test(
        "after any fault what was reported is true, groups are whole and the database opens",
        arguments: ["full", "short", "error", "torn", "flush"])
    func fault(kind: String) throws {
        let ledger = try Ledger()
        let rounds = isSoak ? 120 : 8
        var faults = 0
        for round in 1...UInt64(rounds) {
            let dice = Workload.mix(round &* 31 &+ UInt64(kind.utf8.first ?? 0))
            // A flush comes once a transaction, writes by the dozen; some rounds fail already at the start.
            let spread: UInt64 = kind == "flush" ? 35 : 600
            let disk = try Shim.disk(ledger.home, kind, at: 1 + dice % spread, times: 1 + dice / spread % 3)
            let run = try ProbeRun(ledger.home, from: ledger.next, count: 300, dies: dice.isMultiple(of: 2), disk: disk)
            let status = try run.ended()
            // It ran to its end, or found the database unusable at the start.
            #expect([0, 2, 128 + SIGKILL].contains(status))
            if run.outcome.hadFault { faults += 1 }
            try ledger.settle(run.outcome)
        }
        print("disk fault \"\(kind)\", \(faults) times in \(rounds) runs: \(ledger.figures)")
        #expect(faults > rounds / 2)
        #expect(ledger.lost == 0 && ledger.revenants == 0 && ledger.committed > 0)
    }

    @Test(
        "a disk that fails for good loses nothing that was reported, and says so of all that follows",
        arguments: ["full", "short", "error", "torn", "flush"])
    func forGood(kind: String) throws {
        let ledger = try Ledger()
        for round in 1...UInt64(isSoak ? 30 : 3) {
            let dice = Workload.mix(round &* 37 &+ UInt64(kind.utf8.first ?? 0))
            let first = kind == "flush" ? 5 + dice % 40 : 300 + dice % 300
            let disk = try Shim.disk(ledger.home, kind, at: first, times: 0)
            let run = try ProbeRun(ledger.home, from: ledger.next, count: 400, dies: true, disk: disk)
            let status = try run.ended()
            #expect(status == 128 + SIGKILL)
            let outcome = run.outcome
            #expect(outcome.hadFault && !outcome.failed.isEmpty)
            #expect(outcome.committed.max() ?? 0 < outcome.failed.min() ?? 0)
            #expect(outcome.committed.count + outcome.failed.count == 400)
            try ledger.settle(outcome)
        }
        print("disk fault \"\(kind)\" for good: \(ledger.figures)")
        #expect(ledger.lost == 0 && ledger.revenants == 0)
    }

    @Test(
        "a disk that is full or broken when the node starts is named, and the database stays what it was",
        arguments: [
            ("full", "the database or disk is full", true), ("full", "the database or disk is full", false),
            ("error", "disk I/O error", true), ("error", "disk I/O error", false),
        ])
    func atStart(kind: String, words: String, isNew: Bool) throws {
        let ledger = try Ledger()
        if !isNew { try ledger.settle(start(ledger)) }
        let disk = try Shim.disk(ledger.home, kind, at: 1, times: 0)
        let run = try ProbeRun(ledger.home, from: ledger.next, count: 5, disk: disk)
        let status = try run.ended()
        #expect(status == 2)
        #expect(run.process.text(.output).contains(words), "\(run.process.text(.output))")
        try ledger.settle(run.outcome)
        #expect(ledger.lost == 0)
    }

    @Test("killed before each of the first writes, the making of the database goes on at the next start")
    func making() throws {
        var (number, wasKilled) = (UInt64(0), true)
        while wasKilled, number < 200 {
            number += isSoak ? 1 : 3
            let ledger = try Ledger()
            let disk = try Shim.disk(ledger.home, "kill", at: number, times: 1)
            let run = try ProbeRun(ledger.home, from: 1, count: 1, disk: disk)
            wasKilled = try run.ended() == 128 + SIGKILL
            #expect(wasKilled == run.outcome.hadFault)
            try ledger.settle(run.outcome)
            #expect(ledger.lost == 0)
        }
        #expect(number > 30 && !wasKilled)
    }

    @Test("when the power goes, what was flushed is there, and nothing of what was not has broken it")
    func powerCut() throws {
        let ledger = try Ledger()
        let rounds = isSoak ? 300 : 20
        var cuts = 0
        try ledger.settle(start(ledger))
        for round in 1...UInt64(rounds) {
            let dice = Workload.mix(round &* 41)
            let disk = try Shim.disk(ledger.home, "cut", at: 1 + dice % 2000, times: 1, seed: round)
            let run = try ProbeRun(ledger.home, from: ledger.next, count: 1000, dies: true, disk: disk)
            if try run.ended() == 77 { cuts += 1 }
            try ledger.settle(run.outcome)
        }
        print("power cut, \(cuts) times in \(rounds) runs: \(ledger.figures)")
        #expect(cuts > rounds / 2)
        #expect(ledger.lost == 0 && ledger.revenants == 0)
    }

    /// A database with something in it.
    private func start(_ ledger: Ledger) throws -> ProbeRun.Outcome {
        let run = try ProbeRun(ledger.home, from: 1, count: 50)
        let status = try run.ended()
        try #require(status == 0)
        return run.outcome
    }

    @Test("the power cut of these tests does lose what is not flushed: a disk that only says so is found out")
    func lyingDisk() throws {
        let ledger = try Ledger()
        try ledger.settle(start(ledger))
        let disk = try Shim.disk(ledger.home, "cut", at: 800, times: 1, seed: 1, lies: true)
        let run = try ProbeRun(ledger.home, from: ledger.next, count: 1000, disk: disk)
        let status = try run.ended()
        #expect(status == 77)
        try ledger.settle(run.outcome)
        #expect(ledger.lost > 0)
    }
}
