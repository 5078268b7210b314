/// What one member says to a group, signed by that member.
///
/// Source: spec, noise §9.3.
public struct GroupText: Hashable, Sendable {
    /// The group.
    public let groupID: GroupID
    /// The epoch it was said in; signed, so that nobody can seal another's words again under a later key.
    public let epoch: UInt32
    /// The message's identifier, not empty.
    public let id: MessageID
    /// The member's key.
    public let sender: SigningPublicKey
    /// The member's name, neither signed nor trusted; the roster's name goes before it.
    public let nickname: String
    /// When the member said it.
    public let timestamp: WallTime
    /// The words; may be empty.
    public let content: String
    /// The member's signature.
    public let signature: Signature

    /// Signs a text.
    ///
    /// - Parameter seed: The member's Ed25519 seed.
    public init<C: Cryptography>(
        groupID: GroupID, epoch: UInt32, id: MessageID, nickname: String, timestamp: WallTime, content: String,
        signedWith seed: C.Secret, using cryptography: C
    ) {
        let bytes = Self.signedBytes(groupID: groupID, epoch: epoch, id: id, timestamp: timestamp, content: content)
        self.groupID = groupID
        self.epoch = epoch
        self.id = id
        self.sender = cryptography.signingPublicKey(of: seed)
        self.nickname = nickname
        self.timestamp = timestamp
        self.content = content
        self.signature = cryptography.sign(bytes.span, with: seed)
    }

    /// The bytes under the signature; they carry no lengths.
    public var signedBytes: [UInt8] {
        Self.signedBytes(groupID: groupID, epoch: epoch, id: id, timestamp: timestamp, content: content)
    }

    private static func signedBytes(
        groupID: GroupID, epoch: UInt32, id: MessageID, timestamp: WallTime, content: String
    ) -> [UInt8] {
        var bytes = Array("bitchat-group-msg-v1".utf8)
        bytes.append(bigEndian: groupID.rawValue)
        bytes.append(bigEndian: epoch)
        bytes += id.text.utf8
        bytes.append(bigEndian: timestamp.milliseconds)
        bytes += content.utf8
        return bytes
    }

    /// Whether the signature verifies under the sender's key.
    func verifies(using cryptography: some Cryptography) -> Bool {
        cryptography.verify(signature, of: signedBytes.span, by: sender)
    }

    private enum Tag {
        static let id: UInt8 = 0x01
        static let sender: UInt8 = 0x02
        static let nickname: UInt8 = 0x03
        static let timestamp: UInt8 = 0x04
        static let content: UInt8 = 0x05
        static let signature: UInt8 = 0x06
    }

    /// The bytes to seal; `nil` when identifier, name or words exceed 65,535 bytes.
    var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 192 + content.utf8.count)
        writer.append(Tag.id, id.text.utf8)
        writer.append(Tag.sender, sender.bytes)
        writer.append(Tag.nickname, nickname.utf8)
        writer.append(Tag.timestamp, bigEndian: timestamp.milliseconds)
        writer.append(Tag.content, content.utf8)
        writer.append(Tag.signature, signature.bytes)
        return writer.bytes
    }

    /// Reads what was sealed: any order, unknown fields passed over, the last of a repeated field counts. Key and signature
    /// of a wrong length are passed over too. The signature is not checked here.
    ///
    /// - Returns: `nil` for a missing field, one that cannot be read, an empty identifier, or a fault in the framing.
    init?(_ plaintext: ArraySlice<UInt8>, groupID: GroupID, epoch: UInt32) {
        var (id, sender, nickname) = (String?.none, Bytes32?.none, String?.none)
        var (timestamp, content, signature) = (UInt64?.none, String?.none, Signature?.none)
        var fields = TLVReader(plaintext, .long, leftover: .refused)
        while let field = fields.next() {
            let value = field.value
            switch field.tag {
            case Tag.id: id = value.text
            case Tag.sender: sender = Bytes32(value) ?? sender
            case Tag.nickname: nickname = value.text
            case Tag.timestamp: timestamp = UInt64(exactBigEndianBytes: value)
            case Tag.content: content = value.text
            case Tag.signature: signature = Signature(value) ?? signature
            default: break
            }
        }
        guard fields.isIntact, let id, !id.isEmpty, let sender, let nickname, let timestamp, let content, let signature
        else { return nil }
        self.groupID = groupID
        self.epoch = epoch
        self.id = MessageID(id)
        self.sender = SigningPublicKey(sender)
        self.nickname = nickname
        self.timestamp = WallTime(milliseconds: timestamp)
        self.content = content
        self.signature = signature
    }
}
