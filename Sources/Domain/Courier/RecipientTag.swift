/// The only address on a courier envelope: a keyed digest of the recipient's static key and the UTC day.
///
/// Whoever has heard the recipient's announce can compute it, since announces carry the key; nobody can turn it back. The
/// day is mixed in so that envelopes to one person do not look alike on different days.
///
/// Source: spec, store-and-forward §3.3.
public struct RecipientTag: Hashable, Sendable {
    /// The 16 tag bytes, the first one most significant.
    public let rawValue: UInt128

    /// Takes the 16 bytes as a number, the first one most significant.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Reads exactly 16 bytes; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let value = UInt128(exactBigEndianBytes: bytes) else { return nil }
        self.init(rawValue: value)
    }

    /// Computes the tag that a sender writes on an envelope.
    ///
    /// - Parameters:
    ///   - recipient: The recipient's Noise static public key.
    ///   - day: The day on which the envelope is sealed.
    ///   - cryptography: Supplies HMAC-SHA256.
    public init(for recipient: AgreementPublicKey, on day: UTCDay, using cryptography: some Cryptography) {
        var message = Array("bitchat-courier-tag-v1".utf8)
        message.append(bigEndian: day.number)
        let digest = cryptography.hmacSHA256(of: message.span, key: recipient.bytes.bytes.span)
        self.init(rawValue: digest.high)
    }

    /// The tags that mail for `recipient` may carry now: yesterday's, today's and tomorrow's.
    ///
    /// Three days, because an envelope may be sealed just before midnight, is carried for a day, and clocks disagree.
    public static func candidates(
        for recipient: AgreementPublicKey, around day: UTCDay, using cryptography: some Cryptography
    ) -> [RecipientTag] {
        day.withNeighbours.map { RecipientTag(for: recipient, on: $0, using: cryptography) }
    }

    /// The 16 bytes in wire order.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: rawValue)
        return bytes
    }
}
