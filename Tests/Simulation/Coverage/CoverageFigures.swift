import Domain
import Foundation

/// What many runs came to.
struct CoverageFigures: Sendable {
    /// Messages sent.
    private(set) var runs = 0
    /// Runs that covered every node.
    private(set) var full = 0
    /// (Run, node) pairs that were covered, the writer's included, and all of them.
    private(set) var covered = 0
    private(set) var pairs = 0
    /// The fewest nodes that a run covered.
    private(set) var least = Int.max
    /// Frames sent, lost ones included.
    private(set) var frames = 0
    /// The sum of the times until the last node had its first copy, in milliseconds.
    private var duration: Int64 = 0

    /// Adds a run.
    mutating func add(covered count: Int, of nodes: Int, frames: Int, duration: Milliseconds = 0) {
        runs += 1
        if count == nodes { full += 1 }
        covered += count
        pairs += nodes
        least = min(least, count)
        self.frames += frames
        self.duration += duration.count
    }

    /// Adds a run.
    mutating func add(_ spread: Spread, of nodes: Int) {
        add(covered: spread.covered.count, of: nodes, frames: spread.hops.count, duration: spread.duration)
    }

    static func + (left: CoverageFigures, right: CoverageFigures) -> CoverageFigures {
        var sum = left
        sum.runs += right.runs
        sum.full += right.full
        sum.covered += right.covered
        sum.pairs += right.pairs
        sum.least = min(left.least, right.least)
        sum.frames += right.frames
        sum.duration += right.duration
        return sum
    }

    /// The share of runs that covered every node.
    var fullShare: Double { Double(full) / Double(max(runs, 1)) }
    /// The share of (run, node) pairs that were covered.
    var pairShare: Double { Double(covered) / Double(max(pairs, 1)) }

    static let head =
        "  rule                      runs   full coverage   nodes covered   least   frames/message   last copy"

    /// A line of the table.
    func line(_ name: String) -> String {
        let perRun = Double(max(runs, 1))
        let label = name.padding(toLength: 22, withPad: " ", startingAt: 0)
        let time = duration == 0 ? "-" : String(format: "%.0f ms", Double(duration) / perRun)
        return "  \(label)"
            + String(
                format: "%8d %13.2f %% %13.3f %% %7d %16.1f", runs, fullShare * 100, pairShare * 100, least,
                Double(frames) / perRun)
            + String(repeating: " ", count: max(1, 12 - time.count)) + time
    }
}
