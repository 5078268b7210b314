/// A way on which private messages leave.
public enum MessageTransport: Hashable, Sendable {
    /// The radio mesh.
    case mesh
    /// Relays on the internet.
    case nostr
}

/// What is known about reaching a peer on each way. The mesh is asked first, then Nostr.
///
/// Source: spec, store-and-forward §1.2.
public struct TransportSignals: Hashable, Sendable {
    /// What the mesh knows.
    public let mesh: PeerSignals
    /// What the relays allow; never "connected".
    public let nostr: PeerSignals

    /// Puts both together.
    public init(mesh: PeerSignals, nostr: PeerSignals = .absent) {
        self.mesh = mesh
        self.nostr = nostr
    }

    /// The first way that reaches the peer; a peer that is connected is reached on it too.
    public var reachable: MessageTransport? { mesh.isReachable ? .mesh : nostr.isReachable ? .nostr : nil }

    /// Whether the peer is connected, and a session says that it is the one.
    public var isProvenNeighbour: Bool { mesh.isConnected && mesh.deliversSecurely }
}
