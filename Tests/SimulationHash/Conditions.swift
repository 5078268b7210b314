import Domain
import InMemory

/// What a simulated world does to its nodes.
package struct Conditions {
    /// How every link behaves. The frame limit is drawn from ``frameLimits`` for each link.
    package var profile = LinkProfile(
        latency: 5...120, loss: 0.04, duplication: 0.03, reordering: 0.05, corruption: 0.01, bytesPerSecond: 40_000,
        queueLimit: 16_384)
    /// The largest frames of links: a phone's, and a socket's.
    package var frameLimits = [512, 512, 65_536]
    /// The mean time between two links going down; `nil`: none does.
    package var linkLifetime: Milliseconds? = .seconds(4)
    /// The mean time between two crashes; `nil`: no node crashes.
    package var crashInterval: Milliseconds? = .seconds(12)
    /// How long a crashed node stays away, in milliseconds.
    package var downtime: ClosedRange<Int64> = 500...40_000
    /// How long a commit takes, in milliseconds: one of these ranges for each node. A worn SD card takes seconds.
    package var commitDelays: [ClosedRange<Int64>] = [1...10, 1...400, 1000...3000]
    /// The probability that a change cannot be kept.
    package var commitFailure = 0.02
    /// How wrong wall clocks are, in milliseconds either way.
    package var clockSkew: Int64 = 20_000
    /// How long people only meet before they begin to talk.
    package var warmUp: Milliseconds = .seconds(5)
    /// The mean time between two public messages.
    package var publicInterval: Milliseconds = .seconds(2)
    /// The mean time between two private messages; short, so that many wait for a receipt when a session is replaced.
    package var privateInterval: Milliseconds = 300
    /// The mean time between two files to everyone.
    package var fileInterval: Milliseconds = .seconds(45)

    /// A rough night.
    package static let rough = Conditions()

    /// A world in which nothing goes wrong, so that everything must arrive.
    package static let calm: Conditions = {
        var calm = Conditions()
        calm.profile = LinkProfile(latency: 5...40)
        calm.linkLifetime = nil
        calm.crashInterval = nil
        calm.commitDelays = [1...10]
        calm.commitFailure = 0
        calm.warmUp = .seconds(15)
        return calm
    }()
}
