import Domain
import Testing

/// The board under seeded crowds of honest and hostile authors.
@Suite("Any traffic on the board")
struct BoardPropertyTests {
    private typealias Table = BoardTable

    @Test("bounds hold, the store follows by what is told, and a restart changes nothing", arguments: [1, 2, 3])
    func anyOrder(seed: UInt64) throws {
        var generator = PacketTestGenerator(seed: seed)
        var table = BoardTable()
        var now: Int64 = 0
        var verdicts: Set<BoardVerdict> = []
        for step in 0..<400 {
            now += Int64(generator.next() % UInt64(2 * Table.hour))
            let id = UInt128(generator.next() % 120)
            let author = Int(generator.next() % 6)
            let notice =
                generator.next() % 5 < 3
                ? try Table.post(
                    id, by: author, created: now - Int64(generator.next() % 5000),
                    life: 6000 + Int64(generator.next() % UInt64(2 * Table.day)))
                : Table.removal(id, by: author, deleted: now - Int64(generator.next() % 5000))
            let outcome = try table.bring(notice, at: now)
            verdicts.insert(outcome.verdict)
            try check(table, at: now, "step \(step)")
        }
        #expect(verdicts.contains(.accepted) && verdicts.contains(.duplicate))
        #expect(verdicts.contains(.rejected(.takenDown)) && verdicts.contains(.rejected(.notTheAuthor)))
    }

    private func check(_ table: BoardTable, at now: Int64, _ label: String) throws {
        let time = Table.time(now)
        let entries = table.board.entries(at: time)
        #expect(Set(entries.map(\.key)).count == entries.count, "\(label): a name twice")
        // Nothing has run out: the board was pruned by the last call.
        #expect(Set(entries.map(\.key)) == Set(table.stored.keys), "\(label): the store differs")
        #expect(
            entries.allSatisfy { table.stored[$0.key] == $0.stored }, "\(label): the store holds something else")
        var counts: [String: Int] = [:]
        for entry in entries {
            let sort = entry.post != nil ? "post" : entry.isOrphan ? "orphan" : "removal"
            counts[sort + entry.notice.author.bytes.hex, default: 0] += 1
        }
        let crowded = counts.filter { $0.value > ($0.key.hasPrefix("removal") ? BoardPolicy.removalsPerAuthor : 5) }
        #expect(crowded.isEmpty, "\(label): too many of one author")
        let undead = entries.filter { entry in
            guard let id = entry.post?.id else { return false }
            return table.board.entry(.tombstone(id, by: entry.notice.author), at: time) != nil
        }
        #expect(undead.isEmpty, "\(label): a notice that was taken down is up")
        guard now.isMultiple(of: 31) else { return }
        #expect(table.restarted(at: time).entries(at: time) == entries, "\(label): a restart changed the board")
    }

    @Test("no payload traps, and none that is damaged is put up")
    func damage() throws {
        var generator = PacketTestGenerator(seed: 23)
        var table = BoardTable()
        let seeds = [
            try #require(try Table.post(1).encoded), try #require(Table.removal(2).encoded),
            try #require(try Table.post(3, by: 2, geohash: "9q8yy", isUrgent: true).encoded),
        ]
        var refusals: Set<BoardVerdict> = []
        for round in 0..<2000 {
            var payload = seeds[round % seeds.count]
            for _ in 0...generator.next() % 3 {
                let place = Int(generator.next() % UInt64(max(payload.count, 1)))
                switch generator.next() % 5 {
                case 0 where !payload.isEmpty: payload[place] ^= 1 << UInt8(generator.next() % 8)
                case 1: payload.removeLast(payload.count - place)
                case 2: payload.insert(UInt8(truncatingIfNeeded: generator.next()), at: min(place, payload.count))
                case 3: payload += seeds[Int(generator.next() % 3)]
                default: payload += generator.bytes(Int(generator.next() % 40))
                }
            }
            let outcome = try table.bring(Table.packet(payload), at: Table.start)
            refusals.insert(outcome.verdict)
            let entry = StoredNotice(
                frame: payload, retainUntil: WallTime(milliseconds: generator.next()), isOrphan: round % 2 == 0)
            _ = table.board.restore(entry, at: Table.start, using: Table.cryptography, PacketTools.compression)
        }
        // Only damage that leaves what is signed as it was gets through.
        let honest = seeds.compactMap { BoardNotice($0[...]) }
        for entry in table.board.entries(at: Table.start) {
            #expect(honest.contains { $0.signedBytes == entry.notice.signedBytes })
        }
        #expect(refusals.contains(.rejected(.malformed)) && refusals.contains(.rejected(.badSignature)))
    }
}
