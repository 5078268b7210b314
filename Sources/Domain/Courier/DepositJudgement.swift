/// What a courier packet (0x04) that reached us is, and whether a deposit is to be taken from the one that brings it.
///
/// Source: spec, store-and-forward §3.5.
public enum DepositJudgement: Hashable, Sendable {
    /// For somebody else: a matter of the relay rules.
    case relay
    /// Neither readable nor alive.
    case ignore
    /// For us: to be opened, whoever brings it; the seal proves its sender.
    case open
    /// To be put into the store, if it takes it.
    case deposit(TrustTier)
    /// To be carried for a peer from which we take nothing.
    case refuse(Distrust)

    /// Why a deposit is not taken, in the order in which the reasons are looked for.
    public enum Distrust: Hashable, Sendable, CaseIterable {
        /// It was relayed: trust and quota are the depositor's, so it must come from the depositor itself.
        case senderNotLinkPeer
        /// The peer is not in the registry.
        case unknownPeer
        /// The peer is blocked. [ours], REF-GAP: the reference carries mail for whom its user has blocked.
        case blocked
        /// It is not signed by the peer's key.
        case signature
        /// The peer is neither a mutual favorite nor verified.
        case untrusted
    }

    /// What we know of the peer that a deposit claims to be from.
    public struct Depositor: Hashable, Sendable {
        /// Whether its fingerprint is blocked.
        public let isBlocked: Bool
        /// Whether each has marked the other a favorite.
        public let isMutualFavorite: Bool
        /// Whether its announce was verified.
        public let isVerified: Bool

        /// States what we know.
        public init(isBlocked: Bool, isMutualFavorite: Bool, isVerified: Bool) {
            self.isBlocked = isBlocked
            self.isMutualFavorite = isMutualFavorite
            self.isVerified = isVerified
        }
    }

    /// How a packet came in.
    public struct Arrival: Hashable, Sendable {
        /// The sender it claims.
        public let sender: PeerID
        /// Whom it is for.
        public let recipient: PeerID?
        /// The peer that the link it came on is bound to; `nil` while it is bound to none.
        public let linkPeer: PeerID?

        /// States how a packet came in.
        public init(sender: PeerID, recipient: PeerID?, linkPeer: PeerID?) {
            self.sender = sender
            self.recipient = recipient
            self.linkPeer = linkPeer
        }
    }

    /// Judges a packet. What costs something is asked for only when the answer depends on it.
    ///
    /// - Parameters:
    ///   - us: Our peer ID.
    ///   - isAlive: Whether the envelope can be read and has not expired.
    ///   - isTagOurs: Whether its tag is one of ours around today.
    ///   - depositor: What we know of the claimed sender; `nil` when it is not in the registry with a Noise key.
    ///   - isSigned: Whether the packet's signature verifies with the sender's registered signing key.
    public init(
        of arrival: Arrival, us: PeerID, isAlive: @autoclosure () -> Bool, isTagOurs: @autoclosure () -> Bool,
        depositor: @autoclosure () -> Depositor?, isSigned: @autoclosure () -> Bool
    ) {
        guard arrival.recipient == us else {
            self = .relay
            return
        }
        guard isAlive() else {
            self = .ignore
            return
        }
        self = isTagOurs() ? .open : Self.trust(arrival, depositor, isSigned)
    }

    private static func trust(
        _ arrival: Arrival, _ depositor: () -> Depositor?, _ isSigned: () -> Bool
    ) -> DepositJudgement {
        guard (arrival.linkPeer ?? arrival.sender) == arrival.sender else { return .refuse(.senderNotLinkPeer) }
        guard let depositor = depositor() else { return .refuse(.unknownPeer) }
        guard !depositor.isBlocked else { return .refuse(.blocked) }
        guard isSigned() else { return .refuse(.signature) }
        let tier = TrustTier(isMutualFavorite: depositor.isMutualFavorite, isVerified: depositor.isVerified)
        return tier.map { .deposit($0) } ?? .refuse(.untrusted)
    }
}
