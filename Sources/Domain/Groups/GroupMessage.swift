/// Why a group message is dropped.
///
/// Source: spec, noise §9.3.
public enum GroupMessageRefusal: String, Error, Hashable, Sendable {
    /// The payload does not decode.
    case envelope
    /// The key does not open it.
    case decrypt
    /// What was sealed does not decode.
    case malformed
    /// The sender's signature does not verify.
    case signature
}

/// The payload of a group packet (0x25): sealed under the key of an epoch, with the group's identifier in clear.
///
/// Source: spec, noise §9.3; packet §4.11.
public struct GroupMessage: Hashable, Sendable {
    /// The group.
    public let groupID: GroupID
    /// The epoch whose key opens it.
    public let epoch: UInt32
    /// Twelve random bytes.
    public let nonce: AEADNonce
    /// The sealed ``GroupText`` and its tag, not empty.
    public let ciphertext: [UInt8]

    /// The length of a group's key, in bytes.
    public static let keyLength = 32

    private init(groupID: GroupID, epoch: UInt32, nonce: AEADNonce, ciphertext: [UInt8]) {
        self.groupID = groupID
        self.epoch = epoch
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    private enum Tag {
        static let groupID: UInt8 = 0x01
        static let epoch: UInt8 = 0x02
        static let nonce: UInt8 = 0x03
        static let ciphertext: UInt8 = 0x04
    }

    /// The payload; `nil` when the ciphertext exceeds 65,535 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 44 + ciphertext.count)
        writer.append(Tag.groupID, bigEndian: groupID.rawValue)
        writer.append(Tag.epoch, bigEndian: epoch)
        writer.append(Tag.nonce, nonce.bytes)
        writer.append(Tag.ciphertext, ciphertext)
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts. Identifier and nonce of
    /// a wrong length and an empty ciphertext are passed over too.
    ///
    /// - Returns: `nil` for a missing field, an epoch of a wrong length, or a fault in the framing.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (groupID, epoch) = (UInt128?.none, UInt32?.none)
        var (nonce, ciphertext) = (AEADNonce?.none, ArraySlice<UInt8>?.none)
        var fields = TLVReader(payload, .long, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.groupID: groupID = UInt128(exactBigEndianBytes: field.value) ?? groupID
            case Tag.epoch: epoch = UInt32(exactBigEndianBytes: field.value)
            case Tag.nonce: nonce = AEADNonce(field.value) ?? nonce
            case Tag.ciphertext where !field.value.isEmpty: ciphertext = field.value
            default: break
            }
        }
        guard fields.isIntact, let groupID, let epoch, let nonce, let ciphertext else { return nil }
        self.init(
            groupID: GroupID(rawValue: groupID), epoch: epoch, nonce: nonce, ciphertext: Array(ciphertext))
    }

    /// Seals a text; `nil` when a part of it, or all of it, exceeds 65,535 bytes.
    ///
    /// - Parameters:
    ///   - key: The 32-byte key of the text's epoch.
    ///   - nonce: Twelve random bytes.
    public init?<C: Cryptography>(sealing text: GroupText, key: C.Secret, nonce: AEADNonce, using cryptography: C) {
        guard let plaintext = text.encoded, plaintext.count + aeadTagLength <= UInt16.max else { return nil }
        var ciphertext: [UInt8] = []
        ciphertext.reserveCapacity(plaintext.count + aeadTagLength)
        let associated = Self.associatedData(text.groupID, text.epoch)
        cryptography.seal(plaintext.span, key: key, nonce: nonce, associatedData: associated.span, into: &ciphertext)
        self.init(groupID: text.groupID, epoch: text.epoch, nonce: nonce, ciphertext: ciphertext)
    }

    /// Opens the seal and checks the signature inside. Whether the sender is a member is the caller's check.
    public func open<C: Cryptography>(
        with key: C.Secret, using cryptography: C
    ) throws(GroupMessageRefusal) -> GroupText {
        var plaintext: [UInt8] = []
        let associated = Self.associatedData(groupID, epoch)
        guard ciphertext.count > aeadTagLength,
            cryptography.open(
                ciphertext.span, key: key, nonce: nonce, associatedData: associated.span, into: &plaintext)
        else { throw .decrypt }
        guard let text = GroupText(plaintext[...], groupID: groupID, epoch: epoch) else { throw .malformed }
        guard text.verifies(using: cryptography) else { throw .signature }
        return text
    }

    /// Group and epoch in clear are bound to the seal, so that a message cannot be relabelled.
    private static func associatedData(_ groupID: GroupID, _ epoch: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: groupID.rawValue)
        bytes.append(bigEndian: epoch)
        return bytes
    }
}
