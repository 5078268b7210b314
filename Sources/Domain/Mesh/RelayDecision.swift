/// How a packet is passed on: with which TTL, and after a delay drawn from which range.
///
/// One pure function over the packet's class and the number of neighbours, so that every node of a mesh decides alike.
///
/// Source: spec, mesh §7.
public struct RelayDecision: Hashable, Sendable {
    /// The TTL that the copy leaves with.
    public let ttl: UInt8
    /// The delay in milliseconds, drawn uniformly, both ends included: copies must not collide, and one that a neighbour
    /// sends first can make ours needless.
    public let delay: ClosedRange<Int64>

    /// Decides about a packet; `nil` when it is not passed on. The first row that matches counts.
    ///
    /// - Parameters:
    ///   - degree: Connected peers.
    ///   - payload: The inflated payload; read only to tell an urgent board post.
    public init?(of packet: some PacketHeader, payload: ArraySlice<UInt8>, localPeer: PeerID, degree: Int) {
        guard packet.type != .requestSync else { return nil }
        let ttl = min(packet.ttl, MeshPolicy.originTTL)
        guard ttl > 1, packet.sender != localPeer, packet.recipient != localPeer else { return nil }
        // A recipient of eight 0xFF counts as one here: to decide alike, quirk Q1 is part of the table.
        let isDirected = packet.recipient != nil
        switch packet.type {
        case .noiseHandshake:
            self.init(ttl: ttl - 1, delay: RelayPolicy.handshakeDelay)
        case .fragment where isDirected, .noiseEncrypted where isDirected, .courierEnvelope where isDirected,
            .ping where isDirected, .pong where isDirected, .nostrCarrier where isDirected:
            self.init(ttl: ttl - 1, delay: RelayPolicy.directedDelay)
        case .fragment, .voiceFrame:
            let cap = degree >= MeshPolicy.denseDegree ? RelayPolicy.denseTTL : RelayPolicy.mediaTTL
            self.init(ttl: min(ttl, cap) - 1, delay: RelayPolicy.mediaDelay)
        default:
            let isUrgent =
                packet.type == .announce || packet.type == .boardPost && BoardNotice.claimsUrgency(payload)
            self.init(
                ttl: Self.broadcastLimit(ttl, degree: degree, isUrgent: isUrgent) - 1,
                delay: Self.broadcastDelay(degree: degree))
        }
    }

    private init(ttl: UInt8, delay: ClosedRange<Int64>) {
        self.ttl = ttl
        self.delay = delay
    }

    /// The TTL that a broadcast counts as: a thin chain needs every hop, a crowd does not.
    private static func broadcastLimit(_ ttl: UInt8, degree: Int, isUrgent: Bool) -> UInt8 {
        if degree >= MeshPolicy.denseDegree { return max(2, min(ttl, RelayPolicy.denseTTL)) }
        if degree <= RelayPolicy.chainDegree { return ttl }
        return max(2, min(ttl, isUrgent ? MeshPolicy.originTTL : RelayPolicy.ordinaryTTL))
    }

    private static func broadcastDelay(degree: Int) -> ClosedRange<Int64> {
        switch degree {
        case ...RelayPolicy.chainDegree: RelayPolicy.chainDelay
        case ..<MeshPolicy.denseDegree: RelayPolicy.ordinaryDelay
        case ..<RelayPolicy.crowdDegree: RelayPolicy.denseDelay
        default: RelayPolicy.crowdDelay
        }
    }

    /// Whether a copy that a neighbour sent makes a relay that still waits needless: never in a thin chain, where it may
    /// be the only way on (spec: mesh §8).
    public static func duplicateCancels(degree: Int) -> Bool { degree > RelayPolicy.chainDegree }
}
