/// The tunables of relaying. Source: spec, mesh §7, §8, §26, unless a line says otherwise. Delays in milliseconds.
public struct RelayPolicy: Sendable {
    /// Up to so many connected peers a place is a thin chain.
    public static let chainDegree = 2
    /// From so many connected peers on it is a crowd; ``MeshPolicy/denseDegree`` is where "dense" begins.
    public static let crowdDegree = 10

    /// What a broadcast's TTL is cut to in a dense place: a few hops reach everybody.
    public static let denseTTL: UInt8 = 5
    /// What an ordinary broadcast's TTL is cut to between chain and dense.
    public static let ordinaryTTL: UInt8 = 6
    /// What a fragment's or voice frame's TTL is cut to where it is not dense: media reaches as far as text.
    public static let mediaTTL: UInt8 = 7

    /// Session set-up must be fast.
    public static let handshakeDelay: ClosedRange<Int64> = 10...35
    /// Directed traffic.
    public static let directedDelay: ClosedRange<Int64> = 20...60
    /// Short, so that voice stays inside its buffer.
    public static let mediaDelay: ClosedRange<Int64> = 8...25
    /// Broadcasts in a thin chain: nothing to wait for.
    public static let chainDelay: ClosedRange<Int64> = 10...40
    /// Broadcasts with three to five neighbours.
    public static let ordinaryDelay: ClosedRange<Int64> = 60...150
    /// Broadcasts with six to nine neighbours: wider, so that a neighbour's copy can come first.
    public static let denseDelay: ClosedRange<Int64> = 80...180
    /// Broadcasts in a crowd.
    public static let crowdDelay: ClosedRange<Int64> = 100...220

    /// Relays that may wait for their moment at once. [ours]: delays are at most 220 ms, so this is 2,300 packets a second;
    /// what exceeds it is not passed on.
    public static let maximumScheduled = 512
    /// Bytes that waiting relays may hold. [ours]: memory.
    public static let maximumScheduledBytes = 4 * 1024 * 1024

    /// How long a directed packet without a link to leave on is kept for one, inclusive (§11).
    public static let spoolLifetime: Milliseconds = .seconds(60)
    /// Packets kept for one recipient (§11).
    public static let spoolPerRecipient = 64
    /// Packets kept that came in on one link. [ours]: one neighbour must not push out what others brought.
    public static let spoolPerLink = 128
    /// Bytes kept that came in on one link. [ours]
    public static let spoolBytesPerLink = 1024 * 1024
    /// Packets kept in all; the oldest go first (§11).
    public static let spoolInAll = 512
    /// Bytes kept in all. [ours]: memory.
    public static let spoolBytes = 4 * 1024 * 1024

    /// Bytes that a source may send at its turn, on average: a radio's frame. Who sends larger ones waits for more turns.
    /// [ours]
    public static let turnBytes = 512
    /// Trains up to this long are ranked by their exact number of fragments: Android takes no longer ones (packet §4.4).
    public static let exactlyRankedFragments: UInt16 = 256
    /// Bytes that may wait on one link; what matters least goes first (§20).
    public static let queueBytes = 1_000_000
    /// Bytes that may wait on all links together. [ours]: memory of a small machine.
    public static let queueBytesInAll = 16_000_000
    /// Bytes that may wait on a link even then. [ours]: some of the largest frames.
    public static let reservedQueueBytes = 65_536

    /// The most intermediate hops of a route that we choose: longer stale paths fail more often than floods (§17.2).
    public static let maximumHops = 4
    /// How long a routed packet may stay unanswered (§17.4).
    public static let routeConfirmation: Milliseconds = .seconds(10)
    /// How long a recipient is flooded to after a route to it failed (§17.4).
    public static let routeSuppression: Milliseconds = .seconds(60)
    /// Recipients whose routes are watched at once. [ours]: memory; the one whose watch ends first is
    /// forgotten, and is routed to again.
    public static let maximumWatchedRoutes = 256
    /// How old the claims may be that a route is built on (§16).
    public static let topologyFreshness: Milliseconds = .seconds(60)
}
