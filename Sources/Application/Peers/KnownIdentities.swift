import Domain

/// What is pinned about peers, across restarts: the keys that make a copied identity useless.
///
/// Looked up by the short identifier, as packets name it. Source: spec, mesh §12.3; noise §1.3.
final class KnownIdentities<C: Cryptography> {
    private var records: [PeerID: PeerIdentity]
    private let journal: any Journal
    private let cryptography: C

    init(_ identities: [PeerIdentity], journal: any Journal, cryptography: C) {
        self.journal = journal
        self.cryptography = cryptography
        records = Dictionary(
            identities.map { (PeerID(of: $0.noiseKey, using: cryptography), $0) }, uniquingKeysWith: { $1 })
    }

    subscript(peer: PeerID) -> PeerIdentity? { records[peer] }

    /// Keeps a record, durably, when it says anything new.
    func keep(_ identity: PeerIdentity, of peer: PeerID) {
        guard records[peer] != identity else { return }
        records[peer] = identity
        _ = journal.append(.identity(identity))
    }
}
