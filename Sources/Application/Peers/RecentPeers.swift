import Domain

/// Peers for which something was done lately, so that it is not done again too soon. Bounded: claimed identifiers are
/// free to invent.
struct RecentPeers {
    private let lifetime: Milliseconds
    private let capacity: Int
    private var times: [PeerID: Uptime] = [:]
    /// Insertions in order; the front expires first.
    private var order: [(peer: PeerID, time: Uptime)] = []
    private var head = 0

    /// Peers remembered at most, unless it is said otherwise.
    static let capacity = 4096

    init(lifetime: Milliseconds, capacity: Int = RecentPeers.capacity) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// The number of peers remembered.
    var count: Int { times.count }

    /// Notes the peer; `false` when it was noted less than the lifetime ago.
    mutating func insert(_ peer: PeerID, at now: Uptime) -> Bool {
        expire(at: now)
        guard times[peer] == nil else { return false }
        if times.count >= capacity { dropOldest() }
        times[peer] = now
        order.append((peer, now))
        return true
    }

    /// Whether the peer was noted less than the lifetime ago.
    func contains(_ peer: PeerID, at now: Uptime) -> Bool { times[peer].map { now - $0 < lifetime } ?? false }

    private mutating func expire(at now: Uptime) {
        while head < order.count, now - order[head].time >= lifetime { dropOldest() }
    }

    private mutating func dropOldest() {
        guard head < order.count else { return }
        times[order[head].peer] = nil
        head += 1
        // Give the room back when half of the list is spent: constant work per insertion on average.
        if head > 64, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }
}
