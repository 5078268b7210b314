import Application
import Dispatch
import Domain

/// Calls the node back at the times it asked for: one dispatch timer on the node's own queue, set to the earliest.
///
/// A dispatch timer stands still while the machine sleeps and ``Uptime`` does not. Whenever the timer fires, all that is
/// due by then is called, so that after a sleep the node is late by five seconds at most: its maintenance tick.
final class DispatchScheduler: Scheduler {
    private let queue: DispatchQueue
    private let source: any DispatchSourceTimer
    private let clock: any Clock
    private let fire: (Timer) -> Void
    private var timers = TimerQueue()
    /// What the source is set to.
    private var alarm: Uptime?

    /// Makes a scheduler.
    ///
    /// - Parameters:
    ///   - queue: The node's queue; every call comes from it and every timer fires on it.
    ///   - fire: Tells the node; never called from inside ``schedule(_:at:)``.
    init(queue: DispatchQueue, clock: any Clock, fire: @escaping (Timer) -> Void) {
        self.queue = queue
        self.clock = clock
        self.fire = fire
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.ring() }
        source.activate()
    }

    deinit { source.cancel() }

    /// Schedules a timer; one equal to it that still waits is replaced.
    func schedule(_ timer: Timer, at time: Uptime) {
        timers.schedule(timer, at: time)
        setAlarm()
    }

    /// Forgets a timer. The alarm stays: one that finds nothing due costs little.
    func cancel(_ timer: Timer) { timers.cancel(timer) }

    private func ring() {
        alarm = nil
        // One at a time, so that a timer which an earlier one cancelled does not fire; what is scheduled meanwhile for a
        // time that has come waits for the next ring, so that frames get their turn.
        let (now, last) = (clock.uptime, timers.lastNumber)
        while let timer = timers.popDue(at: now, upTo: last) { fire(timer) }
        setAlarm()
    }

    private func setAlarm() {
        guard let earliest = timers.earliest() else { return }
        if let alarm, alarm <= earliest { return }
        alarm = earliest
        let wait = max(0, (earliest - clock.uptime).count)
        source.schedule(deadline: .now() + .milliseconds(Int(clamping: wait)), leeway: .milliseconds(1))
    }
}
