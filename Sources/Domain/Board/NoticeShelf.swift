/// Entries of one sort, bounded by author and in all; what is too much gives way by rank, of equals the earlier comer.
///
/// At most a few hundred: a search among all runs only when one is too many, or when one has run out.
struct NoticeShelf: Sendable {
    private struct Held {
        let entry: BoardEntry
        /// The number of its coming; unique on the board.
        let arrival: UInt64
        /// The lowest gives way first.
        let rank: UInt64

        func yields(before other: Held) -> Bool { (rank, arrival) < (other.rank, other.arrival) }
    }

    private let limitPerAuthor: Int
    private let limit: Int
    private var held: [BoardKey: Held] = [:]
    private var authors: [SigningPublicKey: [BoardKey]] = [:]
    /// Nothing runs out before; an early guess costs one search.
    private var soonest: WallTime?

    init(perAuthor: Int, inAll: Int) {
        limitPerAuthor = perAuthor
        limit = inAll
    }

    subscript(key: BoardKey) -> BoardEntry? { held[key]?.entry }

    /// Adds an entry whose name is not here.
    ///
    /// - Parameters:
    ///   - arrival: The number of its coming.
    ///   - rank: Lower ones give way first.
    /// - Returns: The names of those that gave way, which the new one may be among.
    mutating func insert(_ entry: BoardEntry, arrival: UInt64, rank: UInt64) -> [BoardKey] {
        let key = entry.key
        held[key] = Held(entry: entry, arrival: arrival, rank: rank)
        authors[entry.notice.author, default: []].append(key)
        soonest = min(soonest ?? entry.retainUntil, entry.retainUntil)
        var gone: [BoardKey] = []
        let siblings = authors[entry.notice.author] ?? []
        if siblings.count > limitPerAuthor, let first = first(of: siblings.compactMap { held[$0] }) {
            gone.append(first)
            remove(first)
        }
        if held.count > limit, let first = first(of: held.values) {
            gone.append(first)
            remove(first)
        }
        return gone
    }

    /// Takes an entry away; nothing when it is not here.
    mutating func remove(_ key: BoardKey) {
        guard let entry = held.removeValue(forKey: key)?.entry else { return }
        authors[entry.notice.author]?.removeAll { $0 == key }
        if authors[entry.notice.author]?.isEmpty ?? false { authors[entry.notice.author] = nil }
    }

    /// Takes away what has run out, and names it in the order in which it came.
    mutating func prune(at now: WallTime) -> [BoardKey] {
        guard let soonest, soonest <= now else { return [] }
        let gone = held.values.filter { $0.entry.retainUntil <= now }.sorted { $0.arrival < $1.arrival }
        for item in gone { remove(item.entry.key) }
        self.soonest = held.values.map(\.entry.retainUntil).min()
        return gone.map(\.entry.key)
    }

    /// What has not run out, each with the number of its coming, in no order.
    func live(at now: WallTime) -> [(arrival: UInt64, entry: BoardEntry)] {
        held.values.filter { $0.entry.retainUntil > now }.map { ($0.arrival, $0.entry) }
    }

    private func first(of candidates: some Sequence<Held>) -> BoardKey? {
        candidates.min { $0.yields(before: $1) }?.entry.key
    }
}
