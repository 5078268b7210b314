import Domain

/// The mesh as far as announces tell, for `topology`.
public struct TopologyReport: Hashable, Sendable {
    /// One node that somebody claims as a neighbour.
    public struct Member: Hashable, Sendable {
        /// Who.
        public let id: PeerID
        /// The name to show; `nil` for a node that never announced itself to us.
        public let displayName: String?
        /// Whether it is this node.
        public let isSelf: Bool
        /// Whether a link of ours ends there.
        public let isConnected: Bool
    }

    /// Everybody, in ascending order of identifiers.
    public let members: [Member]
    /// Who is whose neighbour; one-sided claims too, which no route uses.
    public let edges: [Topology.Edge]
}

/// The way that a packet of ours to a peer would take, for `trace`. Nothing is sent.
///
/// Source: spec, mesh §18.
public enum TraceReport: Hashable, Sendable {
    /// The peer is a neighbour.
    case direct
    /// Along these hops, which confirm each other and speak version 2.
    case route([PeerID])
    /// No way of at most four hops is known that a route may take: packets to the peer are flooded.
    ///
    /// - Parameter isConfirmed: Whether there is a confirmed way, on which not every node was seen to speak version 2.
    case flooded(isConfirmed: Bool)
}
