/// The notices that people put up for others to find later, and the removals of them.
///
/// A notice is signed by its author inside and lives for days, so it outlasts its author's presence: the board keeps it and
/// hands it on by gossip sync. A removal stays as long as a copy of the notice may still turn up somewhere.
///
/// Bounded by author and in all. Times are wall-clock times: the wire's.
///
/// Source: spec, store-and-forward §6.2.
public struct NoticeBoard: Sendable {
    private var posts = NoticeShelf(perAuthor: BoardPolicy.postsPerAuthor, inAll: BoardPolicy.posts)
    private var removals = NoticeShelf(perAuthor: BoardPolicy.removalsPerAuthor, inAll: BoardPolicy.removals)
    private var orphans = NoticeShelf(perAuthor: BoardPolicy.orphansPerAuthor, inAll: BoardPolicy.orphans)
    /// How many entries there have been: the order in which they came.
    private var arrivals: UInt64 = 0

    /// An empty board.
    public init() {}

    // MARK: Looking

    /// The notices of one place, urgent ones first, then newer ones first.
    ///
    /// - Parameter geohash: The place; empty for the mesh's own board.
    public func posts(on geohash: String, at now: WallTime) -> [BoardEntry] {
        let live = posts.live(at: now).compactMap { item in item.entry.post.map { (post: $0, entry: item.entry) } }
        return live.filter { $0.post.geohash == geohash }.sorted { left, right in
            if left.post.isUrgent != right.post.isUrgent { return left.post.isUrgent }
            return (right.post.createdAt, left.post.id) < (left.post.createdAt, right.post.id)
        }.map(\.entry)
    }

    /// Everything that others may ask for: the notices, then the removals, each in the order in which they came.
    public func entries(at now: WallTime) -> [BoardEntry] {
        let notices = posts.live(at: now).sorted { $0.arrival < $1.arrival }
        let tombstones = (removals.live(at: now) + orphans.live(at: now)).sorted { $0.arrival < $1.arrival }
        return (notices + tombstones).map(\.entry)
    }

    /// The entry of a name, if it has not run out.
    public func entry(_ key: BoardKey, at now: WallTime) -> BoardEntry? {
        guard let entry = posts[key] ?? removals[key] ?? orphans[key], entry.retainUntil > now else { return nil }
        return entry
    }

    /// The removal of a notice, for its author to sign; `nil` when the notice is not here or another one's.
    ///
    /// Source: spec, store-and-forward §6.3.
    public func tombstone(for id: UInt128, by author: SigningPublicKey, at now: WallTime) -> BoardTombstone? {
        guard entry(.post(id), at: now)?.notice.author == author else { return nil }
        return BoardTombstone(id: id, deletedAt: now)
    }

    // MARK: Changes

    /// Takes a packet from the mesh, or one of ours.
    ///
    /// Who sent the packet and whether its own signature is good does not matter: a notice must verify long after its
    /// author left, by the signature inside.
    ///
    /// - Parameters:
    ///   - packet: What was read of the frame.
    ///   - frame: The frame as it came.
    ///   - cryptography: Checks the author's signature and hashes what is kept.
    public mutating func ingest(
        _ packet: Packet, frame: [UInt8], at now: WallTime, using cryptography: some Cryptography
    ) -> BoardOutcome {
        let expired = prune(at: now)
        var change = Change(removed: expired)
        let verdict = take(packet, frame, from: nil, at: now, &change, cryptography)
        return change.outcome(verdict)
    }

    /// Takes back what a store held; call it for each entry in the order in which they were written.
    ///
    /// Everything is judged anew, so that a store cannot bring in what a neighbour could not. A removal keeps the time that
    /// it was given, unless that is beyond what its own date allows.
    ///
    /// - Returns: What became of it. What is not among ``BoardOutcome/added`` is to be deleted from the store, unless our
    ///   clock may be to blame: do not call this before the clock is trusted, since times are judged by it.
    public mutating func restore(
        _ stored: StoredNotice, at now: WallTime, using cryptography: some Cryptography, _ compression: some Compression
    ) -> BoardOutcome {
        let expired = prune(at: now)
        var change = Change(removed: expired)
        guard let packet = PacketView(stored.frame)?.packet(using: compression) else {
            return change.outcome(.rejected(.malformed))
        }
        let verdict = take(packet, stored.frame, from: stored, at: now, &change, cryptography)
        return change.outcome(verdict)
    }

    /// Takes down what has run out.
    ///
    /// - Returns: The names of what is gone.
    public mutating func prune(at now: WallTime) -> [BoardKey] {
        posts.prune(at: now) + removals.prune(at: now) + orphans.prune(at: now)
    }

    // MARK: Rules

    /// How the board changed while one packet was judged.
    private struct Change {
        var added: BoardEntry?
        var removed: [BoardKey]

