extension BoardNotice {
    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts, one or two bytes left
    /// over ignored. The signature is not checked here.
    ///
    /// - Returns: `nil` for a length past the end, a field of the wrong size (a time or a text that cannot be read counts
    ///   as missing instead), a missing field, and a post that breaks a limit.
    public init?(_ payload: ArraySlice<UInt8>) {
        var draft = Draft()
        var fields = TLVReader(payload, .long, leftover: .ignored)
        while let field = fields.next() {
            guard draft.read(field) else { return nil }
        }
        guard fields.isIntact, let body = draft.body, let author = draft.author, let signature = draft.signature
        else { return nil }
        self.init(body: body, author: author, signature: signature)
    }

    /// What was read so far.
    private struct Draft {
        var kind: UInt8?
        var id: UInt128?
        var geohash: String?
        var content: String?
        var author: SigningPublicKey?
        var nickname: String?
        var createdAt: WallTime?
        var expiresAt: WallTime?
        var flags: UInt8?
        var signature: Signature?
        var deletedAt: WallTime?

        /// Takes a field; `false` when it spoils the payload.
        mutating func read(_ field: TLVField) -> Bool {
            let value = field.value
            switch field.tag {
            case BoardTag.kind: return Self.set(&kind, UInt8(exactBigEndianBytes: value))
            case BoardTag.id: return Self.set(&id, UInt128(exactBigEndianBytes: value))
            case BoardTag.author: return Self.set(&author, Bytes32(value).map { SigningPublicKey($0) })
            case BoardTag.flags: return Self.set(&flags, UInt8(exactBigEndianBytes: value))
            case BoardTag.signature: return Self.set(&signature, Signature(value))
            case BoardTag.geohash: return Self.set(&geohash, value, limit: BoardPost.maximumGeohashLength)
            case BoardTag.content: return Self.set(&content, value, limit: BoardPost.maximumContentLength)
            case BoardTag.nickname: return Self.set(&nickname, value, limit: BoardPost.maximumNicknameLength)
            case BoardTag.createdAt: createdAt = Self.time(value)
            case BoardTag.expiresAt: expiresAt = Self.time(value)
            case BoardTag.deletedAt: deletedAt = Self.time(value)
            default: break
            }
            return true
        }

        private static func set<Value>(_ slot: inout Value?, _ value: Value?) -> Bool {
            slot = value
            return value != nil
        }

        private static func set(_ slot: inout String?, _ value: ArraySlice<UInt8>, limit: Int) -> Bool {
            guard value.count <= limit else { return false }
            slot = value.text
            return true
        }

        private static func time(_ value: ArraySlice<UInt8>) -> WallTime? {
            UInt64(exactBigEndianBytes: value).map { WallTime(milliseconds: $0) }
        }

        /// Post or removal, if all its fields are there.
        var body: Body? {
            guard let id else { return nil }
            switch kind {
            case BoardTag.postKind:
                guard let geohash, let content, let nickname, let createdAt, let expiresAt, let flags else {
                    return nil
                }
                return BoardPost(
                    id: id, geohash: geohash, content: content, nickname: nickname, createdAt: createdAt,
                    expiresAt: expiresAt, flags: flags
                ).map { .post($0) }
            case BoardTag.tombstoneKind:
                return deletedAt.map { .tombstone(BoardTombstone(id: id, deletedAt: $0)) }
            default: return nil
            }
        }
    }
}
