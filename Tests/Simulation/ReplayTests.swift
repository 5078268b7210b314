import Foundation
import Support
import Testing

/// Whether the full counts run.
let isSoak = ProcessInfo.processInfo.environment["SATCHEL_SOAK"] == "1"

/// One seed, one course of events, whatever the process: the seeds of hash tables differ in each, so what depends on
/// their order shows here.
@Suite("Replay")
struct ReplayTests {
    private func hash(seed: UInt64) throws -> String {
        let seconds = isSoak ? "600" : "40"
        let outcome = try BuiltProgram("SimulationHash").run([String(seed), "20", seconds])
        #expect(outcome.status == 0)
        return outcome.output
    }

    @Test("two processes with one seed see the same, to the last byte", arguments: isSoak ? Array(1...8) : [1, 2])
    func replays(seed: UInt64) throws {
        let first = try hash(seed: seed)
        #expect(first == (try hash(seed: seed)))
        #expect(first.contains("crashes=") && first.split(separator: " ")[0].count == 64)
    }

    @Test("another seed sees something else")
    func differs() throws { #expect(try hash(seed: 1) != hash(seed: 3)) }

    @Test("arguments that are no numbers are refused")
    func usage() throws {
        let outcome = try BuiltProgram("SimulationHash").run(["x"])
        #expect(outcome.output.hasPrefix("usage:"))
        #expect(outcome.status == 2)
    }
}
