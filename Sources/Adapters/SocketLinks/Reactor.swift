import Glibc

/// Something with a descriptor that the I/O thread watches.
protocol Watcher: AnyObject {
    /// The descriptor; `nil` or closed (-1) while there is nothing to watch.
    var descriptor: Descriptor { get }
    /// `POLLIN`, `POLLOUT` or both; 0 watches for errors only.
    var interest: Int32 { get }
    /// Called when one of these, an error or a hang-up is there.
    func ready(_ events: Int32)
}

/// The loop of the one I/O thread: descriptors and timers. Confined to that thread once it runs.
///
/// `poll` and not `epoll`: a node has tens of links, where both cost the same, and the Glibc module shows only `poll`.
final class Reactor {
    /// Names a timer, to cancel it.
    struct TimerID: Hashable {
        fileprivate let number: UInt64
    }

    private struct Timer {
        let deadline: Int64
        let id: TimerID
        let action: () -> Void
    }

    private var watchers: [any Watcher] = []
    private var timers: [Timer] = []
    private var lastTimer: UInt64 = 0
    private var polled: [pollfd] = []

    func add(_ watcher: any Watcher) { watchers.append(watcher) }

    func remove(_ watcher: any Watcher) { watchers.removeAll { $0 === watcher } }

    /// Runs `action` once, `delay` milliseconds from now.
    @discardableResult
    func after(_ delay: Int64, _ action: @escaping () -> Void) -> TimerID {
        lastTimer += 1
        let timer = Timer(deadline: monotonicMilliseconds() + delay, id: TimerID(number: lastTimer), action: action)
        let place = timers.firstIndex { $0.deadline > timer.deadline } ?? timers.endIndex
        timers.insert(timer, at: place)
        return timer.id
    }

    func cancel(_ timer: TimerID?) { timers.removeAll { $0.id == timer } }

    /// Waits for something to happen, then serves every descriptor that is ready once, and the timers that are due.
    ///
    /// Level-triggered: what a watcher leaves unread is there again next turn, after everybody else had theirs.
    func turn() {
        let present = watchers
        polled.removeAll(keepingCapacity: true)
        for watcher in present {
            polled.append(
                pollfd(fd: watcher.descriptor.number, events: Int16(truncatingIfNeeded: watcher.interest), revents: 0))
        }
        let count = poll(&polled, nfds_t(polled.count), timeout())
        if count > 0 {
            for (watcher, result) in zip(present, polled) where result.revents != 0 {
                // A watcher that was closed earlier in this turn has -1; its number may be somebody else's by now.
                guard watcher.descriptor.number == result.fd else { continue }
                watcher.ready(Int32(result.revents))
            }
        }
        fireTimers()
    }

    private func timeout() -> Int32 {
        guard let first = timers.first else { return -1 }
        return Int32(clamping: max(0, first.deadline - monotonicMilliseconds()))
    }

    private func fireTimers() {
        let now = monotonicMilliseconds()
        while let first = timers.first, first.deadline <= now {
            timers.removeFirst()
            first.action()
        }
    }
}
