import Domain
import Testing

@Suite("Others' prekeys")
struct PrekeyCacheTests {
    private let owner = Prekeys.key(20)
    private let other = Prekeys.key(21)

    private func cache(_ bundles: PrekeyBundle..., capacity: Int = 200) -> PrekeyCache {
        var cache = PrekeyCache(capacity: capacity)
        for bundle in bundles { _ = cache.insert(bundle, at: Prekeys.time(0)) }
        return cache
    }

    private func assign(
        _ text: String, in cache: inout PrekeyCache, announced: Capabilities? = nil, at offset: Int64 = 0
    ) -> UInt32? {
        cache.assign(MessageID(text), to: owner, announced: announced, at: Prekeys.time(offset))?.prekey.id
    }

    // Noise edge case 43.
    @Test(
        "only a newer bundle replaces what we have", arguments: [(-1, false), (0, false), (1, true)] as [(Int64, Bool)])
    func newer(offset: Int64, isTaken: Bool) throws {
        var cache = cache(try Prekeys.bundle(of: owner, [0, 1]))
        let bundle = try Prekeys.bundle(of: owner, [5], at: offset)
        let insertion = cache.insert(bundle, at: Prekeys.time(9))
        let record = CachedBundle(bundle: bundle, updatedAt: Prekeys.time(9))
        #expect(insertion == (isTaken ? .stored(record, evicted: nil) : .ignored))
        #expect(cache[owner]?.bundle.offer.prekeys.map(\.id) == (isTaken ? [5] : [0, 1]))
        #expect(cache.count == 1)
    }

    // Noise edge case 44.
    @Test("two messages get two prekeys, lowest number first; the same message gets the same; then static")
    func assignments() throws {
        var cache = cache(try Prekeys.bundle(of: owner, [9, 4, 7]))
        #expect(assign("a", in: &cache) == 4)
        #expect(assign("b", in: &cache) == 7)
        #expect(assign("a", in: &cache) == 4)
        #expect(assign("c", in: &cache) == 9)
        #expect(assign("d", in: &cache) == nil)
        #expect(assign("c", in: &cache) == 9)
        let assignment = cache.assign(MessageID("a"), to: owner, announced: nil, at: Prekeys.time(0))
        #expect(assignment?.prekey.key == Prekeys.key(104))
    }

    @Test("a new assignment is a change to write down, a repeated one is not")
    func changes() throws {
        let bundle = try Prekeys.bundle(of: owner)
        var cache = cache(bundle)
        let first = cache.assign(MessageID("a"), to: owner, announced: nil, at: Prekeys.time(1))
        let record = CachedBundle(
            bundle: bundle, updatedAt: Prekeys.time(0), spent: [SpentPrekey(id: 0, message: MessageID("a"))])
        #expect(first?.changed == record)
        #expect(cache[owner] == record)
        let again = cache.assign(MessageID("a"), to: owner, announced: nil, at: Prekeys.time(2))
        #expect(again?.prekey.id == 0)
        #expect(again.map { $0.changed == nil } == true)
    }

    @Test("an owner that we know nothing of gets static seals")
    func unknown() throws {
        var cache = cache(try Prekeys.bundle(of: other))
        #expect(assign("a", in: &cache) == nil)
    }

    @Test("identifiers are compared byte by byte")
    func identifiers() throws {
        var cache = cache(try Prekeys.bundle(of: owner))
        #expect(assign("\u{e9}", in: &cache) == 0)
        #expect(assign("e\u{301}", in: &cache) == 1)
    }

    // Noise edge case 44.
    @Test("a bundle counts for seven days, for old assignments too; one from the future counts")
    func age() throws {
        var cache = cache(try Prekeys.bundle(of: owner))
        #expect(assign("a", in: &cache, at: 7 * Prekeys.day) == 0)
        #expect(assign("b", in: &cache, at: 7 * Prekeys.day + 1) == nil)
        #expect(assign("a", in: &cache, at: 7 * Prekeys.day + 1) == nil)
        #expect(assign("b", in: &cache, at: -30 * Prekeys.day) == 1)
    }

    @Test(
        "a recipient here who does not announce prekeys has lost them; one who is not here is taken at the bundle's word"
    )
    func downgrade() throws {
        var cache = cache(try Prekeys.bundle(of: owner))
        #expect(assign("a", in: &cache, announced: [.privateMedia, .board]) == nil)
        #expect(assign("a", in: &cache, announced: []) == nil)
        #expect(cache[owner]?.spent.isEmpty == true)
        #expect(assign("a", in: &cache, announced: [.privateMedia, .prekeys]) == 0)
        #expect(assign("a", in: &cache, announced: nil) == 0)
        // An earlier assignment does not help either.
        #expect(assign("a", in: &cache, announced: .board) == nil)
    }

