/// Names a notice or a removal on the board.
///
/// A removal is named by its author too. [ours], as the specification asks: judged by the notice alone, a stranger's
/// removal of it, worthless in itself, would have the true author's one taken for a duplicate.
///
/// Source: spec, store-and-forward §6.2.
public enum BoardKey: Hashable, Sendable {
    /// A notice, by its 16-byte identifier.
    case post(UInt128)
    /// The removal of a notice by one author.
    case tombstone(UInt128, by: SigningPublicKey)

    /// The name of what a notice says.
    public init(of notice: BoardNotice) {
        switch notice.body {
        case .post(let post): self = .post(post.id)
        case .tombstone(let tombstone): self = .tombstone(tombstone.id, by: notice.author)
        }
    }

    /// The name as bytes, for a store: the kind's number (1, 2), the 16 bytes of the identifier, the 32 of the author's key
    /// for a removal.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .post(let id):
            bytes.append(BoardTag.postKind)
            bytes.append(bigEndian: id)
        case .tombstone(let id, let author):
            bytes.append(BoardTag.tombstoneKind)
            bytes.append(bigEndian: id)
            bytes += author.bytes.bytes
        }
        return bytes
    }
}

/// A notice or a removal that the board keeps, with the packet that it came in.
public struct BoardEntry: Hashable, Sendable {
    /// What it says, under a signature that was checked.
    public let notice: BoardNotice
    /// The packet as it came: what others get of us has to be what its sender signed.
    public let frame: [UInt8]
    /// What the packet is known by in gossip sync.
    public let syncID: SyncID
    /// When the packet was made, as its sender claims.
    public let timestamp: WallTime
    /// From when on it is not kept any more.
    public let retainUntil: WallTime
    /// Whether it is the removal of a notice that was not here.
    public let isOrphan: Bool

    /// Its name.
    public var key: BoardKey { BoardKey(of: notice) }

    /// The notice; `nil` for a removal.
    public var post: BoardPost? {
        guard case .post(let post) = notice.body else { return nil }
        return post
    }

    /// What a store has to hold of it.
    public var stored: StoredNotice { StoredNotice(frame: frame, retainUntil: retainUntil, isOrphan: isOrphan) }
}

/// What a store holds of an entry; the rest is read from the packet again.
///
/// Source: spec, store-and-forward §6.2. [ours]: that a removal was an orphan is kept as well. Else each restart would make
/// room for as many orphans again.
public struct StoredNotice: Hashable, Sendable {
    /// The packet as it came.
    public let frame: [UInt8]
    /// From when on it is not kept any more. That of a notice is what the notice says.
    public let retainUntil: WallTime
    /// Whether it is the removal of a notice that was not here.
    public let isOrphan: Bool

    /// Gathers what was held.
    public init(frame: [UInt8], retainUntil: WallTime, isOrphan: Bool) {
        self.frame = frame
        self.retainUntil = retainUntil
        self.isOrphan = isOrphan
    }
}
