import Domain

/// Time that a script moves on.
final class ScriptTimers: RadioTimers {
    private(set) var now = Uptime(milliseconds: 1_000_000)
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

    /// Moves on, and fires what is due. What sets itself anew without any time going by never comes to an end.
    func advance(by span: Milliseconds) {
        let end = now + span
        var fired = 0
        while let next = actions.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }), next.value.due <= end {
            fired += 1
            require(fired < 100_000, "timers without end")
            now = max(now, next.value.due)
            actions[next.key] = nil
            next.value.action()
        }
        now = end
    }
}
