import Domain
import Testing

/// Authors, their notices, and a board to put them on.
///
/// Authors are numbers; so are notices, whose identifier they are.
struct BoardTable {
    static let cryptography = payloadCryptography
    static let start = WallTime(milliseconds: 1_760_000_000_000)
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    var board = NoticeBoard()
    /// What a store would hold by now.
    var stored: [BoardKey: StoredNotice] = [:]
    /// In the order in which it was written.
    var order: [BoardKey] = []

    /// A time so many milliseconds from the start.
    static func time(_ offset: Int64) -> WallTime {
        WallTime(milliseconds: UInt64(Int64(start.milliseconds) + offset))
    }

    static func seed(_ author: Int) -> PayloadSecret {
        let bytes = PacketBytes.of(UInt64(author)) + [UInt8](repeating: 1, count: 24)
        return cryptography.importSecret(bytes.span)
    }

    static func key(_ author: Int) -> SigningPublicKey { cryptography.signingPublicKey(of: seed(author)) }

    /// A notice by an author.
    static func post(
        _ id: UInt128, by author: Int = 1, created: Int64 = 0, life: Int64 = day, geohash: String = "",
        isUrgent: Bool = false
    ) throws -> BoardNotice {
        let post = try #require(
            BoardPost(
                id: id, geohash: geohash, content: "notice \(id)", nickname: "n", createdAt: time(created),
                expiresAt: time(created + life), flags: isUrgent ? BoardPost.urgentFlag : 0))
        return BoardNotice(signing: .post(post), with: seed(author), using: cryptography)
    }

    /// A removal by an author.
    static func removal(_ id: UInt128, by author: Int = 1, deleted: Int64 = 0) -> BoardNotice {
        removal(id, by: author, at: time(deleted))
    }

    static func removal(_ id: UInt128, by author: Int, at time: WallTime) -> BoardNotice {
        BoardNotice(
            signing: .tombstone(BoardTombstone(id: id, deletedAt: time)), with: seed(author), using: cryptography)
    }

    /// A packet around a payload, as anybody may send it.
    static func packet(_ payload: [UInt8]) -> Packet {
        Packet.sample(type: .boardPost, payload: payload)
    }

    /// Brings a notice to the board, and the store up to date.
    mutating func bring(_ notice: BoardNotice, at offset: Int64 = 0) throws -> BoardOutcome {
        let payload = try #require(notice.encoded)
        return try bring(Self.packet(payload), at: Self.time(offset))
    }

    mutating func bring(_ packet: Packet, at now: WallTime) throws -> BoardOutcome {
        let frame = try packet.plainFrame()
        let outcome = board.ingest(packet, frame: frame, at: now, using: Self.cryptography)
        write(outcome)
        return outcome
    }

    /// Does with the store what an outcome asks for.
    mutating func write(_ outcome: BoardOutcome) {
        for key in outcome.removed {
            #expect(stored.removeValue(forKey: key) != nil, "what was never written is to be deleted")
            order.removeAll { $0 == key }
        }
        if let added = outcome.added {
            #expect(stored.updateValue(added.stored, forKey: added.key) == nil, "written twice")
            order.append(added.key)
        }
    }

    /// The board that the store gives back.
    func restarted(at now: WallTime) -> NoticeBoard {
        var board = NoticeBoard()
        for key in order {
            guard let entry = stored[key] else { continue }
            _ = board.restore(entry, at: now, using: Self.cryptography, PacketTools.compression)
        }
        return board
    }

    /// The identifiers of the notices, in the order of the board's packets.
    func posts(at offset: Int64 = 0) -> [UInt128] {
        board.entries(at: Self.time(offset)).compactMap { $0.post?.id }
    }

    /// The number of removals.
    func removals(at offset: Int64 = 0) -> Int { board.entries(at: Self.time(offset)).count - posts(at: offset).count }
}
