import Domain

/// The names that people see, and the peers that they mean by them.
///
/// Source: spec, app §3.3, §3.6; a name that means several peers is refused, never guessed.
final class DisplayNames {
    /// Our own nickname.
    var own: String
    private let registry: PeerRegistry
    private let lookup: (PeerID) -> PeerIdentity?
    private let metBefore: (String) -> [PeerID]
    private let fingerprint: (AgreementPublicKey) -> Fingerprint
    private let normalization: any TextNormalization

    init<C: Cryptography>(
        own: String, registry: PeerRegistry, identities: KnownIdentities<C>, normalization: any TextNormalization,
        cryptography: C
    ) {
        self.own = own
        self.registry = registry
        lookup = { identities[$0] }
        metBefore = { identities.peers(called: $0) }
        fingerprint = { Fingerprint(of: $0, using: cryptography) }
        self.normalization = normalization
    }

    /// The name to show for a peer: with `#` and four digits where a neighbour or we have the same one.
    func display(_ peer: PeerID) -> String {
        let suffix = String(peer.hex.prefix(4))
        guard let name = registry[peer]?.nickname ?? lookup(peer)?.nickname, !name.isEmpty else {
            return "anon" + suffix
        }
        let isShared = name == own || registry.isConnected(name, besides: peer)
        return isShared ? "\(name)#\(suffix)" : name
    }

    /// Whether the peer is here, or was met before.
    func knows(_ peer: PeerID) -> Bool { registry[peer] != nil || lookup(peer) != nil }

    /// The peer that a person means: a nickname, a name with suffix, an identifier, a fingerprint or a full key.
    func resolve(_ text: String) throws(Refusal) -> PeerID {
        let token = normalization.nfc(text.hasPrefix("@") ? String(text.dropFirst()) : text)
        // An identifier or a key is never a nickname: somebody could be called like another's identifier.
        if let bytes = Hex.decode(token), [8, 32].contains(bytes.count) {
            guard let peer = peer(for: bytes) else { throw .noSuchPeer(text) }
            return peer
        }
        let (name, digits) = Self.parts(of: token)
        let here = registry.sorted.filter { entry in
            // Behind `#` stand digits of the identifier, whatever a nickname says there.
            guard let digits else { return entry.nickname == token }
            return entry.id.hex.hasPrefix(digits) && [name, token].contains(entry.nickname)
        }.map(\.id)
        // Who is here goes before who was: else an old acquaintance would make every name ambiguous.
        let matches = here.isEmpty ? absent(name, digits, token) : here
        guard let first = matches.first else {
            if token == own { throw .invalid("that is this node itself") }
            throw .noSuchPeer(text)
        }
        guard matches.count == 1 else { throw .ambiguous(text, candidates: matches) }
        return first
    }

    /// Those met before who are called so.
    private func absent(_ name: String, _ digits: String?, _ token: String) -> [PeerID] {
        guard let digits else { return token == own ? [] : metBefore(token) }
        return (metBefore(name) + (name == token ? [] : metBefore(token))).filter { $0.hex.hasPrefix(digits) }
    }

    /// A name, and the four digits behind its `#` if there are any.
    private static func parts(of token: String) -> (name: String, digits: String?) {
        let suffix = token.suffix(5)
        guard suffix.first == "#", suffix.count == 5, suffix.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return (token, nil) }
        return (String(token.dropLast(5)), suffix.dropFirst().lowercased())
    }

    private func peer(for bytes: [UInt8]) -> PeerID? {
        if let peer = PeerID(bytes), knows(peer) { return peer }
        guard let value = Bytes32(bytes) else { return nil }
        return registry.sorted.first {
            $0.noiseKey.bytes == value || fingerprint($0.noiseKey).digest == value
        }?.id
    }
}
