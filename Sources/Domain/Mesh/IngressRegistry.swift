/// On which link each packet was first heard: the gate against copies within 3 s, and the memory of split horizon.
///
/// Lookups ignore age, so that a late relay still avoids the link that a packet came from; records go with the cleanup.
///
/// Bounded, with an equal share for each link: a flood on one must not open the gate to copies on the others.
///
/// Source: spec, mesh §4.
public struct IngressRegistry<Link: Hashable & Comparable & Sendable>: Sendable {
    /// Where a packet came in.
    public struct Record: Sendable {
        /// The link.
        public let link: Link
        /// The peer that the frame was attributed to.
        public let peer: PeerID
        /// When it came.
        public let time: Uptime
    }

    /// Keys of one link in order of their latest record; an entry that the record does not bear out is void.
    private struct Queue {
        var entries: [(key: DedupKey, time: Uptime)] = []
        var head = 0

        var oldest: (key: DedupKey, time: Uptime)? { head < entries.count ? entries[head] : nil }

        /// Steps on, and gives consumed places back once they are the larger half: each entry moves once on average.
        mutating func drop() {
            head += 1
            guard head > 64, head * 2 > entries.count else { return }
            entries.removeFirst(head)
            head = 0
        }
    }

    private var records: [DedupKey: Record] = [:]
    private var queues: [Link: Queue] = [:]
    private var shares = FairShares<Link>()
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most records held; beyond it the oldest of the link that holds the most go.
    public init(capacity: Int = DedupPolicy.maximumIngressRecords) { self.capacity = capacity }

    /// The number of records.
    public var count: Int { records.count }

    /// Records a packet unless it was recorded up to 3 s ago.
    ///
    /// - Returns: `false` for a copy of a recent packet: stop there.
    public mutating func recordIfNew(_ key: DedupKey, link: Link, peer: PeerID, at now: Uptime) -> Bool {
        let known = records[key]
        if let known, now - known.time <= DedupPolicy.ingressWindow { return false }
        if let known {
            shares.add(-1, to: known.link)
        } else if records.count >= capacity, let full = shares.yielding(to: link) {
            removeOldest(of: full)
        }
        records[key] = Record(link: link, peer: peer, time: now)
        queues[link, default: Queue()].entries.append((key, now))
        shares.add(1, to: link)
        return true
    }

    /// Where a packet came in, however long ago.
    public subscript(key: DedupKey) -> Record? { records[key] }

    /// Forgets records older than 3 s; due every 15 s.
    public mutating func cleanUp(at now: Uptime) {
        for link in Array(queues.keys) {
            while let oldest = queues[link]?.oldest, now - oldest.time > DedupPolicy.ingressWindow {
                dropOldest(of: link)
            }
            if queues[link]?.oldest == nil { queues[link] = nil }
        }
    }

    /// Forgets everything.
    public mutating func reset() {
        records = [:]
        queues = [:]
        shares = FairShares()
    }

    /// Drops a link's entries up to the first that stands for a record, and that record.
    private mutating func removeOldest(of link: Link) {
        while queues[link]?.oldest != nil, !dropOldest(of: link) {}
    }

    /// Drops a link's oldest entry; whether it stood for a record, which then goes too.
    @discardableResult
    private mutating func dropOldest(of link: Link) -> Bool {
        guard let (key, time) = queues[link]?.oldest else { return false }
        queues[link]?.drop()
        guard let record = records[key], record.link == link, record.time == time else { return false }
        records[key] = nil
        shares.add(-1, to: link)
        return true
    }
}
