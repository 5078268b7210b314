import Domain

/// What is pinned about peers, across restarts: the keys that make a copied identity useless. Bounded.
///
/// Looked up by the short identifier, as packets name it. Source: spec, mesh §12.3; noise §1.3.
final class KnownIdentities<C: Cryptography> {
    /// Records kept. [ours]: identities are free to invent; a person meets fewer in years.
    private static var capacity: Int { 10_000 }

    private var records: [PeerID: PeerIdentity] = [:]
    /// Identifiers in the order in which they were first kept; the front goes first when there are too many.
    private var order: [PeerID] = []
    private var head = 0
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    /// New records allowed: a flood of invented identities must not push the pins of real ones out.
    private var admissions: TokenBucket
    /// Changed records written: a peer that keeps renaming itself must not wear the disk out.
    private var updates: TokenBucket
    private static var admissionBurst: Int64 { 200 }
    private static var admissionsPerSecond: Int64 { 1 }

    init(_ identities: [PeerIdentity], ports: NodePorts, counters: Counters, cryptography: C) {
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        admissions = TokenBucket(
            capacity: Self.admissionBurst, perSecond: Self.admissionsPerSecond, at: ports.clock.uptime)
        updates = TokenBucket(
            capacity: Self.admissionBurst, perSecond: Self.admissionsPerSecond, at: ports.clock.uptime)
        for identity in identities { insert(identity, of: PeerID(of: identity.noiseKey, using: cryptography)) }
    }

    subscript(peer: PeerID) -> PeerIdentity? { records[peer] }

    /// Keeps a record, durably, when it says anything new; a flood of new ones is not kept.
    func keep(_ identity: PeerIdentity, of peer: PeerID) {
        let known = records[peer]
        guard known != identity else { return }
        // What a session proved is kept in any case: it cost its owner a handshake.
        guard known != nil || identity.isSigningKeyAuthenticated || admissions.spend(1, at: ports.clock.uptime) else {
            return counters.add(.identitiesNotKept)
        }
        insert(identity, of: peer)
        // A name is kept in memory at least; keys and proofs always reach the disk.
        if let known, known.hasSameKeys(as: identity), !updates.spend(1, at: ports.clock.uptime) {
            return counters.add(.identitiesNotKept)
        }
        _ = ports.journal.append(.identity(identity))
    }

    private func insert(_ identity: PeerIdentity, of peer: PeerID) {
        if records.updateValue(identity, forKey: peer) == nil { order.append(peer) }
        if records.count > Self.capacity { forgetOne() }
    }

    /// Forgets the record kept longest; one that a session proved gets another round first.
    private func forgetOne() {
        let end = order.count
        while head < end {
            let peer = order[head]
            head += 1
            guard records[peer]?.isSigningKeyAuthenticated == true else {
                records[peer] = nil
                break
            }
            order.append(peer)
        }
        if records.count > Self.capacity, head < order.count {
            records[order[head]] = nil
            head += 1
        }
        // Constant work per record on average.
        if head > 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
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
