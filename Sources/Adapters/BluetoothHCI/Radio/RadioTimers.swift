import Domain

/// Names a timer, to cancel it.
struct RadioTimer: Hashable {
    let number: UInt64
}

/// The time as the layers of one radio see it. Confined to the radio's queue; tests turn the hands themselves.
protocol RadioTimers: AnyObject {
    /// The time now.
    var now: Uptime { get }
    /// Runs `action` once, `delay` from now, on the radio's queue.
    @discardableResult
    func after(_ delay: Milliseconds, _ action: @escaping () -> Void) -> RadioTimer
    /// Forgets a timer; one that has fired, or `nil`, is nothing.
    func cancel(_ timer: RadioTimer?)
}
