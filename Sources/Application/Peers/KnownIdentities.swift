import Domain

/// What is pinned about peers, across restarts: the keys that make a copied identity useless. Bounded.
///
/// When there are too many, the one not heard of for longest goes, and those that a session proved last: an identity is
/// free to invent, a proof costs a handshake, and who is here announces himself every half a minute.
///
/// Looked up by the short identifier, as packets name it. Source: spec, mesh §12.3; noise §1.3.
final class KnownIdentities<C: Cryptography> {
    /// Records kept. [ours]: a person meets fewer in years; a flood within ``MeshPolicy/pinsPerLink`` needs three hours.
    static var capacity: Int { 10_000 }

    private var records: [PeerID: PeerIdentity] = [:]
    private var unproved = RecencyOrder<PeerID>()
    private var proved = RecencyOrder<PeerID>()
    private let links: LinkTable
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    /// Records written for all links together.
    private var all: TokenBucket

    init(_ identities: [PeerIdentity], links: LinkTable, ports: NodePorts, counters: Counters, cryptography: C) {
        self.links = links
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        all = TokenBucket(MeshPolicy.pinsInAll, at: ports.clock.uptime)
        for identity in identities { insert(identity, of: PeerID(of: identity.noiseKey, using: cryptography)) }
    }

    /// The number of records.
    var count: Int { records.count }

    subscript(peer: PeerID) -> PeerIdentity? { records[peer] }

    /// Everybody whose last name this was, in ascending order. Walks over all: for what a person typed.
    func peers(called nickname: String) -> [PeerID] {
        records.lazy.filter { $0.value.nickname == nickname }.map(\.key).sorted()
    }

    /// Keeps a record, durably, when it says anything new; a flood of new ones is not kept.
    ///
    /// - Parameter link: The link that the record was learned on.
    func keep(_ identity: PeerIdentity, of peer: PeerID, on link: LinkID) {
        let known = records[peer]
        guard known != identity else { return touch(peer, identity) }
        // A session's proof is kept in any case: it cost its owner a handshake. New keys always reach the disk.
        let isFree = known == nil ? identity.isSigningKeyAuthenticated : known?.hasSameKeys(as: identity) == false
        guard isFree || spend(on: link) else {
            // A name is kept in memory at least.
            if known != nil { insert(identity, of: peer) }
            return counters.add(.identitiesNotKept)
        }
        insert(identity, of: peer)
        _ = ports.journal.append(.identity(identity))
    }

    private func spend(on link: LinkID) -> Bool {
        let now = ports.clock.uptime
        return links.spend(of: \.pins, on: link, at: now) && all.spend(1, at: now)
    }

    private func insert(_ identity: PeerIdentity, of peer: PeerID) {
        records[peer] = identity
        touch(peer, identity)
        if records.count > Self.capacity, let oldest = unproved.removeOldest() ?? proved.removeOldest() {
            records[oldest] = nil
        }
    }

    private func touch(_ peer: PeerID, _ identity: PeerIdentity) {
        if identity.isSigningKeyAuthenticated {
            unproved.remove(peer)
            proved.touch(peer)
        } else {
            unproved.touch(peer)
        }
    }
}

extension PeerIdentity {
    /// Whether two records differ in nothing but the name.
    fileprivate func hasSameKeys(as other: PeerIdentity) -> Bool {
        var renamed = self
        renamed.nickname = other.nickname
        return renamed == other
    }
}
