/// The payload of a prekey packet (0x24): an offer, signed by its owner.
///
/// Source: spec, noise §10.4; packet §4.12.
public struct PrekeyBundle: Hashable, Sendable {
    /// What is offered.
    public let offer: PrekeyOffer
    /// The owner's signature over the offer.
    public let signature: Signature

    /// Bytes of one prekey with its number.
    static let entryLength = 36

    /// Makes a bundle with a signature at hand.
    public init(offer: PrekeyOffer, signature: Signature) {
        self.offer = offer
        self.signature = signature
    }

    /// Signs an offer.
    ///
    /// - Parameter seed: The owner's Ed25519 seed.
    public init<C: Cryptography>(signing offer: PrekeyOffer, with seed: C.Secret, using cryptography: C) {
        self.init(offer: offer, signature: cryptography.sign(offer.signedBytes.span, with: seed))
    }

    /// Whether the signature verifies under the owner's signing key, which the bundle does not carry.
    public func verifies(by signingKey: SigningPublicKey, using cryptography: some Cryptography) -> Bool {
        cryptography.verify(signature, of: offer.signedBytes.span, by: signingKey)
    }

    private enum Tag {
        static let owner: UInt8 = 0x01
        static let entries: UInt8 = 0x02
        static let generatedAt: UInt8 = 0x03
        static let signature: UInt8 = 0x04
    }

    /// The payload.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 116 + offer.prekeys.count * Self.entryLength)
        writer.append(Tag.owner, offer.owner.bytes)
        writer.append(Tag.entries, offer.entries)
        writer.append(Tag.generatedAt, bigEndian: offer.generatedAt.milliseconds)
        writer.append(Tag.signature, signature.bytes)
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts.
    ///
    /// - Returns: `nil` for any field of a wrong length, also one that a later one would replace, a prekey number used
    ///   twice, a missing field, or a fault in the framing.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (owner, prekeys) = (AgreementPublicKey?.none, [Prekey]?.none)
        var (generatedAt, signature) = (WallTime?.none, Signature?.none)
        var fields = TLVReader(payload, .long, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.owner:
                guard let key = Bytes32(field.value) else { return nil }
                owner = AgreementPublicKey(key)
            case Tag.entries:
                guard let entries = Self.prekeys(in: field.value) else { return nil }
                prekeys = entries
            case Tag.generatedAt:
                guard let milliseconds = UInt64(exactBigEndianBytes: field.value) else { return nil }
                generatedAt = WallTime(milliseconds: milliseconds)
            case Tag.signature:
                guard let value = Signature(field.value) else { return nil }
                signature = value
            default: break
            }
        }
        guard fields.isIntact, let owner, let prekeys, let generatedAt, let signature,
            let offer = PrekeyOffer(owner: owner, prekeys: prekeys, generatedAt: generatedAt)
        else { return nil }
        self.init(offer: offer, signature: signature)
    }

    private static func prekeys(in bytes: ArraySlice<UInt8>) -> [Prekey]? {
        guard bytes.count.isMultiple(of: entryLength),
            (1...PrekeyOffer.maximumPrekeys).contains(bytes.count / entryLength)
        else { return nil }
        var reader = ByteReader(bytes)
        var prekeys: [Prekey] = []
        while let id = reader.take(UInt32.self), let key = reader.takeBytes32() {
            prekeys.append(Prekey(id: id, key: AgreementPublicKey(key)))
        }
        return prekeys
    }
}
