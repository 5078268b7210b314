import Application
import Domain

/// The timers of one simulated node, in the world's event queue.
public final class NodeScheduler: Scheduler {
    /// Called with each timer that is due: the node's entry point.
    public var fire: (Timer) -> Void

    private let time: VirtualTime
    private var waiting: [Timer: VirtualTime.Token] = [:]

    /// Makes a scheduler; `fire` may be set later, since the node that it calls needs the scheduler first.
    public init(_ time: VirtualTime, fire: @escaping (Timer) -> Void = { _ in }) {
        self.time = time
        self.fire = fire
    }

    /// How many timers wait.
    public var count: Int { waiting.count }

    /// Whether a timer waits.
    public func isWaiting(_ timer: Timer) -> Bool { waiting[timer] != nil }

    /// Schedules a timer; one equal to it that still waits is replaced.
    public func schedule(_ timer: Timer, at due: Uptime) {
        cancel(timer)
        waiting[timer] = time.at(due) { [weak self] in
            guard let self else { return }
            waiting[timer] = nil
            fire(timer)
        }
    }

    /// Forgets a timer; no effect when it does not wait.
    public func cancel(_ timer: Timer) {
        if let token = waiting.removeValue(forKey: timer) { time.cancel(token) }
    }

    /// Forgets every timer: the node stops or crashes.
    public func cancelAll() {
        for token in waiting.values { time.cancel(token) }
        waiting.removeAll()
    }
}
