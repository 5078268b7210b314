import Dispatch
import Domain
import Support

@testable import BluetoothHCI

/// Real time, which a test pushes on when it would have to wait for long.
final class LeapingClock: Sendable {
    private struct Hand {
        let queue: DispatchQueue
        weak var timers: DispatchTimers?
    }

    private let ahead = Watched(Milliseconds(0))
    private let hands = Watched([Hand]())

    /// Timers that go by this clock.
    var timers: @Sendable (DispatchQueue) -> any RadioTimers {
        { [ahead, hands] queue in
            let timers = DispatchTimers(queue: queue) { DispatchTimers.uptime + ahead.look { $0 } }
            hands.change { $0.append(Hand(queue: queue, timers: timers)) }
            return timers
        }
    }

    /// Pushes the time on; whatever is due by then has run when this returns. Not from a radio's queue.
    func leap(by span: Milliseconds) {
        ahead.change { $0 = $0 + span }
        for hand in hands.look({ $0 }) { hand.queue.sync { hand.timers?.clockLeapt() } }
    }
}
