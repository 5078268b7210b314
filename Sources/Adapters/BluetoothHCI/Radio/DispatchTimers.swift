import Dispatch
import Domain
import Glibc

/// Timers on a radio's queue: one dispatch timer, set to whatever is due next.
///
/// `@unchecked Sendable`, because the dispatch timer's handler must be: everything here is touched on `queue` only.
final class DispatchTimers: RadioTimers, @unchecked Sendable {
    private struct Entry {
        let due: Uptime
        let timer: RadioTimer
        let action: () -> Void
    }

    private let queue: DispatchQueue
    private let clock: () -> Uptime
    private let source: any DispatchSourceTimer
    /// In order of time.
    private var entries: [Entry] = []
    private var last: UInt64 = 0
    /// What the source is set to.
    private var armed: Uptime?
    /// What was due before that waits for what came in meanwhile.
    private var heldBefore: Uptime?

    /// - Parameter clock: Tells the time; tests push theirs on, and call ``clockLeapt()`` then.
    init(queue: DispatchQueue, clock: @escaping @Sendable () -> Uptime = { DispatchTimers.uptime }) {
        self.queue = queue
        self.clock = clock
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.fired() }
        source.resume()
    }

    deinit { source.cancel() }

    var now: Uptime { clock() }
    /// Timers that have not fired.
    var count: Int { entries.count }

    /// The clock that also runs while the machine sleeps: a timeout does not outlive a suspend.
    static var uptime: Uptime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Uptime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    @discardableResult
    func after(_ delay: Milliseconds, _ action: @escaping () -> Void) -> RadioTimer {
        last += 1
        let entry = Entry(due: now + delay, timer: RadioTimer(number: last), action: action)
        let place = entries.firstIndex { $0.due > entry.due } ?? entries.endIndex
        entries.insert(entry, at: place)
        if delay <= 0 {
            // The queue itself is a shorter way than the kernel's clock and the thread that serves it.
            queue.async { [weak self] in self?.fire() }
        } else if place == 0 {
            arm()
        } else if let first = entries.first, first.due <= now {
            // The machine slept, and the kernel's clock for us with it.
            queue.async { [weak self] in self?.fire() }
        }
        return entry.timer
    }

    func cancel(_ timer: RadioTimer?) {
        guard let timer, let place = entries.firstIndex(where: { $0.timer == timer }) else { return }
        entries.remove(at: place)
        if place == 0 { arm() }
    }

    /// Runs what has become due by a leap of the clock.
    func clockLeapt() {
        heldBefore = nil
        runDue()
    }

    private func arm() {
        guard heldBefore == nil, armed != entries.first?.due else { return }
        armed = entries.first?.due
        guard let first = entries.first else { return source.schedule(deadline: .distantFuture) }
        source.schedule(deadline: .now() + .milliseconds(Int(max(0, (first.due - now).count))))
    }

    private func fired() {
        armed = nil
        guard heldBefore == nil else { return clockLeapt() }
        fire()
    }

    /// It is time for something; unless that was long ago, because the queue was held up or the machine slept. Then what came
    /// in meanwhile goes first: an answer that only waits to be read must not count as missing.
    private func fire() {
        if heldBefore == nil, let first = entries.first, now - first.due >= BluetoothPolicy.lateness {
            heldBefore = now
            armed = nil
            source.schedule(deadline: .now() + .milliseconds(Int(BluetoothPolicy.inputGrace.count)))
        }
        runDue()
    }

    private func runDue() {
        while let place = nextPlace, entries[place].due <= now { entries.remove(at: place).action() }
        arm()
    }

    /// The place of the first entry that is not held back.
    private var nextPlace: Int? {
        guard let heldBefore else { return entries.isEmpty ? nil : 0 }
        return entries.firstIndex { $0.due >= heldBefore }
    }
}
