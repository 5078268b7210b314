import Application
import Domain

/// An event log that does not change: a copy of what a journal holds, or what a test made up.
public struct EventList: EventHistory {
    /// The events, with rising sequence numbers.
    public let events: [LoggedEvent]

    /// Takes events whose sequence numbers rise.
    public init(_ events: [LoggedEvent]) { self.events = events }

    /// At most `limit` events with a sequence above `sequence`, in order.
    public func events(after sequence: UInt64, limit: Int) -> [LoggedEvent] {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return Array(events[low...].prefix(max(0, limit)))
    }

    /// The lowest and the highest sequence; `nil` when there are no events.
    public func bounds() -> ClosedRange<UInt64>? {
        guard let first = events.first, let last = events.last else { return nil }
        return first.sequence...last.sequence
    }
}
