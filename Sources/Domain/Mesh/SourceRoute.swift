/// What a node does with the route that a packet carries.
///
/// Source: spec, mesh §17.3.
public enum RouteForwarding: Hashable, Sendable {
    /// Pass the packet on in no way.
    case suppress
    /// The route does not help here: decide as about any other packet.
    case flood
    /// To this neighbour alone, at once, with one hop less.
    case forward(to: PeerID)

    /// Decides; the first row that matches counts. An identifier that stands twice in a route counts where it stands first.
    ///
    /// - Parameter isConnected: Whether a peer is a neighbour now.
    public init(
        of packet: some PacketHeader, route: [PeerID], localPeer: PeerID, isConnected: (PeerID) -> Bool
    ) {
        guard packet.type != .requestSync, packet.recipient != localPeer else {
            self = .suppress
            return
        }
        guard let first = route.first else {
            self = .flood
            return
        }
        guard packet.ttl > 1 else {
            self = .suppress
            return
        }
        // A bystander helps too: it hands the packet to the first hop.
        var next: PeerID? = first
        if let index = route.firstIndex(of: localPeer) {
            next = index + 1 < route.count ? route[index + 1] : packet.recipient
        }
        self = next.flatMap { isConnected($0) ? .forward(to: $0) : nil } ?? .flood
    }
}

/// When a packet of ours gets a route.
///
/// Source: spec, mesh §17.2.
public enum RouteOrigination {
    /// The packet in its routed form, still to be signed; `nil` when it is to be sent as it is.
    ///
    /// - Parameters:
    ///   - isConnected: Whether the recipient is a neighbour: then no route is needed.
    ///   - isAllowed: What ``RouteFailures`` says of the recipient.
    ///   - route: The confirmed way; asked for only when all else holds.
    public static func routed(
        _ packet: Packet, localPeer: PeerID, isConnected: Bool, isAllowed: Bool, route: (PeerID) -> [PeerID]?
    ) -> Packet? {
        // Another author's packet is never ours to sign.
        guard packet.sender == localPeer, let recipient = packet.recipient, recipient != .broadcast, packet.ttl > 1,
            !isConnected, isAllowed, let hops = route(recipient), !hops.isEmpty
        else { return nil }
        var routed = packet
        routed.version = PacketPolicy.version2
        routed.route = hops
        routed.isSyncResponse = false
        routed.signature = nil
        return routed
    }
}

/// Recipients to which routes have failed lately: a routed packet that nothing comes back after within 10 s is a sign, and
/// for a minute such a recipient is flooded to.
///
/// Nothing is sent again here. Source: spec, mesh §17.4.
public struct RouteFailures: Sendable {
    /// At least one of the two is set, or the watch is not kept.
    private struct Watch {
        var pendingSince: Uptime?
        var suppressedUntil: Uptime?

        var isIdle: Bool { pendingSince == nil && suppressedUntil == nil }
        /// When the watch ends by itself.
        var end: Uptime {
            let pending = pendingSince.map { $0 + RouteFailures.memory }
            return max(pending ?? Uptime(milliseconds: .min), suppressedUntil ?? Uptime(milliseconds: .min))
        }
    }

    /// How long an unanswered packet is remembered, inclusive: until the suppression that it led to would be over.
    private static let memory = RelayPolicy.routeConfirmation + RelayPolicy.routeSuppression

    private var watches: [PeerID: Watch] = [:]
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most recipients watched; one more makes room at the cost of the one whose watch ends
    ///   first, which is then routed to as if nothing had happened.
    public init(capacity: Int = RelayPolicy.maximumWatchedRoutes) { self.capacity = capacity }

    /// The number of recipients that are watched.
    public var count: Int { watches.count }

    /// Whether a packet to the recipient may be routed now.
    public mutating func mayRoute(to recipient: PeerID, at now: Uptime) -> Bool {
        guard var watch = watches[recipient] else { return true }
        defer { watches[recipient] = watch.isIdle ? nil : watch }
        if let until = watch.suppressedUntil {
            if now < until { return false }
            watch.suppressedUntil = nil
        }
        if let since = watch.pendingSince, now - since > RelayPolicy.routeConfirmation {
            watch.pendingSince = nil
            watch.suppressedUntil = now + RelayPolicy.routeSuppression
            return false
        }
        return true
    }

    /// A routed packet left; packets that follow each other share one deadline.
    public mutating func noteRouted(to recipient: PeerID, at now: Uptime) {
        makeRoom(for: recipient)
        var watch = watches[recipient] ?? Watch()
        watch.pendingSince = watch.pendingSince ?? now
        watches[recipient] = watch
    }

    /// Routes to the recipient are known to fail.
    public mutating func suppress(_ recipient: PeerID, at now: Uptime) {
        makeRoom(for: recipient)
        watches[recipient] = Watch(suppressedUntil: now + RelayPolicy.routeSuppression)
    }

    /// Something that the peer wrote came in, on whatever way. It does not lift a suppression.
    public mutating func heard(from peer: PeerID) {
        guard var watch = watches[peer] else { return }
        watch.pendingSince = nil
        watches[peer] = watch.isIdle ? nil : watch
    }

    private mutating func makeRoom(for recipient: PeerID) {
        guard watches[recipient] == nil, watches.count >= capacity,
            let victim = watches.min(by: { ($0.value.end, $0.key) < ($1.value.end, $1.key) })
        else { return }
        watches[victim.key] = nil
    }

    /// Forgets what no longer matters; due every 15 s.
    public mutating func prune(at now: Uptime) {
        watches = watches.filter { _, watch in
            if let until = watch.suppressedUntil, now < until { return true }
            return watch.pendingSince.map { now - $0 <= Self.memory } ?? false
        }
    }
}