        mutating func add(_ entry: BoardEntry, _ gone: [BoardKey]) {
            added = gone.contains(entry.key) ? nil : entry
            removed += gone.filter { $0 != entry.key }
        }

        func outcome(_ verdict: BoardVerdict) -> BoardOutcome {
            BoardOutcome(verdict: verdict, added: added, removed: removed)
        }
    }

    /// A packet whose author's signature is good.
    private struct Arrival {
        let notice: BoardNotice
        let packet: Packet
        let frame: [UInt8]
        let syncID: SyncID
        /// What a store held of it; `nil` for a packet from the mesh.
        let stored: StoredNotice?

        func entry(until end: WallTime, isOrphan: Bool = false) -> BoardEntry {
            BoardEntry(
                notice: notice, frame: frame, syncID: syncID, timestamp: packet.timestamp, retainUntil: end,
                isOrphan: isOrphan)
        }
    }

    private mutating func take(
        _ packet: Packet, _ frame: [UInt8], from stored: StoredNotice?, at now: WallTime, _ change: inout Change,
        _ cryptography: some Cryptography
    ) -> BoardVerdict {
        guard frame.count <= BoardPolicy.maximumFrameLength else { return .rejected(.tooLong) }
        guard packet.type == .boardPost, let notice = BoardNotice(packet.payload[...]) else {
            return .rejected(.malformed)
        }
        // Times first: they cost nothing, and whatever they refuse no signature can save.
        if let refusal = Self.untimely(notice.body, at: now) { return .rejected(refusal) }
        guard notice.verifies(using: cryptography) else { return .rejected(.badSignature) }
        let arrival = Arrival(
            notice: notice, packet: packet, frame: frame, syncID: SyncID(of: packet, using: cryptography),
            stored: stored)
        switch notice.body {
        case .post(let post): return take(post, arrival, &change)
        case .tombstone(let tombstone): return take(tombstone, arrival, at: now, &change)
        }
    }

    private mutating func take(_ post: BoardPost, _ arrival: Arrival, _ change: inout Change) -> BoardVerdict {
        guard !isRemoved(.tombstone(post.id, by: arrival.notice.author)) else { return .rejected(.takenDown) }
        guard posts[.post(post.id)] == nil else { return .duplicate }
        put(arrival.entry(until: post.expiresAt), rank: post.createdAt.milliseconds, on: \.posts, &change)
        return .accepted
    }

    private mutating func take(
        _ tombstone: BoardTombstone, _ arrival: Arrival, at now: WallTime, _ change: inout Change
    ) -> BoardVerdict {
        guard !isRemoved(BoardKey(of: arrival.notice)) else { return .duplicate }
        let post = posts[.post(tombstone.id)]
        if let post, post.notice.author != arrival.notice.author { return .rejected(.notTheAuthor) }
        let bound = Self.bound(of: tombstone, at: now)
        let end = arrival.stored.map { min($0.retainUntil, bound) } ?? post?.retainUntil ?? bound
        guard end > now else { return .rejected(.expired) }
        if let post {
            posts.remove(post.key)
            change.removed.append(post.key)
        }
        let isOrphan = arrival.stored?.isOrphan ?? (post == nil)
        put(arrival.entry(until: end, isOrphan: isOrphan), rank: 0, on: isOrphan ? \.orphans : \.removals, &change)
        return .accepted
    }

    private mutating func put(
        _ entry: BoardEntry, rank: UInt64, on shelf: WritableKeyPath<NoticeBoard, NoticeShelf>, _ change: inout Change
    ) {
        arrivals += 1
        let gone = self[keyPath: shelf].insert(entry, arrival: arrivals, rank: rank)
        change.add(entry, gone)
    }

    private func isRemoved(_ key: BoardKey) -> Bool { removals[key] != nil || orphans[key] != nil }

    /// Why a notice's times rule it out. That it does not end too late follows from when it begins and how long it may
    /// live. A removal is judged where it is known what it removes.
    private static func untimely(_ body: BoardNotice.Body, at now: WallTime) -> BoardRefusal? {
        guard case .post(let post) = body else { return nil }
        if post.expiresAt <= now { return .expired }
        return post.createdAt > now.adding(BoardPolicy.maximumSkew) ? .fromTheFuture : nil
    }

    /// The longest that a removal may be kept when the notice's own end is not known. Dates wrap around like the phones':
    /// a removal from the end of time has been over since 1970.
    private static func bound(of tombstone: BoardTombstone, at now: WallTime) -> WallTime {
        let week = UInt64(clamping: BoardPolicy.tombstoneLifetime.count)
        let own = WallTime(milliseconds: tombstone.deletedAt.milliseconds &+ week)
        return min(own, now.adding(BoardPolicy.tombstoneLifetime).adding(BoardPolicy.maximumSkew))
    }
}
