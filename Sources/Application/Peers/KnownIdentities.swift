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
    private let journal: any Journal
    private let cryptography: C

    init(_ identities: [PeerIdentity], journal: any Journal, cryptography: C) {
        self.journal = journal
        self.cryptography = cryptography
        for identity in identities { insert(identity, of: PeerID(of: identity.noiseKey, using: cryptography)) }
    }

    subscript(peer: PeerID) -> PeerIdentity? { records[peer] }

    /// Keeps a record, durably, when it says anything new.
    func keep(_ identity: PeerIdentity, of peer: PeerID) {
        guard records[peer] != identity else { return }
        insert(identity, of: peer)
        _ = journal.append(.identity(identity))
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
