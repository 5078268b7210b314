import Domain

/// A peer that announced itself verifiably.
struct PeerEntry {
    let id: PeerID
    let noiseKey: AgreementPublicKey
    /// Pinned by the first verified announce; replaced only by a proof inside a Noise session.
    var signingKey: SigningPublicKey
    var nickname: String
    /// Whether we believe that a link of ours ends at this peer. A hint, never security: a replay can set it.
    var isConnected: Bool
    var lastSeen: Uptime
    /// The latest announce that was taken; a copy of it on another link binds that one.
    var lastAnnounce: DedupKey?
    /// Announced capability bits; `nil` when none were announced.
    var capabilities: Capabilities?
    /// The link that it counts for while it has none of its own: the one that it was first heard on, or a later one that
    /// brought fewer.
    var link: LinkID
}

/// The peers heard of lately, bounded; every operation takes constant time but the listings.
///
/// Identities are free to invent, so peers without a link of ours make room by link: the one that brought the most loses
/// the peer that was silent longest. Connected peers are never evicted.
///
/// Source: spec, mesh §15.
final class PeerRegistry {
    /// Told of a peer that had to make room.
    var evicted: ((PeerEntry) -> Void)?
    private var entries: [PeerID: PeerEntry] = [:]
    /// Those with ``PeerEntry/isConnected``; few, so that questions about neighbours do not walk over everybody.
    private var connectedIDs: Set<PeerID> = []
    /// The others by the link that they count for, in the order in which they were last heard of.
    private var evictable: [LinkID: RecencyOrder<PeerID>] = [:]
    private var shares = FairShares<LinkID>()
    private let capacity: Int

    init(capacity: Int = MeshPolicy.maximumPeers) { self.capacity = capacity }

    /// The number of peers known.
    var count: Int { entries.count }

    /// The number of connected peers.
    var degree: Int { connectedIDs.count }

    subscript(peer: PeerID) -> PeerEntry? { entries[peer] }

    /// Peers in ascending order of their identifiers.
    var sorted: [PeerEntry] { entries.values.sorted { $0.id < $1.id } }

    /// Connected peers in ascending order of their identifiers.
    var connected: [PeerEntry] { connectedIDs.sorted().compactMap { entries[$0] } }

    /// Whether a connected peer other than the one given has this nickname.
    func isConnected(_ nickname: String, besides peer: PeerID) -> Bool {
        connectedIDs.contains { $0 != peer && entries[$0]?.nickname == nickname }
    }

    /// Adds or replaces an entry; `false` when the registry is full of peers that are here.
    func upsert(_ entry: PeerEntry) -> Bool {
        var entry = entry
        if let known = entries[entry.id] {
            // A flooded link must not claim the peers of others, to lose them; one that brings few may relieve it.
            if shares[known.link] <= shares[entry.link] + 1 { entry.link = known.link }
        } else if entries.count >= capacity, !evict(for: entry.link) {
            return false
        }
        set(entry)
        return true
    }

    /// Changes an entry in place; no effect when there is none.
    func update(_ peer: PeerID, _ change: (inout PeerEntry) -> Void) {
        guard var entry = entries[peer] else { return }
        change(&entry)
        set(entry)
    }

    /// Notes that a packet came from this peer; no effect when it is unknown.
    func touch(_ peer: PeerID, at now: Uptime) {
        guard let entry = entries[peer] else { return }
        entries[peer]?.lastSeen = now
        if !entry.isConnected { evictable[entry.link]?.touch(peer) }
    }

    /// Forgets a peer.
    func remove(_ peer: PeerID) -> PeerEntry? {
        guard let entry = entries.removeValue(forKey: peer) else { return nil }
        connectedIDs.remove(peer)
        unlist(entry)
        return entry
    }

    /// Whether a packet may reach the peer: connected, or heard of lately while anybody is connected.
    func isReachable(_ peer: PeerID, at now: Uptime) -> Bool {
        guard let entry = entries[peer] else { return false }
        return PeerSignals(
            isKnown: true, isConnected: entry.isConnected, silence: now - entry.lastSeen, hasNeighbours: degree > 0,
            hasSession: false
        ).isReachable
    }

    private func set(_ entry: PeerEntry) {
        if let known = entries.updateValue(entry, forKey: entry.id), known.link != entry.link || entry.isConnected {
            unlist(known)
        }
        guard !entry.isConnected else {
            connectedIDs.insert(entry.id)
            return
        }
        connectedIDs.remove(entry.id)
        if evictable[entry.link]?.contains(entry.id) != true { shares.add(1, to: entry.link) }
        evictable[entry.link, default: RecencyOrder()].touch(entry.id)
    }

    private func unlist(_ entry: PeerEntry) {
        guard evictable[entry.link]?.remove(entry.id) == true else { return }
        shares.add(-1, to: entry.link)
        if evictable[entry.link]?.count == 0 { evictable[entry.link] = nil }
    }

    /// Makes room for a peer that a link brought. `false` when all are connected.
    private func evict(for link: LinkID) -> Bool {
        guard let yielding = shares.yielding(to: link), let oldest = evictable[yielding]?.oldest,
            let entry = remove(oldest)
        else { return false }
        evicted?(entry)
        return true
    }
}
