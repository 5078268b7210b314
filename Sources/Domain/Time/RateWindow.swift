/// Counts events in a sliding window; an event counts while it is younger than the window. Refused ones do not count.
///
/// Memory is bounded by the limit. Source: spec, noise §3.7.
public struct RateWindow: Sendable {
    private let limit: Int
    private let window: Milliseconds
    /// Times of the counted events as a ring, oldest at `head`.
    private var times: [Uptime] = []
    private var head = 0

    /// Allows `limit` events within `window`.
    public init(limit: Int, window: Milliseconds) {
        self.limit = limit
        self.window = window
    }

    /// Whether one more event is within the limit now.
    public func allows(at now: Uptime) -> Bool {
        // The ring holds the last `limit` events: one more fits when the oldest of them has left the window.
        times.count < limit || now - times[head] >= window
    }

    /// Counts an event that ``allows(at:)`` let pass.
    public mutating func record(at now: Uptime) {
        if times.count < limit {
            times.append(now)
        } else if limit > 0 {
            times[head] = now
            head = (head + 1) % limit
        }
    }

    /// Whether every counted event has left the window, so that nothing is lost with this value.
    public func isIdle(at now: Uptime) -> Bool {
        guard let last = times.isEmpty ? nil : times[(head + times.count - 1) % times.count] else { return true }
        return now - last >= window
    }
}
