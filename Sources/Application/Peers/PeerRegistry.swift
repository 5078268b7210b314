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
    /// Announced capability bits; `nil` when none were announced.
    var capabilities: Capabilities?
}

/// The peers heard of lately, bounded.
///
/// Source: spec, mesh §15.
final class PeerRegistry {
    /// Told of a peer that had to make room.
    var evicted: ((PeerEntry) -> Void)?
    private var entries: [PeerID: PeerEntry] = [:]
    /// Those with ``PeerEntry/isConnected``; few, so that questions about neighbours do not walk over everybody.
    private var connectedIDs: Set<PeerID> = []

    /// The number of peers known.
    var count: Int { entries.count }

    /// The number of connected peers.
    var degree: Int { connectedIDs.count }

    subscript(peer: PeerID) -> PeerEntry? { entries[peer] }

    /// Peers in ascending order of their identifiers.
    var sorted: [PeerEntry] { entries.values.sorted { $0.id < $1.id } }

    /// Connected peers in ascending order of their identifiers.
    var connected: [PeerEntry] { connectedIDs.sorted().compactMap { entries[$0] } }

    /// Adds or replaces an entry; `false` when the registry is full of peers that are here.
    func upsert(_ entry: PeerEntry) -> Bool {
        if entries[entry.id] == nil, entries.count >= MeshPolicy.maximumPeers, !evict() { return false }
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
    func touch(_ peer: PeerID, at now: Uptime) { entries[peer]?.lastSeen = now }

    /// Forgets a peer.
    func remove(_ peer: PeerID) -> PeerEntry? {
        connectedIDs.remove(peer)
        return entries.removeValue(forKey: peer)
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
        entries[entry.id] = entry
        if entry.isConnected { connectedIDs.insert(entry.id) } else { connectedIDs.remove(entry.id) }
    }

    /// Makes room: the peer without a link that was silent longest goes. `false` when all are connected.
    private func evict() -> Bool {
        let oldest = entries.values.lazy.filter { !$0.isConnected }.min {
            ($0.lastSeen, $0.id) < ($1.lastSeen, $1.id)
        }
        guard let oldest else { return false }
        entries[oldest.id] = nil
        evicted?(oldest)
        return true
    }
}
