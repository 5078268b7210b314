/// A peer that may carry mail for others.
///
/// Source: spec, store-and-forward §1.4.
public struct CourierCandidate: Hashable, Sendable {
    /// Who it is.
    public let peer: PeerID
    /// Its Noise static key; without one it cannot be a courier.
    public let key: AgreementPublicKey?
    /// Whether it is connected.
    public let isConnected: Bool
    /// Whether its announce was checked.
    public let isVerified: Bool
    /// Whether each of us is a favorite of the other.
    public let isMutualFavorite: Bool
    /// Whether its person is blocked. A courier learns that there is mail for somebody, so blocked ones get none; the
    /// reference does not look at that.
    public let isBlocked: Bool
    /// What it says it can do; `nil` when it says nothing.
    public let capabilities: Capabilities?

    /// Describes a peer.
    public init(
        peer: PeerID, key: AgreementPublicKey?, isConnected: Bool, isVerified: Bool, isMutualFavorite: Bool,
        isBlocked: Bool, capabilities: Capabilities? = nil
    ) {
        self.peer = peer
        self.key = key
        self.isConnected = isConnected
        self.isVerified = isVerified
        self.isMutualFavorite = isMutualFavorite
        self.isBlocked = isBlocked
        self.capabilities = capabilities
    }

    /// Whether it may get mail at all.
    public var isEligible: Bool { key != nil && isConnected && !isBlocked && (isMutualFavorite || isVerified) }

    /// Whether it speaks of what only those phones have that carry mail. No bit says so itself, and a copy given to another
    /// is lost (spec: store-and-forward §10).
    var seemsToCarry: Bool { !(capabilities ?? []).isDisjoint(with: [.prekeys, .vouch]) }
}
