/// A peer whose announce we heard, as couriers look at it: its key, and the tags that mail for it may carry today.
///
/// Made once for an announce, since each tag costs an HMAC.
///
/// Source: spec, store-and-forward §3.3, §3.7.
public struct Encounter: Hashable, Sendable {
    /// The Noise static key in the announce.
    public let key: AgreementPublicKey
    /// Yesterday's, today's and tomorrow's tag.
    public let tags: [RecipientTag]

    /// Computes the tags of a peer.
    ///
    /// - Parameters:
    ///   - key: The Noise static key in its announce.
    ///   - now: The time; its day and the neighbours of that day count.
    ///   - cryptography: Supplies HMAC-SHA256.
    public init(with key: AgreementPublicKey, at now: WallTime, using cryptography: some Cryptography) {
        self.key = key
        tags = RecipientTag.candidates(for: key, around: UTCDay(now), using: cryptography)
    }

    /// Whether an envelope is for this peer.
    public func isRecipient(of envelope: CourierEnvelope) -> Bool { tags.contains(envelope.tag) }
}
