import Application
import Foundation
import Support
import Testing

@testable import SQLiteStores

@Suite("Journal of a process that dies")
struct JournalCrashTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    private static var probe: String {
        get throws {
            // The build puts executables beside the test bundle.
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("JournalProbe").path
        }
    }

    private func start(_ arguments: [String]) throws -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
    }

    private func numbers(_ word: String, in output: Data) -> [UInt64] {
        // The last line may be cut by the kill.
        String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0.hasPrefix(word + " ") }.compactMap { UInt64($0.dropFirst(word.count + 1)) }
    }

    @Test(
        "what was reported as durable survives kill -9, again and again, and the sequence goes on",
        .timeLimit(.minutes(2)))
    func killed() throws {
        var expected: UInt64 = 0
        for _ in 1...3 {
            let (process, handle) = try start([Self.probe, home.path, "1000000"])
            var output = Data()
            while numbers("committed", in: output).last ?? 0 < 300 {
                let more = handle.availableData
                try #require(!more.isEmpty, "the probe ended early")
                output += more
            }
            kill(process.processIdentifier, SIGKILL)
            output += try handle.readToEnd() ?? Data()
            process.waitUntilExit()
            let committed = try #require(numbers("committed", in: output).last)
            let journal = try home.open()
            #expect(journal.setAside == nil)
            let events = try journal.events(after: expected, limit: .max)
            #expect(UInt64(events.count) >= committed)
            #expect(events.map(\.sequence) == Array(expected + 1..<expected + 1 + UInt64(events.count)))
            #expect(events.map { id(of: $0.event) } == (1...events.count).map(String.init))
            expected += UInt64(events.count)
            journal.close()
        }
    }

    @Test("where files may not grow, each append is either durable or reported as failed")
    func fileSizeLimit() throws {
        let script = "trap '' XFSZ; ulimit -f 256; exec \"$@\""
        let (process, handle) = try start(["sh", "-c", script, "sh", Self.probe, home.path, "3000"])
        let output = try #require(try handle.readToEnd())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let failed = numbers("failed", in: output)
        #expect(!failed.isEmpty && numbers("committed", in: output).first ?? 0 > 0)
        let kept = Set(try home.open().events(after: 0, limit: .max).map { id(of: $0.event) })
        let lost = Set(failed.map(String.init))
        #expect(kept.isDisjoint(with: lost))
        #expect(kept.union(lost) == Set((1...3000).map(String.init)))
    }

    private func id(of event: Event) -> String {
        if case .publicMessage(let message) = event { message.id } else { "" }
    }
}
