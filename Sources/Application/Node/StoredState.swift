import Domain

/// What the journal holds when a node starts.
public struct StoredState: Sendable {
    /// What is pinned about peers.
    public var identities: [PeerIdentity]
    /// The last events, oldest first: whose messages arrived already must not show again when they are repeated.
    public var recentEvents: [Event]
    /// The entries of all stores that have not expired, in the order of their last changes.
    public var records: [Record]
    /// A time that has passed for certain: when this version was made, or when the node last ran, whichever is later. The
    /// start of 1970 when neither is known.
    public var clockFloor: WallTime

    /// How many of the last events a node asks for.
    public static let recentEventCount = 4000

    /// Gathers the state; nothing, at a first start.
    public init(
        identities: [PeerIdentity] = [], recentEvents: [Event] = [], records: [Record] = [],
        clockFloor: WallTime = WallTime(milliseconds: 0)
    ) {
        self.identities = identities
        self.recentEvents = recentEvents
        self.records = records
        self.clockFloor = clockFloor
    }
}
