import Domain

/// Tells the time; the only way in which the core learns it.
public protocol Clock: AnyObject {
    /// The wall clock, for wire timestamps and stored expiries.
    var wall: WallTime { get }
    /// The monotonic clock, for windows, timeouts and rates.
    var uptime: Uptime { get }
    /// Whether the kernel says that something keeps the wall clock right; `nil` when it cannot be asked.
    var isSynchronised: Bool? { get }
}

/// Calls the node back: ``Node/fired(_:)``, once, at or after the time asked for.
public protocol Scheduler: AnyObject {
    /// Schedules a timer; one equal to it that still waits is replaced.
    func schedule(_ timer: Timer, at time: Uptime)
    /// Forgets a timer; no effect when it does not wait.
    func cancel(_ timer: Timer)
}
