/// A vouch with the voucher's signature.
///
/// Source: spec, noise §8.3.
public struct VouchAttestation: Hashable, Sendable {
    /// The statement.
    public let vouch: Vouch
    /// The voucher's signature over it.
    public let signature: Signature

    /// Makes an attestation with a signature at hand.
    public init(vouch: Vouch, signature: Signature) {
        self.vouch = vouch
        self.signature = signature
    }

    /// Signs a statement.
    ///
    /// - Parameter seed: The voucher's Ed25519 seed.
    public init<C: Cryptography>(signing vouch: Vouch, with seed: C.Secret, using cryptography: C) {
        self.init(vouch: vouch, signature: cryptography.sign(vouch.signedBytes.span, with: seed))
    }

    /// Whether the signature verifies under the voucher's signing key.
    public func verifies(by voucher: SigningPublicKey, using cryptography: some Cryptography) -> Bool {
        cryptography.verify(signature, of: vouch.signedBytes.span, by: voucher)
    }

    private enum Tag {
        static let subject: UInt8 = 0x01
        static let signingKey: UInt8 = 0x02
        static let timestamp: UInt8 = 0x03
        static let signature: UInt8 = 0x04
    }

    /// The 144 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 144)
        writer.append(Tag.subject, vouch.subject.digest)
        writer.append(Tag.signingKey, vouch.subjectSigningKey.bytes)
        writer.append(Tag.timestamp, bigEndian: vouch.timestamp.milliseconds)
        writer.append(Tag.signature, signature.bytes)
        return writer.bytes
    }

    /// Reads an attestation: any order, unknown fields passed over, the last of a repeated field counts.
    ///
    /// - Returns: `nil` for any field of a wrong length, a missing field, or a fault in the framing.
    public init?(_ bytes: ArraySlice<UInt8>) {
        var (subject, key) = (Bytes32?.none, Bytes32?.none)
        var (timestamp, signature) = (WallTime?.none, Signature?.none)
        var fields = TLVReader(bytes, .short, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.subject:
                guard let value = Bytes32(field.value) else { return nil }
                subject = value
            case Tag.signingKey:
                guard let value = Bytes32(field.value) else { return nil }
                key = value
            case Tag.timestamp:
                guard let milliseconds = UInt64(exactBigEndianBytes: field.value) else { return nil }
                timestamp = WallTime(milliseconds: milliseconds)
            case Tag.signature:
                guard let value = Signature(field.value) else { return nil }
                signature = value
            default: break
            }
        }
        guard fields.isIntact, let subject, let key, let timestamp, let signature else { return nil }
        self.init(
            vouch: Vouch(
                subject: Fingerprint(digest: subject), subjectSigningKey: SigningPublicKey(key), timestamp: timestamp),
            signature: signature)
    }
}
