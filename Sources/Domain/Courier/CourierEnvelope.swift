/// The payload of a courier packet (0x04): sealed mail for someone who is not here, with nothing but a tag on it.
///
/// Source: spec, store-and-forward §3.2; packet §4.13.
public struct CourierEnvelope: Hashable, Sendable {
    /// For whom, if one knows the key.
    public let tag: RecipientTag
    /// From when on it must be discarded.
    public let expiry: WallTime
    /// A one-way seal, 1 to ``CourierPolicy/maximumCiphertextLength`` bytes.
    public let ciphertext: [UInt8]
    /// How many copies this one stands for.
    public private(set) var budget: SprayBudget
    /// The recipient's prekey that it was sealed to; `nil` when it was sealed to the static key.
    public let prekeyID: UInt32?

    /// Makes an envelope; `nil` when the ciphertext is empty or too long.
    public init?(
        tag: RecipientTag, expiry: WallTime, ciphertext: [UInt8], budget: SprayBudget = .single, prekeyID: UInt32? = nil
    ) {
        guard (1...CourierPolicy.maximumCiphertextLength).contains(ciphertext.count) else { return nil }
        self.tag = tag
        self.expiry = expiry
        self.ciphertext = ciphertext
        self.budget = budget
        self.prekeyID = prekeyID
    }

    /// Whether it must be discarded now.
    public func isExpired(at now: WallTime) -> Bool { now >= expiry }

    /// The same envelope, standing for another number of copies.
    public func carrying(_ budget: SprayBudget) -> CourierEnvelope {
        var envelope = self
        envelope.budget = budget
        return envelope
    }

    private enum Tag {
        static let recipient: UInt8 = 0x01
        static let expiry: UInt8 = 0x02
        static let ciphertext: UInt8 = 0x03
        static let copies: UInt8 = 0x04
        static let prekeyID: UInt8 = 0x05
    }

    /// The payload. A single copy is not written: so the bytes stay those of the oldest format.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 44 + ciphertext.count)
        writer.append(Tag.recipient, bigEndian: tag.rawValue)
        writer.append(Tag.expiry, bigEndian: expiry.milliseconds)
        writer.append(Tag.ciphertext, ciphertext)
        if budget != .single { writer.append(Tag.copies, CollectionOfOne(budget.copies)) }
        if let prekeyID { writer.append(Tag.prekeyID, bigEndian: prekeyID) }
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts.
    ///
    /// - Returns: `nil` for any field of a wrong length, without tag, expiry and ciphertext, or for a fault in the framing.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (tag, expiry, ciphertext) = (RecipientTag?.none, WallTime?.none, ArraySlice<UInt8>?.none)
        var (budget, prekeyID) = (SprayBudget.single, UInt32?.none)
        var fields = TLVReader(payload, .long, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.recipient:
                guard let value = RecipientTag(field.value) else { return nil }
                tag = value
            case Tag.expiry:
                guard let milliseconds = UInt64(exactBigEndianBytes: field.value) else { return nil }
                expiry = WallTime(milliseconds: milliseconds)
            case Tag.ciphertext:
                guard (1...CourierPolicy.maximumCiphertextLength).contains(field.value.count) else { return nil }
                ciphertext = field.value
            case Tag.copies:
                guard let claimed = UInt8(exactBigEndianBytes: field.value) else { return nil }
                budget = SprayBudget(clamping: claimed)
            case Tag.prekeyID:
                guard let id = UInt32(exactBigEndianBytes: field.value) else { return nil }
                prekeyID = id
            default: break
            }
        }
        guard fields.isIntact, let tag, let expiry, let ciphertext else { return nil }
        self.init(tag: tag, expiry: expiry, ciphertext: Array(ciphertext), budget: budget, prekeyID: prekeyID)
    }
}
