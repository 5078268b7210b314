/// What becomes of a public message before its signature is looked at.
///
/// Source: spec, mesh §6; packet §4.1.
public enum PublicMessageVerdict: Hashable, Sendable {
    /// Go on.
    ///
    /// - Parameter trackForSync: Whether the packet is one that gossip sync serves: a message for everyone.
    case accept(trackForSync: Bool)
    /// Our own flood came back.
    case selfEcho
    /// Older than what is taken.
    case stale
}

/// The rules that need nothing but the header.
public enum PublicMessagePolicy {
    /// Judges; an echo counts before age.
    ///
    /// Only a message for everyone grows stale: a directed one is bounded by whoever kept it. One of ours with TTL 0 is no
    /// echo but out of a neighbour's store, which hands us our past after a restart.
    public static func judge(
        _ packet: some PacketHeader, localPeer: PeerID, at now: WallTime
    ) -> PublicMessageVerdict {
        if packet.sender == localPeer, packet.ttl != 0 { return .selfEcho }
        let isBroadcast = packet.recipient == nil || packet.recipient == .broadcast
        if isBroadcast, packet.timestamp.isStale(at: now, maximumAge: MeshPolicy.publicMessageMaximumAge) {
            return .stale
        }
        return .accept(trackForSync: isBroadcast && packet.type == .message)
    }
}
