/// Why a sync request is not answered.
public enum SyncRequestRefusal: Hashable, Sendable {
    /// It came on the link of another peer than it claims to be from, to whom the answer would go.
    case foreignLink
    /// Its time is this many milliseconds off ours.
    case timestampSkew(UInt64)
    /// It was passed on, or may have been: a relayed request would make many nodes replay their stores.
    case relayed
    /// Its author is unknown, or its signature is not good.
    case unverified
}

/// Who gets an answer to a sync request: the neighbour that made it.
///
/// What follows is to decode the payload and to ask the ``SyncResponseLimiter``.
///
/// Source: spec, store-and-forward §5.8 (1) to (4), §5.5.
public enum SyncRequestRule {
    /// How a request came.
    public enum Arrival: Hashable, Sendable {
        /// In one frame.
        case whole
        /// In fragments; `isFromOneNeighbour` when all of them came with TTL 0 on one link, the one that the bound peer
        /// is given for (``FragmentAssemblies/Completion/directLink``). The inner TTL says nothing then.
        case rebuilt(isFromOneNeighbour: Bool)
    }

    /// What speaks against an answer; the first reason counts.
    ///
    /// The reference takes every rebuilt request, and fragments are passed on: so a request that was cut reached nodes that
    /// its author is no neighbour of, and came on any link. [ours], as the specification says this node should.
    ///
    /// - Parameters:
    ///   - boundPeer: The peer that the link is bound to, if any.
    ///   - isVerified: Whether the author is known and the signature good under its key; asked last, as it costs most.
    public static func refusal(
        of packet: some PacketHeader, arriving arrival: Arrival, boundPeer: PeerID?, at now: WallTime,
        isVerified: () -> Bool
    ) -> SyncRequestRefusal? {
        if let boundPeer, boundPeer != packet.sender { return .foreignLink }
        guard IngressGuard.isFresh(packet.timestamp, at: now) else {
            return .timestampSkew(packet.timestamp.distance(to: now))
        }
        switch arrival {
        case .whole: guard packet.ttl == 0 else { return .relayed }
        case .rebuilt(let isFromOneNeighbour): guard isFromOneNeighbour else { return .relayed }
        }
        return isVerified() ? nil : .unverified
    }
}
