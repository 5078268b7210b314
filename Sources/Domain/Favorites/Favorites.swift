/// The peers that our user favors, and those that favor our user.
///
/// Each peer has one record under its Noise key, kept while either favors the other. Bounded: whoever favors us without
/// being favored back gives way, longest without a change first; whom our user favors never does.
///
/// Source: spec, store-and-forward §7; app §8.2.
public struct Favorites: Sendable {
    private var records: [AgreementPublicKey: Favorite] = [:]
    /// The keys by their short identifiers. Two keys under one would take 2^32 tries by their owner, who would gain nothing.
    private var keys: [PeerID: AgreementPublicKey] = [:]
    private var peers: [AgreementPublicKey: PeerID] = [:]
    /// Those whom our user does not favor, in the order in which they give way.
    private var yielding = RecencyOrder<AgreementPublicKey>()

    /// Starts empty.
    public init() {}

    /// The number of records.
    public var count: Int { records.count }

    /// All records, in the order of their keys.
    public var all: [Favorite] { records.values.sorted { $0.key.bytes < $1.key.bytes } }

    /// The record of a peer.
    public subscript(key: AgreementPublicKey) -> Favorite? { records[key] }

    /// The record of the peer whose key hashes to a short identifier.
    public subscript(peer: PeerID) -> Favorite? { keys[peer].flatMap { records[$0] } }

    /// The record of the one who said that a Nostr key is theirs.
    ///
    /// Anyone can say so of any key. One whom our user favors is believed before all others, and of equals who contradict
    /// each other none: [ours], since mail under a wrong name is worse than mail under no name.
    public func owner(of nostrKey: NostrPublicKey) -> Favorite? {
        var (chosen, others): ([Favorite], [Favorite]) = ([], [])
        for record in records.values where record.nostrKey == nostrKey {
            if record.isFavorite { chosen.append(record) } else { others.append(record) }
        }
        let claimants = chosen.isEmpty ? others : chosen
        return claimants.count == 1 ? claimants.first : nil
    }

    // MARK: Changes

    /// Our user favors a peer.
    ///
    /// - Parameters:
    ///   - nickname: What the peer is called now, if known.
    ///   - cryptography: Hashes the key of a peer without a record.
    public mutating func add(
        _ key: AgreementPublicKey, nickname: String?, at now: WallTime, using cryptography: some Cryptography
    ) -> FavoriteVerdict {
        guard records[key]?.isFavorite != true else { return .unchanged }
        return change(key, at: now, using: cryptography) {
            $0.learn(nickname: nickname, nostrKey: nil)
            $0.favoritedAt = now
        }
    }

    /// Our user favors a peer no longer. The record stays while the peer favors us.
    public mutating func remove(_ key: AgreementPublicKey, at now: WallTime) -> FavoriteVerdict {
        change(key, at: now) { $0.favoritedAt = nil }
    }

    /// A peer told us whether it favors us.
    ///
    /// - Parameters:
    ///   - key: The peer's key, as the session proved it or its Nostr key stands for.
    ///   - nickname: What the peer is called now, if known.
    ///   - cryptography: Hashes the key of a peer without a record.
    public mutating func receive(
        _ message: FavoriteMessage, from key: AgreementPublicKey, nickname: String?, at now: WallTime,
        using cryptography: some Cryptography
    ) -> FavoriteVerdict {
        // Nobody gets a record by saying that there is nothing between us.
        guard message.isFavorite || records[key] != nil else { return .unchanged }
        return change(key, at: now, using: cryptography) {
            $0.learn(nickname: nickname, nostrKey: message.nostrKey)
            $0.favorsUs = message.isFavorite
        }
    }

    /// A peer's name or Nostr key was learned by the way: from an announce, a verification code. Nothing happens to peers
    /// without a record.
    public mutating func learn(
        nickname: String? = nil, nostrKey: NostrPublicKey? = nil, of key: AgreementPublicKey, at now: WallTime
    ) -> FavoriteVerdict {
        change(key, at: now) { $0.learn(nickname: nickname, nostrKey: nostrKey) }
    }

