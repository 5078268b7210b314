/// What is asked for together, and how often at most.
///
/// Source: spec, store-and-forward §5.4.
public struct SyncRow: Hashable, Sendable {
    /// What the request names.
    public let types: SyncTypeFlags
    /// Asked again after this long.
    public let interval: Milliseconds
}

/// When which types are asked for.
///
/// A row is due at a tick when its interval has passed since the last time, so a tick that comes a little early passes it
/// over until the next.
///
/// Source: spec, store-and-forward §5.4.
public struct SyncSchedule: Sendable {
    /// A request that is due: to each neighbour, or to whoever hears it when there is none.
    public struct Due: Hashable, Sendable {
        /// What to ask for.
        public let types: SyncTypeFlags
        /// How often these types were due before; for ``SyncRound``.
        public let number: UInt32
    }

    private var states = [(last: Uptime?, number: UInt32)](repeating: (nil, 0), count: SyncPolicy.rows.count)

    /// Starts with everything due.
    public init() {}

    /// The requests due at a tick, and counts them as sent.
    ///
    /// - Parameter hasBoard: Whether this node keeps a board; if not, it asks for no board packets.
    public mutating func takeDue(at now: Uptime, hasBoard: Bool) -> [Due] {
        var due: [Due] = []
        for (index, row) in SyncPolicy.rows.enumerated() where hasBoard || !row.types.contains(.boardPost) {
            if let last = states[index].last, now - last < row.interval { continue }
            due.append(Due(types: row.types, number: states[index].number))
            states[index] = (now, states[index].number &+ 1)
        }
        return due
    }
}
