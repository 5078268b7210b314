import Domain

/// The one event queue of a simulated world: time passes only when the next event is taken.
///
/// Events run in the order of their time, and those of one time in the order in which they were put in, so a run depends
/// on nothing but its inputs. Putting in, taking out and cancelling cost O(log n).
public final class VirtualTime {
    /// The time of the event that runs, or of the last one that ran.
    public private(set) var now: Uptime
    /// How many events have run.
    public private(set) var eventsRun: UInt64 = 0

    private var heap: [Key] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var insertions: UInt64 = 0

    /// Names an event that waits, to cancel it.
    public struct Token: Hashable, Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    private struct Key {
        let time: Int64
        let number: UInt64
        let slot: Int

        func precedes(_ other: Key) -> Bool { time != other.time ? time < other.time : number < other.number }
    }

    private struct Slot {
        var number: UInt64
        var position: Int
        var action: (() -> Void)?
    }

    /// Starts a world.
    public init(now: Uptime = Uptime(milliseconds: 0)) { self.now = now }

    /// Whether nothing waits.
    public var isIdle: Bool { heap.isEmpty }

    /// How many events wait.
    public var pendingCount: Int { heap.count }

    /// When the next event is due; `nil` when nothing waits.
    public var nextTime: Uptime? { heap.first.map { Uptime(milliseconds: $0.time) } }

    /// Runs `action` at a time; at once, behind what waits for this very moment, when that time has passed.
    @discardableResult
    public func at(_ time: Uptime, _ action: @escaping () -> Void) -> Token {
        insertions += 1
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = slots.count
            slots.append(Slot(number: 0, position: 0, action: nil))
        }
        slots[slot] = Slot(number: insertions, position: heap.count, action: action)
        heap.append(Key(time: max(time, now).milliseconds, number: insertions, slot: slot))
        siftUp(heap.count - 1)
        return Token(slot: slot, number: insertions)
    }

    /// Runs `action` after a span.
    @discardableResult
    public func after(_ span: Milliseconds, _ action: @escaping () -> Void) -> Token { at(now + span, action) }

    /// Forgets an event; `false` when it has run or was cancelled.
    @discardableResult
    public func cancel(_ token: Token) -> Bool {
        guard slots.indices.contains(token.slot), slots[token.slot].number == token.number,
            slots[token.slot].action != nil
        else { return false }
        remove(at: slots[token.slot].position)
        return true
    }

    /// Runs the next event; `false` when nothing waits.
    @discardableResult
    public func step() -> Bool {
        guard let first = heap.first else { return false }
        now = Uptime(milliseconds: first.time)
        let action = remove(at: 0)
        eventsRun += 1
        action?()
        return true
    }

    /// Runs every event that is due up to and at `end`, then lets the clock stand at `end`.
    public func run(until end: Uptime) {
        while let next = heap.first, next.time <= end.milliseconds { step() }
        now = max(now, end)
    }

    /// Lets a span pass.
    public func run(for span: Milliseconds) { run(until: now + span) }

    /// Runs until nothing waits or `limit` events have run; whether nothing waits.
    @discardableResult
    public func runUntilIdle(limit: Int = 1_000_000) -> Bool {
        var left = limit
        while left > 0, step() { left -= 1 }
        return isIdle
    }

    @discardableResult
    private func remove(at position: Int) -> (() -> Void)? {
        let slot = heap[position].slot
        let action = slots[slot].action
        slots[slot].action = nil
        freeSlots.append(slot)
        let last = heap.removeLast()
        if position < heap.count {
            place(last, at: position)
            siftDown(position)
            siftUp(slots[last.slot].position)
        }
        return action
    }

    private func place(_ key: Key, at position: Int) {
        heap[position] = key
        slots[key.slot].position = position
    }

    private func siftUp(_ start: Int) {
        let key = heap[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard key.precedes(heap[parent]) else { break }
            place(heap[parent], at: position)
            position = parent
        }
        place(key, at: position)
    }

    private func siftDown(_ start: Int) {
        let key = heap[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(key) else { break }
            place(heap[child], at: position)
            position = child
        }
        place(key, at: position)
    }
}
