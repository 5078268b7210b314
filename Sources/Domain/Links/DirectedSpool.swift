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
        /// The number of the link that it came in on; 0 for one of ours.
        public let source: UInt64
    }

    /// Ascending by time.
    private var entries: [Entry] = []
    /// What is held for whom.
    private var keys: [PeerID: Set<DedupKey>] = [:]
    /// Bytes held.
    public private(set) var cost = 0

    /// Starts empty.
    public init() {}

    /// The number of packets.
    public var count: Int { entries.count }

    /// Whether anything is kept for the recipient.
    public func holds(for recipient: PeerID) -> Bool { keys[recipient] != nil }

    /// Keeps a packet, unless the same one is kept for the same recipient.
    ///
    /// - Parameters:
    ///   - source: The number of the link that it came in on; 0 for one of ours.
    ///   - cost: Bytes that the item holds.
    ///   - time: When it was first put here; for a packet that a flush gave back, its old time.
    /// - Returns: How many are lost because of the bounds: the oldest, which this one may be, or this one alone if it is
    ///   larger than the spool.
    public mutating func insert(
        _ item: Item, key: DedupKey, for recipient: PeerID, from source: UInt64 = 0, cost: Int, at time: Uptime
    ) -> Int {
        guard cost <= RelayPolicy.spoolBytes else { return 1 }
        guard keys[recipient, default: []].insert(key).inserted else { return 0 }
        // Almost always the end; a packet that comes back is older than those that came in between.
        let place = entries.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        entries.insert(
            Entry(key: key, recipient: recipient, item: item, time: time, cost: cost, source: source), at: place)
        self.cost += cost
        var dropped = 0
        if keys[recipient, default: []].count > RelayPolicy.spoolPerRecipient,
            let oldest = entries.firstIndex(where: { $0.recipient == recipient })
        {
            forget(entries.remove(at: oldest))
            dropped += 1
        }
        dropped += boundShare(of: source)
        while entries.count > RelayPolicy.spoolInAll || self.cost > RelayPolicy.spoolBytes {
            forget(entries.removeFirst())
            dropped += 1
        }
        return dropped
    }

    /// Drops the oldest of one link's packets until it keeps to its share.
    private mutating func boundShare(of source: UInt64) -> Int {
        guard source != 0 else { return 0 }
        var (count, bytes, dropped) = (0, 0, 0)
        for entry in entries where entry.source == source {
            count += 1
            bytes += entry.cost
        }
        while count > RelayPolicy.spoolPerLink || bytes > RelayPolicy.spoolBytesPerLink,
            let oldest = entries.firstIndex(where: { $0.source == source })
        {
            bytes -= entries[oldest].cost
            count -= 1
            dropped += 1
            forget(entries.remove(at: oldest))
        }
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

    private mutating func forget(_ entry: Entry) {
        cost -= entry.cost
        keys[entry.recipient]?.remove(entry.key)
        if keys[entry.recipient]?.isEmpty ?? false { keys[entry.recipient] = nil }
    }
}

extension MessageType {
    /// Whether a packet for one peer that no link can take is kept for a link to come: what belongs to a session. Others
    /// have an owner who tries again (spec: mesh §10.4 step 5).
    public var awaitsLink: Bool { self == .noiseHandshake || self == .noiseEncrypted }
}
