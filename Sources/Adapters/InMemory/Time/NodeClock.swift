import Application
import Domain

/// The clocks of one simulated node: the world's time as its uptime, and a wall clock that may be wrong.
public final class NodeClock: Clock {
    private let time: VirtualTime
    private let base: WallTime

    /// How far this node's wall clock runs ahead of the truth; negative when it is behind. Set it to make the clock jump.
    public var skew: Milliseconds

    /// What this node's kernel says of its clock; `nil` as long as nobody asks.
    public var isSynchronised: Bool?

    /// A wall clock that shows `base + skew` when the world's time is zero.
    ///
    /// - Parameter base: The true time at the world's start; 2023-11-14T22:13:20Z unless said.
    public init(
        _ time: VirtualTime, base: WallTime = WallTime(milliseconds: 1_700_000_000_000), skew: Milliseconds = 0
    ) {
        self.time = time
        self.base = base
        self.skew = skew
    }

    /// The world's time, the same for every node.
    public var uptime: Uptime { time.now }

    /// What this node takes for the time of day; kept at the ends of the range when the skew leads beyond them.
    public var wall: WallTime {
        let offset = time.now.milliseconds &+ skew.count
        let (sum, overflow) =
            offset >= 0
            ? base.milliseconds.addingReportingOverflow(offset.magnitude)
            : base.milliseconds.subtractingReportingOverflow(offset.magnitude)
        return WallTime(milliseconds: !overflow ? sum : offset >= 0 ? .max : 0)
    }

    /// Moves the wall clock, as NTP or a person does; the uptime does not move.
    public func jump(by span: Milliseconds) { skew = skew + span }
}
