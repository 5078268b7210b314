import Domain
import Testing

@Suite("Notice board")
struct NoticeBoardTests {
    private typealias Table = BoardTable

    // MARK: Notices

    @Test("a notice is put up once, with the packet that it came in")
    func accepted() throws {
        var table = BoardTable()
        let first = try table.bring(Table.post(1))
        let again = try table.bring(Table.post(1), at: 5)
        #expect(first.verdict == .accepted && again.verdict == .duplicate)
        #expect(first.verdict.isRelayed && again.verdict.isRelayed)
        #expect(again.added == nil && again.removed.isEmpty)
        let entry = try #require(table.board.entries(at: Table.start).first)
        let packet = Table.packet(try #require(try Table.post(1).encoded))
        #expect(entry == first.added && table.board.entries(at: Table.start).count == 1)
        #expect(entry.frame == (try packet.plainFrame()))
        #expect(entry.syncID == SyncID(of: packet, using: Table.cryptography))
        #expect(entry.timestamp == packet.timestamp)
        #expect(entry.retainUntil == Table.time(Table.day) && !entry.isOrphan)
    }

    @Test("the frame is kept as it came: trailing bytes, padding and all")
    func rawFrame() throws {
        var board = NoticeBoard()
        let packet = Table.packet(try #require(try Table.post(1).encoded))
        let frame = try #require(packet.encoded(padding: true, using: PacketTools.compression))
        _ = board.ingest(packet, frame: frame, at: Table.start, using: Table.cryptography)
        #expect(board.entries(at: Table.start).map(\.frame) == [frame])
    }

    @Test("nobody looks at who sent the packet or at its own signature")
    func outerPacket() throws {
        var table = BoardTable()
        var packet = Table.packet(try #require(try Table.post(1).encoded))
        packet.signature = Signature([UInt8](repeating: 9, count: 64))
        let outcome = try table.bring(packet, at: Table.start)
        #expect(outcome.verdict == .accepted)
    }

    @Test(
        "a date an hour ahead is right, a millisecond more is not; an end is over when it is reached (38)",
        arguments: [
            (Table.hour, Table.day, BoardRefusal?.none), (Table.hour + 1, Table.day, .fromTheFuture),
            (Table.hour, 7 * Table.day, nil), (-7 * Table.day + 1, 7 * Table.day, nil),
            (-7 * Table.day, 7 * Table.day, .expired), (-10, 10, .expired), (-10, 11, nil),
        ])
    func times(created: Int64, life: Int64, refusal: BoardRefusal?) throws {
        var table = BoardTable()
        let outcome = try table.bring(Table.post(1, created: created, life: life))
        #expect(outcome.verdict == refusal.map { .rejected($0) } ?? .accepted)
        #expect(outcome.verdict.isRelayed == (refusal == nil))
    }

    @Test("what cannot be read, is not signed by its author, or is another packet is refused and not relayed")
    func refused() throws {
        var table = BoardTable()
        let notice = try Table.post(1)
        let payload = try #require(notice.encoded)
        let forged = BoardNotice(body: notice.body, author: Table.key(2), signature: notice.signature)
        let bad: [(Packet, BoardRefusal)] = [
            (Table.packet([]), .malformed), (Table.packet(Array(payload.dropLast())), .malformed),
            (Packet.sample(type: .message, payload: payload), .malformed),
            (Table.packet(try #require(forged.encoded)), .badSignature),
        ]
        for (packet, refusal) in bad {
            let outcome = try table.bring(packet, at: Table.start)
            #expect(outcome.verdict == .rejected(refusal) && !outcome.verdict.isRelayed)
        }
        // A known identifier does not make a forgery a duplicate.
        _ = try table.bring(notice)
        let outcome = try table.bring(Table.packet(try #require(forged.encoded)), at: Table.start)
        #expect(outcome.verdict == .rejected(.badSignature))
    }

    @Test("a packet that is long for its unknown fields is not kept: 700 of them would be memory for strangers to fill")
    func tooLong() throws {
        var table = BoardTable()
        let payload = try #require(try Table.post(1).encoded)
        func packet(filler: Int) -> Packet {
            // Unknown fields that do not deflate.
            var generator = PacketTestGenerator(seed: 3)
            return Table.packet(payload + [0x7F] + PacketBytes.of(UInt16(filler)) + generator.bytes(filler))
        }
        let fitting = try (0...2048).last {
            try packet(filler: $0).plainFrame().count <= BoardPolicy.maximumFrameLength
        }
        let room = try #require(fitting)
        #expect(room > 1000)
        let long = try table.bring(packet(filler: room + 1), at: Table.start)
        #expect(long.verdict == .rejected(.tooLong))
        let fits = try table.bring(packet(filler: room), at: Table.start)
        #expect(fits.verdict == .accepted && fits.added?.frame.count == BoardPolicy.maximumFrameLength)
    }

    @Test("the largest notice fits into a frame that is kept, padded")
    func largest() throws {
        var generator = PacketTestGenerator(seed: 8)
        let post = try #require(
            BoardPost(
                id: 1, geohash: "9q8yykv551w2", content: Hex.encode(generator.bytes(256)),
                nickname: Hex.encode(generator.bytes(32)), createdAt: Table.start,
                expiresAt: Table.time(7 * Table.day), flags: 255))
        let notice = BoardNotice(signing: .post(post), with: Table.seed(1), using: Table.cryptography)
        var packet = Table.packet(try #require(notice.encoded))
        packet.signature = notice.signature
        let frame = try #require(packet.encoded(padding: true, using: PacketTools.compression))
        #expect(frame.count <= 1024)
    }

    @Test("the sixth of an author evicts the one created first, which may be the new one; accepted all the same (40)")
    func perAuthor() throws {
        var table = BoardTable()
        for id in 1...5 { _ = try table.bring(Table.post(UInt128(id), created: Int64(-id))) }
        let sixth = try table.bring(Table.post(6))
        #expect(sixth.verdict == .accepted && sixth.removed == [.post(5)])
        let oldest = try table.bring(Table.post(7, created: -1000))
        #expect(oldest.verdict == .accepted && oldest.added == nil && oldest.removed.isEmpty)
        #expect(table.posts() == [1, 2, 3, 4, 6])
        let other = try table.bring(Table.post(8, by: 2, created: -1000))
        #expect(other.added != nil && table.posts().count == 6)
    }

    @Test("of those created at once the one received first goes")
    func equalDates() throws {
        var table = BoardTable()
        for id in [3, 1, 5, 4, 2, 6] { _ = try table.bring(Table.post(UInt128(id))) }
        #expect(table.posts() == [1, 5, 4, 2, 6])
    }

    @Test("beyond 200 the one created first goes, whoever's it is")
    func inAll() throws {
        var table = BoardTable()
        for number in 0..<BoardPolicy.posts {
            let notice = try Table.post(UInt128(number), by: number / 5, created: Int64(number == 77 ? -1 : number))
            _ = try table.bring(notice)
        }
        #expect(table.posts().count == 200)
        let outcome = try table.bring(Table.post(1000, by: 99, created: 1000))
        #expect(outcome.verdict == .accepted && outcome.removed == [.post(77)])
        let next = try table.bring(Table.post(1001, by: 99, created: 1000))
        #expect(next.removed == [.post(0)] && table.posts().count == 200)
    }

    @Test("one that has run out makes room, is not shown, and is named when it goes")
    func expiry() throws {
        var table = BoardTable()
        for id in 1...5 { _ = try table.bring(Table.post(UInt128(id), created: Int64(id), life: 10)) }
        #expect(table.posts(at: 10) == [1, 2, 3, 4, 5] && table.posts(at: 11) == [2, 3, 4, 5])
        #expect(table.board.entry(.post(1), at: Table.time(11)) == nil)
        let sixth = try table.bring(Table.post(6, life: 20), at: 12)
        #expect(sixth.removed == [.post(1), .post(2)] && table.posts(at: 12) == [3, 4, 5, 6])
        let pruned = table.board.prune(at: Table.time(15))
        #expect(pruned == [.post(3), .post(4), .post(5)])
        let again = table.board.prune(at: Table.time(15))
        #expect(again.isEmpty && table.posts(at: 15) == [6])
    }

    @Test("shown are those of one place, urgent ones first, then newer ones first")
    func display() throws {
        var table = BoardTable()
        _ = try table.bring(Table.post(1, created: -50, isUrgent: true))
        _ = try table.bring(Table.post(2, created: -10))
        _ = try table.bring(Table.post(3, created: -5, geohash: "9q8yy"))
        _ = try table.bring(Table.post(4, created: -60, isUrgent: true))
        _ = try table.bring(Table.post(5, created: -10))
        _ = try table.bring(Table.post(6, by: 2, created: -20, life: 21))
        #expect(table.board.posts(on: "", at: Table.start).compactMap { $0.post?.id } == [1, 4, 2, 5, 6])
        #expect(table.board.posts(on: "", at: Table.time(1)).compactMap { $0.post?.id } == [1, 4, 2, 5])
        #expect(table.board.posts(on: "9q8yy", at: Table.start).compactMap { $0.post?.id } == [3])
    }
}
