/// Whether a prekey bundle that came by is believed.
///
/// Two signatures of its owner: the inner one over the offer, the outer one over the packet with its sender and its time, so
/// that nobody can send an old bundle under a new date or another name.
///
/// Source: spec, store-and-forward §4.4; noise §10.4.
public enum BundleJudgement: Hashable, Sendable {
    /// It does not decode.
    case undecodable
    /// It is ours, come back.
    case own
    /// The packet's sender is not the owner: else invented senders could multiply entries.
    case senderMismatch
    /// No verified announce has bound a signing key to the owner yet: keep the packet aside.
    case unbound(owner: AgreementPublicKey)
    /// The offer is not signed by its owner.
    case badBundleSignature
    /// The packet is not signed by the owner.
    case badPacketSignature
    /// The link's budget ended before an answer was found: drop it, nobody is at fault.
    case budgetExhausted
    /// It is genuine, and no newer than the one we have.
    ///
    /// It goes into the gossip store all the same, which looks at the packet's time: an owner sends an unchanged offer again
    /// every hour, and without that it would be gone from gossip after a day.
    case known(PrekeyBundle)
    /// It is genuine and new: into the cache and the gossip store.
    case accepted(PrekeyBundle)

    /// What is known beforehand.
    public struct Knowledge: Sendable {
        /// Our Noise static key.
        public var ownKey: AgreementPublicKey
        /// The signing key that a verified announce bound to exactly the owner's Noise key, live or kept.
        public var signingKey: SigningPublicKey?
        /// The date of the bundle that we have of the owner.
        public var cachedDate: WallTime?

        /// Collects what is known; of a stranger nothing.
        public init(
            ownKey: AgreementPublicKey, signingKey: SigningPublicKey? = nil, cachedDate: WallTime? = nil
        ) {
            self.ownKey = ownKey
            self.signingKey = signingKey
            self.cachedDate = cachedDate
        }
    }

    /// Judges; the first rule that matches decides, the costly ones last.
    ///
    /// - Parameters:
    ///   - bundle: The decoded payload; `nil` when it did not decode.
    ///   - sender: The sender in the packet's header.
    ///   - known: What is known of us and of the bundle's owner.
    ///   - spend: Asked before the check of the inner signature; `false` when the budget is used up.
    ///   - checkPacket: Checks the packet's own signature under the owner's key, within the same budget.
    public static func judge(
        _ bundle: PrekeyBundle?, from sender: PeerID, knowing known: Knowledge, spend: () -> Bool,
        checkPacket: (SigningPublicKey) -> SignatureVerdict, using cryptography: some Cryptography
    ) -> BundleJudgement {
        guard let bundle else { return .undecodable }
        let owner = bundle.offer.owner
        if owner == known.ownKey { return .own }
        guard sender == PeerID(of: owner, using: cryptography) else { return .senderMismatch }
        guard let signingKey = known.signingKey else { return .unbound(owner: owner) }
        guard spend() else { return .budgetExhausted }
        guard bundle.verifies(by: signingKey, using: cryptography) else { return .badBundleSignature }
        switch checkPacket(signingKey) {
        case .valid: break
        case .missing, .invalid: return .badPacketSignature
        case .budgetExhausted: return .budgetExhausted
        }
        if let date = known.cachedDate, bundle.offer.generatedAt <= date { return .known(bundle) }
        return .accepted(bundle)
    }
}
