/// Four separate facts about a peer. None of them stands for another: "connected" is not "will be delivered", and neither is
/// "nobody else can read it".
///
/// Source: spec, mesh §15.
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

    /// Judges what the mesh knows of a peer.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the registry holds the peer at all.
    ///   - silence: For how long nothing was heard of it.
    ///   - hasNeighbours: Whether any peer is connected: an isolated node reaches nobody.
    public init(isKnown: Bool, isConnected: Bool, silence: Milliseconds, hasNeighbours: Bool, hasSession: Bool) {
        self.isConnected = isKnown && isConnected
        isReachable = isKnown && (isConnected || hasNeighbours && silence <= MeshPolicy.peerRetention)
        deliversPromptly = isReachable
        deliversSecurely = hasSession
    }
}
