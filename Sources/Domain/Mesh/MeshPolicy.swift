/// The tunables of the mesh layer. Source: spec, mesh §26, unless a line says otherwise.
public struct MeshPolicy: Sendable {
    /// Hops that a packet starts with; also the mark of an announce that came directly.
    public static let originTTL = PacketPolicy.originTTL
    /// How far a packet's time may be from ours, in milliseconds, inclusive: bounds replay (§3).
    public static let maximumSkew = PacketPolicy.maximumSkew
    /// The oldest public message taken; what gossip sync serves (§6).
    public static let publicMessageMaximumAge: Milliseconds = .seconds(21_600)
    /// The oldest public voice frame taken (§6).
    public static let voiceMaximumAge: Milliseconds = .seconds(30)

    /// The first announce after the start (§12.2).
    public static let initialAnnounceDelay: Milliseconds = 600
    /// How long after a neighbour opened a link we announce, and what waited for a link may try it. A link that we opened
    /// is up once its far end has confirmed, and needs no such time (§11, §12.2).
    public static let acceptedLinkSettling: Milliseconds = 400
    /// Least time between forced announces (§12.2).
    public static let forcedAnnounceInterval: Milliseconds = 150
    /// How long one peer is not answered again with an announce (§12.3).
    public static let announceBackInterval: Milliseconds = .seconds(300)
    /// Push a new peer's presence one hop on after this long, uniformly (§12.3).
    public static let afterglowDelay: ClosedRange<Int64> = 300...600

    /// Announce this often while nobody is connected (§12.4).
    public static let lonelyAnnounceInterval: Milliseconds = .seconds(4)
    /// Announce this often with few neighbours; drawn anew in each tick (§12.4).
    public static let sparseAnnounceInterval: ClosedRange<Int64> = 11_000...19_000
    /// Announce this often with many neighbours (§12.4).
    public static let denseAnnounceInterval: ClosedRange<Int64> = 22_000...38_000
    /// Connected peers from which a place counts as dense.
    public static let denseDegree = 6
    /// Traffic this fresh allows an announce after ``busyAnnounceInterval`` (§12.4).
    public static let recentTraffic: Milliseconds = .seconds(5)
    /// See ``recentTraffic``.
    public static let busyAnnounceInterval: Milliseconds = .seconds(10)

    /// The maintenance tick (§23).
    public static let maintenanceInterval: Milliseconds = .seconds(5)
    /// A peer without a link stays connected at most this long (§15).
    public static let linklessPeerTimeout: Milliseconds = .seconds(8)
    /// A verified peer is remembered as reachable this long; above the longest gap between announces (§15).
    public static let peerRetention: Milliseconds = .seconds(60)
    /// One whose announce was not checked, for a shorter time (§15).
    public static let unverifiedPeerRetention: Milliseconds = .seconds(45)
    /// A link's peer may change at most this often (§13.2).
    public static let rebindInterval: Milliseconds = .seconds(60)
    /// A session is proved again on a new link at most this often (§14).
    public static let revalidationInterval: Milliseconds = .seconds(60)
    /// The same, on a link that a completed handshake did not prove (§14).
    public static let unprovableInterval: Milliseconds = .seconds(600)
    /// Least time between two reports that a peer disconnected (§13.4).
    public static let disconnectReportInterval: Milliseconds = 900

    /// How long a ping waits (§18).
    public static let pingTimeout: Milliseconds = .seconds(10)
    /// The window of ``pingAnswersPerLink``: an answer exactly ten seconds old still counts (§18).
    public static let pingWindow: Milliseconds = 10_001
    /// Pings answered per link within ``pingWindow``: bounds amplification (§18).
    public static let pingAnswersPerLink = 5

    /// Peers kept in the registry. [ours]: a flood of invented identities must not grow memory; a crowd is smaller.
    public static let maximumPeers = 2_000
    /// The narrowest link that is taken, in bytes: the smallest fragment of a directed packet (packet §4.4). [ours]: one
    /// neighbour with a narrower one would have everything cut to crumbs for all.
    public static let minimumFrameLimit = 107
    /// Links accepted at once. [ours]: bounds the work per packet.
    public static let maximumLinks = 256

    /// Trains of fragments that may be leaving when a relayed packet has to be cut; with more it is not passed on.
    /// [ours]: a fast link must not fill memory with what leaves slowly on a narrow one.
    public static let maximumTrainsWhileRelaying = 16
    /// Of those, how many may be of packets that came on one link.
    public static let maximumTrainsPerLink = maximumTrainsWhileRelaying / 2

    /// Inflated bytes that one link may cost in a burst: two of the largest payloads (issue: budgets per link).
    public static let inflationBurst: Int64 = 2 * 1024 * 1024
    /// Inflated bytes that one link may cost per second.
    public static let inflationPerSecond: Int64 = 1024 * 1024
    /// Signature checks that one link may cost, in a burst and per second: far above honest traffic, a few percent of a core.
    public static let signatureChecksPerSecond: Int64 = 100
}
