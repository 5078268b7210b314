import Domain

@testable import BluetoothHCI

/// Time that a test turns by hand.
final class HandTimers: RadioTimers {
    private(set) var now = Uptime(milliseconds: 5_000_000)
    private var actions: [UInt64: (due: Uptime, action: () -> Void)] = [:]
    private var last: UInt64 = 0

    /// Timers that have not fired.
    var count: Int { actions.count }

    func after(_ delay: Milliseconds, _ action: @escaping () -> Void) -> RadioTimer {
        last += 1
        actions[last] = (now + delay, action)
        return RadioTimer(number: last)
    }

    func cancel(_ timer: RadioTimer?) {
        if let timer { actions[timer.number] = nil }
    }

    /// Goes to a time, not past the next timer, and fires that.
    ///
    /// - Returns: Whether one fired.
    func step(to time: Uptime) -> Bool {
        guard let next = actions.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }), next.value.due <= time
        else {
            now = max(now, time)
            return false
        }
        now = max(now, next.value.due)
        actions[next.key] = nil
        next.value.action()
        return true
    }
}