    /// Takes back what a store held, in any order.
    ///
    /// Of two records of one peer the newer counts, with the name and Nostr key of the other where it has none. Records of
    /// nobody's choice, and those beyond the bound, are not taken.
    ///
    /// - Returns: The peers whose records are not here afterwards, to be deleted from the store.
    public mutating func restore(
        _ stored: [Favorite], using cryptography: some Cryptography
    ) -> [AgreementPublicKey] {
        var merged = records
        for record in stored { merged[record.key] = merged[record.key].map { record.merged(with: $0) } ?? record }
        let ordered = merged.values.sorted { ($0.lastUpdated, $0.key.bytes) < ($1.lastUpdated, $1.key.bytes) }
        self = Favorites()
        var dropped: [AgreementPublicKey] = []
        for record in ordered {
            guard record.isFavorite || record.favorsUs, makeRoom(evicted: &dropped) else {
                dropped.append(record.key)
                continue
            }
            put(record, PeerID(of: record.key, using: cryptography))
        }
        return dropped
    }

    // MARK: Records

    /// Changes the record of a peer that has one.
    private mutating func change(
        _ key: AgreementPublicKey, at now: WallTime, _ body: (inout Favorite) -> Void
    ) -> FavoriteVerdict {
        guard let before = records[key], let peer = peers[key] else { return .unchanged }
        var after = before
        body(&after)
        guard after != before else { return .unchanged }
        after.lastUpdated = now
        guard after.isFavorite || after.favorsUs else {
            forget(key)
            return .changed(FavoriteUpdate(before: before, after: nil, evicted: nil))
        }
        put(after, peer)
        return .changed(FavoriteUpdate(before: before, after: after, evicted: nil))
    }

    /// Changes the record of a peer, or begins one.
    private mutating func change(
        _ key: AgreementPublicKey, at now: WallTime, using cryptography: some Cryptography,
        _ body: (inout Favorite) -> Void
    ) -> FavoriteVerdict {
        guard records[key] == nil else { return change(key, at: now, body) }
        var record = Favorite(
            key: key, nostrKey: nil, nickname: "", favoritedAt: nil, favorsUs: false, lastUpdated: now)
        body(&record)
        var evicted: [AgreementPublicKey] = []
        guard makeRoom(evicted: &evicted) else { return .full }
        put(record, PeerID(of: key, using: cryptography))
        return .changed(FavoriteUpdate(before: nil, after: record, evicted: evicted.first))
    }

    private mutating func makeRoom(evicted: inout [AgreementPublicKey]) -> Bool {
        guard records.count >= FavoritesPolicy.maximumRecords else { return true }
        guard let oldest = yielding.oldest else { return false }
        forget(oldest)
        evicted.append(oldest)
        return true
    }

    private mutating func put(_ record: Favorite, _ peer: PeerID) {
        records[record.key] = record
        peers[record.key] = peer
        if keys[peer] == nil { keys[peer] = record.key }
        if record.isFavorite { yielding.remove(record.key) } else { yielding.touch(record.key) }
    }

    private mutating func forget(_ key: AgreementPublicKey) {
        records[key] = nil
        yielding.remove(key)
        guard let peer = peers.removeValue(forKey: key), keys[peer] == key else { return }
        keys[peer] = nil
    }
}

extension Favorite {
    /// The newer of two records of one peer, with what only the other one knows.
    fileprivate func merged(with other: Favorite) -> Favorite {
        var newer = lastUpdated < other.lastUpdated ? other : self
        let older = lastUpdated < other.lastUpdated ? self : other
        newer.nostrKey = newer.nostrKey ?? older.nostrKey
        if newer.nickname.isEmpty { newer.nickname = older.nickname }
        return newer
    }
}
