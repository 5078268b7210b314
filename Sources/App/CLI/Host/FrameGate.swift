import Dispatch

/// Lets only so many received frames wait for the node.
///
/// Links can read faster than the node judges. Without a bound a flood would grow the node's queue for as long as it
/// lasts; at the gate the I/O thread stands still instead, stops reading, and the kernel makes the sender wait.
///
/// What the I/O thread waits for is the node's queue, which itself never waits for the I/O thread.
final class FrameGate: Sendable {
    /// Frames that may wait: a burst from every link fits, and with the largest frames they hold 16 MiB.
    static let usualLimit = 256

    private let places: DispatchSemaphore

    /// Makes a gate with all its places free.
    init(limit: Int = FrameGate.usualLimit) {
        // Dispatch traps when a semaphore goes with less than it was made with, as at a stop with frames on their way.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<limit { places.signal() }
    }

    /// Takes a place; waits until there is one.
    func enter() { places.wait() }

    /// Gives a place back.
    func leave() { places.signal() }
}
