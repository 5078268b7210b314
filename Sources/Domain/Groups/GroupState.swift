/// The body of a group invite (0x06) and of a key update (0x07): all that a member must know, signed by the creator.
///
/// Source: spec, noise §9.2.
public struct GroupState<C: Cryptography>: Sendable {
    /// The group.
    public let id: GroupID
    /// The group's name, of any length on the wire; untrusted text.
    public let name: String
    /// The key of this epoch, 32 bytes; all zero in the state that tells a removed member of the removal.
    public let key: C.Secret
    /// Counts the changes of the roster.
    public let epoch: UInt32
    /// Who belongs to the group, not empty.
    public let roster: GroupRoster
    /// The only member that may sign states.
    public let creator: Fingerprint
    /// The creator's signature.
    public let signature: Signature

    /// Signs a state.
    ///
    /// - Parameter seed: The creator's Ed25519 seed.
    public init(
        id: GroupID, name: String, key: C.Secret, epoch: UInt32, roster: GroupRoster, creator: Fingerprint,
        signedWith seed: C.Secret, using cryptography: C
    ) {
        let bytes = Self.signedBytes(id: id, name: name, key: key, epoch: epoch, roster: roster, using: cryptography)
        self.init(
            id: id, name: name, key: key, epoch: epoch, roster: roster, creator: creator,
            signature: cryptography.sign(bytes.span, with: seed))
    }

    private init(
        id: GroupID, name: String, key: C.Secret, epoch: UInt32, roster: GroupRoster, creator: Fingerprint,
        signature: Signature
    ) {
        self.id = id
        self.name = name
        self.key = key
        self.epoch = epoch
        self.roster = roster
        self.creator = creator
        self.signature = signature
    }

    /// The 132 bytes under the signature. The key is in them as a digest only.
    public func signedBytes(using cryptography: C) -> [UInt8] {
        Self.signedBytes(id: id, name: name, key: key, epoch: epoch, roster: roster, using: cryptography)
    }

    private static func signedBytes(
        id: GroupID, name: String, key: C.Secret, epoch: UInt32, roster: GroupRoster, using cryptography: C
    ) -> [UInt8] {
        var bytes = Array("bitchat-group-v1".utf8)
        bytes.append(bigEndian: id.rawValue)
        bytes.append(bigEndian: epoch)
        bytes += cryptography.withBytes(of: key) { cryptography.sha256($0) }.bytes
        bytes += cryptography.sha256(roster.encoded.span).bytes
        bytes += cryptography.sha256(Array(name.utf8).span).bytes
        return bytes
    }

    /// Whether the creator is in the roster and the signature verifies under the key pinned there.
    public func isSignedByCreator(using cryptography: C) -> Bool {
        guard let creator = roster.member(creator) else { return false }
        return cryptography.verify(signature, of: signedBytes(using: cryptography).span, by: creator.signingKey)
    }

    /// The body; `nil` when the name exceeds 65,535 bytes.
    public func encoded(using cryptography: C) -> [UInt8]? {
        var writer = TLVWriter(.long, capacity: 192 + name.utf8.count + roster.members.count * 128)
        writer.append(GroupStateTag.id, bigEndian: id.rawValue)
        writer.append(GroupStateTag.name, name.utf8)
        cryptography.withBytes(of: key) { writer.append(GroupStateTag.key, $0) }
        writer.append(GroupStateTag.epoch, bigEndian: epoch)
        writer.append(GroupStateTag.roster, roster.encoded)
        writer.append(GroupStateTag.creator, creator.digest)
        writer.append(GroupStateTag.signature, signature.bytes)
        return writer.bytes
    }

    /// Reads a body: any order, unknown fields passed over, the last of a repeated field counts. Identifier, key, creator
    /// and signature of a wrong length are passed over too. The signature is not checked here.
    ///
    /// - Returns: `nil` for a missing field, a name, epoch or roster that cannot be read, an empty roster, or a fault in the
    ///   framing.
    public init?(_ body: ArraySlice<UInt8>, using cryptography: C) {
        var (id, name, key) = (UInt128?.none, String?.none, ArraySlice<UInt8>?.none)
        var (epoch, roster) = (UInt32?.none, GroupRoster?.none)
        var (creator, signature) = (Bytes32?.none, Signature?.none)
        var fields = TLVReader(body, .long, leftover: .refused)
        while let field = fields.next() {
            let value = field.value
            switch field.tag {
            case GroupStateTag.id: id = UInt128(exactBigEndianBytes: value) ?? id
            case GroupStateTag.name: name = value.text
            case GroupStateTag.key where value.count == GroupMessage.keyLength: key = value
            case GroupStateTag.epoch: epoch = UInt32(exactBigEndianBytes: value)
            case GroupStateTag.roster: roster = GroupRoster(value)
            case GroupStateTag.creator: creator = Bytes32(value) ?? creator
            case GroupStateTag.signature: signature = Signature(value) ?? signature
            default: break
            }
        }
        guard fields.isIntact, let id, let name, let key, let epoch, let roster, !roster.members.isEmpty, let creator,
            let signature
        else { return nil }
        self.init(
            id: GroupID(rawValue: id), name: name, key: cryptography.importSecret(key.span), epoch: epoch,
            roster: roster, creator: Fingerprint(digest: creator), signature: signature)
    }
}

private enum GroupStateTag {
    static let id: UInt8 = 0x01
    static let name: UInt8 = 0x02
    static let key: UInt8 = 0x03
    static let epoch: UInt8 = 0x04
    static let roster: UInt8 = 0x05
    static let creator: UInt8 = 0x06
    static let signature: UInt8 = 0x07
}
