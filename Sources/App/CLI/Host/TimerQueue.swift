import Application
import Domain

/// Timers that wait, earliest first; those due at one time in the order in which they were asked for.
///
/// A binary heap with lazy removal: a replaced or cancelled timer leaves a stale entry behind, which is passed over when
/// its time comes, or swept out when stale entries outnumber the others.
struct TimerQueue {
    private struct Entry {
        let time: Uptime
        let number: UInt64
        let timer: Timer

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Entry] = []
    /// The number of the entry that counts, for each timer that waits.
    private var current: [Timer: UInt64] = [:]
    /// Rises with every timer scheduled.
    private(set) var lastNumber: UInt64 = 0

    /// Timers that wait.
    var count: Int { current.count }

    /// Entries kept, stale ones too.
    var storedCount: Int { heap.count }

    /// Adds a timer in place of one equal to it.
    mutating func schedule(_ timer: Timer, at time: Uptime) {
        lastNumber += 1
        current[timer] = lastNumber
        heap.append(Entry(time: time, number: lastNumber, timer: timer))
        rise(from: heap.count - 1)
        sweep()
    }

    /// Forgets a timer.
    mutating func cancel(_ timer: Timer) {
        if current.removeValue(forKey: timer) != nil { sweep() }
    }

    /// When the first timer is due; `nil` when none waits.
    mutating func earliest() -> Uptime? {
        dropStale()
        return heap.first?.time
    }

    /// Takes the first timer that is due at `now`, unless it was scheduled after `number`.
    ///
    /// - Parameter number: What ``lastNumber`` was when a round of calls began.
    mutating func popDue(at now: Uptime, upTo number: UInt64 = .max) -> Timer? {
        dropStale()
        guard let first = heap.first, first.time <= now, first.number <= number else { return nil }
        removeFirst()
        current[first.timer] = nil
        return first.timer
    }

    private func isStale(_ entry: Entry) -> Bool { current[entry.timer] != entry.number }

    private mutating func dropStale() {
        while let first = heap.first, isStale(first) { removeFirst() }
    }

    private mutating func sweep() {
        guard heap.count > 64, heap.count > 2 * current.count else { return }
        // A sorted array is a heap.
        heap = heap.filter { !isStale($0) }.sorted { $0.isBefore($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(from: 0)
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(from start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
