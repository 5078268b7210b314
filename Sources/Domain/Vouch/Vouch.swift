/// The statement "I have verified this identity". Who makes it is not in it: it is the peer of the session it came through.
///
/// Source: spec, noise §8.3.
public struct Vouch: Hashable, Sendable {
    /// The fingerprint of whom the voucher verified.
    public let subject: Fingerprint
    /// The Ed25519 key of whom the voucher verified.
    public let subjectSigningKey: SigningPublicKey
    /// When the voucher says it.
    public let timestamp: WallTime

    /// How old a vouch may be: thirty days.
    public static let maximumAge = Milliseconds.seconds(30 * 24 * 60 * 60)
    /// How far in the future a vouch may be: one hour, for clocks that disagree.
    public static let maximumLead = Milliseconds.seconds(60 * 60)

    /// Makes a statement.
    public init(subject: Fingerprint, subjectSigningKey: SigningPublicKey, timestamp: WallTime) {
        self.subject = subject
        self.subjectSigningKey = subjectSigningKey
        self.timestamp = timestamp
    }

    /// Whether the statement is too old, or too far in the future, to count.
    public func isExpired(at now: WallTime) -> Bool {
        let limit = timestamp > now ? Self.maximumLead : Self.maximumAge
        return timestamp.distance(to: now) > UInt64(clamping: limit.count)
    }

    /// The 88 bytes that the voucher signs.
    public var signedBytes: [UInt8] {
        var bytes = Array("bitchat-vouch-v1".utf8)
        bytes += subject.digest.bytes
        bytes += subjectSigningKey.bytes.bytes
        bytes.append(bigEndian: timestamp.milliseconds)
        return bytes
    }
}
