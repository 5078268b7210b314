/// Whether an announce that names its own sender is believed.
///
/// A signature proves only that an announce agrees with itself: peer ID and Noise key are public, so anyone can announce
/// a victim's key under a signing key of their own. What is known about the peer therefore counts first.
///
/// Source: spec, mesh §12.3.
public enum AnnounceTrust: String, Hashable, Sendable {
    /// Row 1: another Noise key is known for this peer ID.
    case noiseKeyMismatch = "noise-key-mismatch"
    /// Row 2: a Noise session proved another signing key.
    case authenticatedKeyMismatch = "authenticated-key-mismatch"
    /// Row 3: an earlier announce pinned another signing key.
    case signingKeyMismatch = "signing-key-mismatch"
    /// Row 4: there is no signature.
    case missingSignature = "missing-signature"
    /// Row 5: the signature does not verify under the announced signing key.
    case invalidSignature = "invalid-signature"
    /// Row 6: nothing speaks against it.
    case verified

    /// What is known about the announced peer.
    public struct Knowledge: Sendable {
        /// The Noise keys on record for the peer ID: one at most, unless somebody found two keys with one ID.
        public var noiseKeys: [AgreementPublicKey]
        /// The signing key that was proved inside a Noise session with this Noise key.
        public var authenticatedSigningKey: SigningPublicKey?
        /// The signing key that was trusted on first use: the registry's, or else the kept identity's.
        public var pinnedSigningKey: SigningPublicKey?

        /// Collects what is known; nothing, for a stranger.
        public init(
            noiseKeys: [AgreementPublicKey] = [], authenticatedSigningKey: SigningPublicKey? = nil,
            pinnedSigningKey: SigningPublicKey? = nil
        ) {
            self.noiseKeys = noiseKeys
            self.authenticatedSigningKey = authenticatedSigningKey
            self.pinnedSigningKey = pinnedSigningKey
        }
    }

    /// Judges; the first row that matches decides.
    ///
    /// - Parameters:
    ///   - noiseKey: The announced Noise key; the caller has checked that it belongs to the sender's peer ID.
    ///   - signingKey: The announced signing key.
    ///   - known: What is known about the sender.
    ///   - isSigned: Whether the packet carries a signature.
    ///   - verifies: Whether that signature verifies under the announced signing key. Costly, so it is asked only when
    ///     all else holds.
    public static func judge(
        noiseKey: AgreementPublicKey, signingKey: SigningPublicKey, known: Knowledge, isSigned: Bool,
        verifies: () -> Bool
    ) -> AnnounceTrust {
        if known.noiseKeys.contains(where: { $0 != noiseKey }) { return .noiseKeyMismatch }
        if let proved = known.authenticatedSigningKey, proved != signingKey { return .authenticatedKeyMismatch }
        if let pinned = known.pinnedSigningKey, pinned != signingKey { return .signingKeyMismatch }
        guard isSigned else { return .missingSignature }
        return verifies() ? .verified : .invalidSignature
    }
}
