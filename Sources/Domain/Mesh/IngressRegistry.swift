/// On which link each packet was first heard: the gate against copies within 3 s, and the memory of split horizon.
///
/// Lookups ignore age, so that a late relay still avoids the link that a packet came from; records go with the cleanup.
///
/// Source: spec, mesh §4.
public struct IngressRegistry<Link: Hashable & Sendable>: Sendable {
    /// Where a packet came in.
    public struct Record: Sendable {
        /// The link.
        public let link: Link
        /// The peer that the frame was attributed to.
        public let peer: PeerID
        /// When it came.
        public let time: Uptime
    }

    private var records: [DedupKey: Record] = [:]
    /// Keys in order of their latest record; an entry whose time is not the record's is void.
    private var order: [(key: DedupKey, time: Uptime)] = []
    private var oldest = 0
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most records held; beyond it the oldest go.
    public init(capacity: Int = DedupPolicy.maximumIngressRecords) { self.capacity = capacity }

    /// The number of records.
    public var count: Int { records.count }

    /// Records a packet unless it was recorded up to 3 s ago.
    ///
    /// - Returns: `false` for a copy of a recent packet: stop there.
    public mutating func recordIfNew(_ key: DedupKey, link: Link, peer: PeerID, at now: Uptime) -> Bool {
        if let known = records[key], now - known.time <= DedupPolicy.ingressWindow { return false }
        records[key] = Record(link: link, peer: peer, time: now)
        order.append((key, now))
        while records.count > capacity { removeOldest() }
        compactIfHollow()
        return true
    }

    /// Where a packet came in, however long ago.
    public subscript(key: DedupKey) -> Record? { records[key] }

    /// Forgets records older than 3 s; due every 15 s.
    public mutating func cleanUp(at now: Uptime) {
        while oldest < order.count, now - order[oldest].time > DedupPolicy.ingressWindow { removeOldest() }
        compactIfHollow()
    }

    /// Forgets everything.
    public mutating func reset() {
        records = [:]
        order = []
        oldest = 0
    }

    private mutating func removeOldest() {
        guard oldest < order.count else { return }
        let (key, time) = order[oldest]
        oldest += 1
        if records[key]?.time == time { records[key] = nil }
    }

    /// Gives consumed places back once they are the larger half, so that each entry moves once on average.
    private mutating func compactIfHollow() {
        guard oldest > 64, oldest * 2 > order.count else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}
