import Domain

/// Time that the input moves on.
final class FuzzedTimers: RadioTimers {
    private(set) var now = Uptime(milliseconds: 0)
    private var actions: [(timer: RadioTimer, due: Uptime, action: () -> Void)] = []
    private var next: UInt64 = 0

    /// Timers that have not fired.
    var count: Int { actions.count }

    @discardableResult
    func after(_ delay: Milliseconds, _ action: @escaping () -> Void) -> RadioTimer {
        next += 1
        actions.append((RadioTimer(number: next), now + delay, action))
        return RadioTimer(number: next)
    }

    func cancel(_ timer: RadioTimer?) { actions.removeAll { $0.timer == timer } }

    /// Moves on, and fires what is due. What sets itself anew without any time going by never comes to an end.
    func advance(by span: Milliseconds) {
        let end = now + span
        var fired = 0
        while let first = actions.indices.min(by: { actions[$0].due < actions[$1].due }), actions[first].due <= end {
            fired += 1
            require(fired < 100_000, "timers without end")
            let action = actions.remove(at: first)
            now = max(now, action.due)
            action.action()
        }
        now = end
    }
}
