import Domain

/// What the journal holds when a node starts.
public struct StoredState: Sendable {
    /// What is pinned about peers.
    public var identities: [PeerIdentity]
    /// The last events, oldest first: whose messages arrived already must not show again when they are repeated.
    public var recentEvents: [Event]

    /// How many of the last events a node asks for.
    public static let recentEventCount = 4000

    /// Gathers the state; nothing, at a first start.
    public init(identities: [PeerIdentity] = [], recentEvents: [Event] = []) {
        self.identities = identities
        self.recentEvents = recentEvents
    }
}
