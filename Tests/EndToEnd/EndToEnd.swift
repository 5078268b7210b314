import Foundation
import Support
import Testing

/// Real nodes in processes of their own. One test after another: each has several processes, and its waits are real.
@Suite("End to end", .serialized, .timeLimit(.minutes(15)))
enum EndToEnd {
    /// Whether there is time for many rounds and quiet enough to judge speeds: `SATCHEL_SOAK=1`.
    static let isSoak = ProcessInfo.processInfo.environment["SATCHEL_SOAK"] == "1"
}
