/// Four separate facts about a peer on one way to it. None of them stands for another: "connected" is not "will be
/// delivered", and neither is "nobody else can read it".
///
/// Source: spec, mesh §15; store-and-forward §1.2.
public struct PeerSignals: Hashable, Sendable {
    /// Whether a link of ours ends at the peer, as far as announces tell. A replay can set it: never a matter of security.
    public let isConnected: Bool
    /// Whether a packet may reach the peer: connected, or heard of lately while somebody is connected. No proof that it
    /// arrives.
    public let isReachable: Bool
    /// Whether what is sent now leaves now; a transport that keeps a queue may reach a peer without that.
    public let deliversPromptly: Bool
    /// Whether a Noise session stands, on whatever way. The only one that says who is there; it outlives links, and so does
    /// not say that the peer is here.
    public let deliversSecurely: Bool

    /// No way leads to the peer.
    public static let absent = PeerSignals(hasNostrKey: false, isGateOpen: false, isRelayConnected: false)

    /// Judges what the mesh knows of a peer.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the registry holds the peer at all.
    ///   - isVerified: Whether a checked announce made the entry; others are remembered for a shorter time.
    ///   - silence: For how long nothing was heard of it.
    ///   - hasNeighbours: Whether any peer is connected: an isolated node reaches nobody.
    public init(
        isKnown: Bool, isConnected: Bool, isVerified: Bool = true, silence: Milliseconds, hasNeighbours: Bool,
        hasSession: Bool
    ) {
        let retention = isVerified ? MeshPolicy.peerRetention : MeshPolicy.unverifiedPeerRetention
        self.isConnected = isKnown && isConnected
        isReachable = isKnown && (isConnected || hasNeighbours && silence <= retention)
        deliversPromptly = isReachable
        deliversSecurely = hasSession
    }

    /// Judges what the relays can do for a peer.
    ///
    /// The reference calls a peer reachable while the gate is closed, too: a send then goes nowhere and costs an attempt. So
    /// the gate counts here.
    ///
    /// - Parameters:
    ///   - hasNostrKey: Whether the favorites hold a Nostr key of the peer, mutual or not.
    ///   - isGateOpen: Whether traffic with relays is allowed (spec: nostr §5.3).
    ///   - isRelayConnected: Whether a default relay for private messages is connected.
    public init(hasNostrKey: Bool, isGateOpen: Bool, isRelayConnected: Bool) {
        isConnected = false
        isReachable = hasNostrKey && isGateOpen
        deliversPromptly = isReachable && isRelayConnected
        deliversSecurely = deliversPromptly
    }
}
