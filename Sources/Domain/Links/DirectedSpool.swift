/// Directed packets that no link could take, kept for a minute in case one comes up.
///
/// In the order in which they were first put here, also across a flush that led nowhere: a session's ciphertexts must keep
/// theirs. A packet that is here already is not taken twice. Bounded; the oldest goes, its author has a copy.
///
/// Source: spec, mesh §11.
public struct DirectedSpool<Item: Sendable>: Sendable {
    /// A packet in the spool.
    public struct Entry: Sendable {
        /// What the packet is known by.
        public let key: DedupKey
        /// Whom it is for.
        public let recipient: PeerID
        /// What to send.
        public let item: Item
        /// When it was first put here.
        public let time: Uptime
        /// Bytes that it holds.
        public let cost: Int
    }

    private var entries: [Entry] = []
    private var perRecipient: [PeerID: Int] = [:]
    private var keys: [DedupKey: PeerID] = [:]
    /// Bytes held.
    public private(set) var cost = 0

    /// Starts empty.
    public init() {}

    /// The number of packets.
    public var count: Int { entries.count }

    /// Whether anything is kept for the recipient.
    public func holds(for recipient: PeerID) -> Bool { perRecipient[recipient] != nil }

    /// Keeps a packet.
    ///
    /// - Parameters:
    ///   - cost: Bytes that the item holds.
    ///   - time: When it was first put here; for a packet that a flush gave back, its old time.
    /// - Returns: How many others had to make room.
    public mutating func insert(
        _ item: Item, key: DedupKey, for recipient: PeerID, cost: Int, at time: Uptime
    ) -> Int {
        guard keys[key] != recipient, cost <= RelayPolicy.spoolBytes else { return 0 }
        var dropped = 0
        if perRecipient[recipient, default: 0] >= RelayPolicy.spoolPerRecipient,
            let oldest = entries.firstIndex(where: { $0.recipient == recipient })
        {
            remove(at: oldest)
            dropped += 1
        }
        while entries.count >= RelayPolicy.spoolInAll || self.cost + cost > RelayPolicy.spoolBytes {
            remove(at: 0)
            dropped += 1
        }
        // Almost always the end; a packet that comes back is older than those that came in between.
        let place = entries.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        entries.insert(Entry(key: key, recipient: recipient, item: item, time: time, cost: cost), at: place)
        perRecipient[recipient, default: 0] += 1
        keys[key] = recipient
        self.cost += cost
        return dropped
    }

    /// Takes everything out that is not over age, oldest first; the rest is forgotten.
    ///
    /// - Parameter recipient: Only what is for this peer; `nil` for all.
    public mutating func take(for recipient: PeerID? = nil, at now: Uptime) -> [Entry] {
        sweep(at: now)
        let taken = entries.filter { recipient == nil || $0.recipient == recipient }
        guard !taken.isEmpty else { return [] }
        entries.removeAll { recipient == nil || $0.recipient == recipient }
        for entry in taken { forget(entry) }
        return taken
    }

    /// Forgets what is over age.
    public mutating func sweep(at now: Uptime) {
        let live = entries.firstIndex { now - $0.time <= RelayPolicy.spoolLifetime } ?? entries.count
        for entry in entries[..<live] { forget(entry) }
        entries.removeFirst(live)
    }

    /// Forgets everything.
    public mutating func reset() { self = DirectedSpool() }

    private mutating func remove(at index: Int) { forget(entries.remove(at: index)) }

    private mutating func forget(_ entry: Entry) {
        cost -= entry.cost
        keys[entry.key] = nil
        perRecipient[entry.recipient, default: 1] -= 1
        if perRecipient[entry.recipient] == 0 { perRecipient[entry.recipient] = nil }
    }
}