    @Test("after a replacement, marks and assignments live on for prekeys still on offer")
    func replacement() throws {
        var cache = cache(try Prekeys.bundle(of: owner, [0, 1, 2]))
        for (text, id) in [("a", 0), ("b", 1)] as [(String, UInt32)] { #expect(assign(text, in: &cache) == id) }
        let insertion = cache.insert(try Prekeys.bundle(of: owner, [1, 2, 3], at: 1), at: Prekeys.time(1))
        guard case .stored(let record, nil) = insertion else {
            Issue.record("\(insertion)")
            return
        }
        #expect(record.spent == [SpentPrekey(id: 1, message: MessageID("b"))])
        #expect(assign("b", in: &cache, at: 1) == 1)
        // Its prekey was consumed by its owner: the message gets another one.
        #expect(assign("a", in: &cache, at: 1) == 2)
        #expect(assign("c", in: &cache, at: 1) == 3)
        // A prekey that left the offer and comes back was forgotten.
        _ = cache.insert(try Prekeys.bundle(of: owner, [0], at: 2), at: Prekeys.time(2))
        #expect(assign("d", in: &cache, at: 2) == 0)
    }

    @Test("the owner updated longest ago gives way; reading and assigning are no updates")
    func eviction() throws {
        let third = Prekeys.key(22)
        var cache = cache(try Prekeys.bundle(of: owner), try Prekeys.bundle(of: other), capacity: 2)
        #expect(assign("a", in: &cache) == 0)
        _ = cache.insert(try Prekeys.bundle(of: owner), at: Prekeys.time(5))
        let bundle = try Prekeys.bundle(of: third)
        let insertion = cache.insert(bundle, at: Prekeys.time(6))
        #expect(
            insertion == .stored(CachedBundle(bundle: bundle, updatedAt: Prekeys.time(6)), evicted: owner))
        #expect(cache[owner] == nil)
        #expect(cache[other] != nil)
        #expect(cache.count == 2)
        _ = cache.insert(try Prekeys.bundle(of: other, at: 1), at: Prekeys.time(7))
        let last = cache.insert(try Prekeys.bundle(of: owner), at: Prekeys.time(8))
        guard case .stored(_, evicted: third) = last else {
            Issue.record("\(last)")
            return
        }
    }

    @Test("two hundred owners, and one more")
    func capacity() throws {
        var cache = PrekeyCache()
        let bundles = try (0...200).map { number in
            let key = AgreementPublicKey(Bytes32(high: 7, low: UInt128(number)))
            return try Prekeys.bundle(of: key, [0])
        }
        for (number, bundle) in bundles.enumerated() {
            let insertion = cache.insert(bundle, at: Prekeys.time(Int64(number)))
            guard case .stored(_, let evicted) = insertion else {
                Issue.record("\(insertion)")
                return
            }
            #expect(evicted == (number == 200 ? bundles[0].offer.owner : nil))
        }
        #expect(cache.count == 200)
    }
}

@Suite("Others' prekeys across restarts")
struct PrekeyCacheRestoreTests {
    @Test("bundles, marks, assignments and the order of eviction come back, in whatever order the records do")
    func restored() throws {
        let owners = (30..<34).map { Prekeys.key($0) }
        var cache = PrekeyCache()
        for (offset, owner) in owners.enumerated() {
            _ = cache.insert(try Prekeys.bundle(of: owner), at: Prekeys.time(Int64(offset)))
        }
        let assignment = cache.assign(MessageID("a"), to: owners[2], announced: nil, at: Prekeys.time(9))
        #expect(assignment?.prekey.id == 0)
        let records = owners.compactMap { cache[$0] }
        for order in [records, records.reversed(), [records[2], records[0], records[3], records[1]]] {
            var (restored, dropped) = PrekeyCache.restoring(order, capacity: 4)
            #expect(dropped.isEmpty)
            #expect(owners.compactMap { restored[$0] } == records)
            let next = restored.assign(MessageID("b"), to: owners[2], announced: nil, at: Prekeys.time(9))
            #expect(next?.prekey.id == 1)
            let same = restored.assign(MessageID("a"), to: owners[2], announced: nil, at: Prekeys.time(9))
            #expect(same?.prekey.id == 0)
            let insertion = restored.insert(try Prekeys.bundle(of: Prekeys.key(40)), at: Prekeys.time(9))
            guard case .stored(_, evicted: owners[0]) = insertion else {
                Issue.record("\(insertion)")
                return
            }
        }
    }

    @Test("more records than there is room for: the oldest are dropped, and named")
    func tooMany() throws {
        let records = try (0..<5).map { number in
            CachedBundle(
                bundle: try Prekeys.bundle(of: Prekeys.key(UInt8(60 + number))), updatedAt: Prekeys.time(Int64(number)))
        }
        let (cache, dropped) = PrekeyCache.restoring(records, capacity: 3)
        #expect(dropped == [records[0].owner, records[1].owner])
        #expect(cache.count == 3)
    }

    @Test("a record keeps one mark for each prekey on offer, sorted")
    func marks() throws {
        let marks = [(9, "z"), (2, "b"), (0, "a"), (2, "c")] as [(UInt32, String)]
        let record = CachedBundle(
            bundle: try Prekeys.bundle(of: Prekeys.key(30)), updatedAt: Prekeys.time(0),
            spent: marks.map { SpentPrekey(id: $0.0, message: MessageID($0.1)) })
        #expect(record.spent.map(\.id) == [0, 2])
        #expect(record.spent.map(\.message.text) == ["a", "b"])
    }
}
