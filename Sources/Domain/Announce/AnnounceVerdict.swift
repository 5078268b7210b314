/// What becomes of a received announce; the first refusal that applies, in this order.
///
/// Source: spec, noise §1.3.
public enum AnnounceVerdict: String, Hashable, Sendable {
    /// Nothing speaks against it.
    case accept
    /// The payload does not decode.
    case malformed
    /// The announced Noise key does not belong to the sender's identifier: anyone could claim any identifier.
    case senderMismatch = "sender-mismatch"
    /// It is ours.
    case ownEcho = "self"
    /// It is older than ``AnnounceReading/maximumAge``.
    case stale
    /// It carries no signature.
    case missingSignature = "missing-signature"
    /// The signature does not verify under the announced signing key.
    case invalidSignature = "invalid-signature"
}

/// A decoded announce with the identifier that its Noise key stands for.
///
/// Judged in two steps, because the rules about known keys (spec: noise §1.3, lines 5 to 7) stand between what the
/// announce says of itself and the expensive check of the signature.
public struct AnnounceReading: Sendable {
    /// The announce.
    public let announce: Announce
    /// The identifier derived from the announced Noise key, whatever its length.
    public let derivedPeer: PeerID

    /// The oldest announce that counts: one served from a peer's history may be that old.
    public static let maximumAge = Milliseconds.seconds(900)

    /// Decodes a payload; `nil` when it is malformed.
    public init?(_ payload: ArraySlice<UInt8>, using cryptography: some Cryptography) {
        guard let announce = Announce(payload) else { return nil }
        self.announce = announce
        derivedPeer = PeerID(Fingerprint(digest: cryptography.sha256(announce.noiseKey.span)))
    }

    /// Judges identifier and time: ``AnnounceVerdict/senderMismatch``, ``AnnounceVerdict/ownEcho`` or
    /// ``AnnounceVerdict/stale``; `nil` when they are fine.
    ///
    /// - Parameters:
    ///   - sender: The sender in the packet's header.
    ///   - timestamp: The time in the packet's header.
    ///   - localPeer: This node.
    ///   - now: The time of arrival.
    public func refusalOfOrigin(
        sender: PeerID, timestamp: WallTime, localPeer: PeerID, at now: WallTime
    ) -> AnnounceVerdict? {
        if derivedPeer != sender { return .senderMismatch }
        if sender == localPeer { return .ownEcho }
        if timestamp.isStale(at: now, maximumAge: Self.maximumAge) { return .stale }
        return nil
    }

    /// Judges the signature: ``AnnounceVerdict/missingSignature`` or ``AnnounceVerdict/invalidSignature``; `nil` when it
    /// is fine.
    ///
    /// - Parameters:
    ///   - isSigned: Whether the packet carries a signature.
    ///   - verifies: Whether that signature verifies under a key; asked only when all else holds.
    public func refusalOfSignature(isSigned: Bool, verifies: (SigningPublicKey) -> Bool) -> AnnounceVerdict? {
        guard isSigned else { return .missingSignature }
        guard let key = announce.signingPublicKey, verifies(key) else { return .invalidSignature }
        return nil
    }
}
