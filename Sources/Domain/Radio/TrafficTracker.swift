/// When packets were accepted lately: tells a conversation from silence.
///
/// Remembers the last 100 packets of the last 30 s in a ring of fixed size, so that noting one costs nothing.
///
/// Source: spec, mesh §22.
public struct TrafficTracker: Sendable {
    private var times: [Uptime] = []
    /// The place of the oldest time once the ring is full.
    private var head = 0

    /// Starts with silence.
    public init() {}

    /// When the last packet was accepted, however long ago.
    public private(set) var last: Uptime?

    /// Notes an accepted packet.
    public mutating func record(at now: Uptime) {
        last = now
        if times.count < RadioPolicy.maximumTrafficRecords {
            times.append(now)
        } else {
            times[head] = now
            head = (head + 1) % times.count
        }
    }

    /// The number of packets within the last 30 s, 100 at most.
    public func count(at now: Uptime) -> Int { times.count { now - $0 <= RadioPolicy.trafficMemory } }

    /// Whether a packet was accepted within a span that ends now, both ends included.
    public func isBusy(within span: Milliseconds, at now: Uptime) -> Bool { last.map { now - $0 <= span } ?? false }

    /// Forgets everything.
    public mutating func reset() { self = TrafficTracker() }
}
