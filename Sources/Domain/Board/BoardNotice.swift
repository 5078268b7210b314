/// The payload of a board packet (0x23): a post or its removal, signed by the author inside, so that it can be checked
/// long after the author left.
///
/// Source: spec, packet §4.10; store-and-forward §6.1.
public struct BoardNotice: Hashable, Sendable {
    /// A post or a removal.
    public enum Body: Hashable, Sendable {
        /// A notice to put up.
        case post(BoardPost)
        /// A notice to take down.
        case tombstone(BoardTombstone)
    }

    /// What is said.
    public let body: Body
    /// The author's key.
    public let author: SigningPublicKey
    /// The author's signature over ``signedBytes``.
    public let signature: Signature

    /// Makes a notice with a signature at hand.
    public init(body: Body, author: SigningPublicKey, signature: Signature) {
        self.body = body
        self.author = author
        self.signature = signature
    }

    /// Signs a post or a removal.
    ///
    /// - Parameter seed: The author's Ed25519 seed.
    public init<C: Cryptography>(signing body: Body, with seed: C.Secret, using cryptography: C) {
        let author = cryptography.signingPublicKey(of: seed)
        let bytes = Self.signedBytes(of: body, author: author)
        self.init(body: body, author: author, signature: cryptography.sign(bytes.span, with: seed))
    }

    /// The bytes under the signature.
    public var signedBytes: [UInt8] { Self.signedBytes(of: body, author: author) }

    /// Whether the author's signature verifies.
    public func verifies(using cryptography: some Cryptography) -> Bool {
        cryptography.verify(signature, of: signedBytes.span, by: author)
    }

    private static func signedBytes(of body: Body, author: SigningPublicKey) -> [UInt8] {
        switch body {
        case .post(let post): post.signedBytes(author: author)
        case .tombstone(let tombstone): tombstone.signedBytes
        }
    }

    /// The start of the signed bytes: what they are, with its length in one byte.
    static func context(_ text: String) -> [UInt8] { [UInt8(clamping: text.utf8.count)] + text.utf8 }

    /// The payload.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 256)
        switch body {
        case .post(let post):
            writer.append(BoardTag.kind, CollectionOfOne(BoardTag.postKind))
            writer.append(BoardTag.id, bigEndian: post.id)
            writer.append(BoardTag.geohash, post.geohash.utf8)
            writer.append(BoardTag.content, post.content.utf8)
            writer.append(BoardTag.author, author.bytes)
            writer.append(BoardTag.nickname, post.nickname.utf8)
            writer.append(BoardTag.createdAt, bigEndian: post.createdAt.milliseconds)
            writer.append(BoardTag.expiresAt, bigEndian: post.expiresAt.milliseconds)
            writer.append(BoardTag.flags, CollectionOfOne(post.flags))
        case .tombstone(let tombstone):
            writer.append(BoardTag.kind, CollectionOfOne(BoardTag.tombstoneKind))
            writer.append(BoardTag.id, bigEndian: tombstone.id)
            writer.append(BoardTag.author, author.bytes)
            writer.append(BoardTag.deletedAt, bigEndian: tombstone.deletedAt.milliseconds)
        }
        writer.append(BoardTag.signature, signature.bytes)
        return writer.bytes
    }

    /// Whether a payload claims to be urgent, told from its first flags field alone: a relay decides by it in passing,
    /// also on what it cannot decode.
    ///
    /// Source: spec, store-and-forward §6.2.
    public static func claimsUrgency(_ payload: ArraySlice<UInt8>) -> Bool {
        var fields = TLVReader(payload, .long, leftover: .ignored)
        while let field = fields.next() {
            if field.tag == BoardTag.flags, field.value.count == 1, let flags = field.value.first {
                return flags & BoardPost.urgentFlag != 0
            }
        }
        return false
    }
}

/// The numbers of the board's fields and kinds.
enum BoardTag {
    static let kind: UInt8 = 0x01
    static let id: UInt8 = 0x02
    static let geohash: UInt8 = 0x03
    static let content: UInt8 = 0x04
    static let author: UInt8 = 0x05
    static let nickname: UInt8 = 0x06
    static let createdAt: UInt8 = 0x07
    static let expiresAt: UInt8 = 0x08
    static let flags: UInt8 = 0x09
    static let signature: UInt8 = 0x0A
    static let deletedAt: UInt8 = 0x0B

    static let postKind: UInt8 = 0x01
    static let tombstoneKind: UInt8 = 0x02
}
