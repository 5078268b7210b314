import Dispatch
import Glibc
import Synchronization

/// Tells a queue what a descriptor is ready for.
///
/// Not a dispatch source, for two reasons. On Linux those report reading and writing only, and the kernel shows the end of
/// an adapter as an error without either (`POLLERR`): the source would never fire, and the thread that serves all sources
/// would be woken again and again for it. And each event of a source costs several turns of threads: that thread wakes,
/// wakes one for the queue, and is woken once more to watch again, which with small packets is most of the work.
///
/// So one thread waits for the descriptor and does the queue's work itself: `sync` on an idle queue runs where it is called.
///
/// Confined to the queue, but for `deinit`.
final class DescriptorWatch {
    private let waiting: Waiting

    /// Whether to report room for writing. A socket nearly always has some, so only while something waits for it.
    var wantsRoom = false {
        didSet { if wantsRoom != oldValue { waiting.set(wantsRoom: wantsRoom) } }
    }

    /// Begins to watch; `nil`, with `errno` set, when the system does not.
    ///
    /// - Parameter ready: Given `POLLIN`, `POLLOUT`, `POLLERR` and `POLLHUP`, as they are there; called again as long as
    ///   they are.
    init?(_ descriptor: Int32, queue: DispatchQueue, ready: @escaping @Sendable (Int32) -> Void) {
        guard let waiting = Waiting(descriptor) else { return nil }
        self.waiting = waiting
        // A queue that nothing else is put on: a way to have a thread.
        DispatchQueue(label: "\(queue.label).descriptor").async {
            while let events = waiting.wait() {
                queue.sync { if !waiting.isCancelled { ready(events) } }
            }
        }
    }

    deinit { cancel() }

    /// Ends it; nothing is reported afterwards, and the descriptor may be closed: nobody waits for it any more.
    func cancel() { waiting.cancel() }
}

/// What the watching thread and the queue share.
private final class Waiting: Sendable {
    private struct State {
        var wantsRoom = false
        var isCancelled = false
        /// Whether the thread is in `poll`, or about to enter it.
        var isPolling = false
    }

    private let descriptor: Int32
    /// A pipe: what is written to one end ends the wait at the other.
    private let (wakeable, waker): (Int32, Int32)
    private let state = Mutex(State())
    /// Raised when the thread has come out of `poll` and finds itself cancelled.
    private let left = DispatchSemaphore(value: 0)

    init?(_ descriptor: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.descriptor = descriptor
        (wakeable, waker) = (ends[0], ends[1])
    }

    deinit {
        close(wakeable)
        close(waker)
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Waits until there is something to report; `nil` at the end.
    func wait() -> Int32? {
        while true {
            let wanted: Int32? = state.withLock { state in
                guard !state.isCancelled else { return nil }
                state.isPolling = true
                return state.wantsRoom ? POLLIN | POLLOUT : POLLIN
            }
            guard let wanted else { return nil }
            var entries = [
                pollfd(fd: descriptor, events: Int16(wanted), revents: 0),
                pollfd(fd: wakeable, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, -1)
            let isCancelled = state.withLock { state in
                state.isPolling = false
                return state.isCancelled
            }
            guard !isCancelled else {
                left.signal()
                return nil
            }
            guard count > 0 else { continue }
            if entries[1].revents != 0 { emptyPipe() }
            if entries[0].revents != 0 { return Int32(entries[0].revents) }
        }
    }

    func set(wantsRoom: Bool) {
        let isPolling = state.withLock { state in
            state.wantsRoom = wantsRoom
            return state.isPolling
        }
        if isPolling { wake() }
    }

    /// Returns when the thread is not in `poll` and will not enter it again.
    func cancel() {
        let mustWait = state.withLock { state in
            defer { state.isCancelled = true }
            return state.isPolling && !state.isCancelled
        }
        guard mustWait else { return }
        wake()
        left.wait()
    }

    /// A pipe that is full wakes as well as one with a byte.
    private func wake() { _ = write(waker, [1], 1) }

    private func emptyPipe() {
        var bytes = [UInt8](repeating: 0, count: 16)
        while read(wakeable, &bytes, bytes.count) == bytes.count {}
    }
}
