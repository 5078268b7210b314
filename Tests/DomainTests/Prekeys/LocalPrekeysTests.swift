import Domain
import Testing

@Suite("Own prekeys")
struct LocalPrekeysTests {
    @Test("a new node makes eight prekeys, numbered from 0, and publishes at once")
    func first() throws {
        let dice = PacketTestRandomness(seed: 1)
        var prekeys = OwnPrekeys(
            owner: Prekeys.identity.publicKey, dataKey: Prekeys.dataKey, using: Prekeys.cryptography)
        #expect(prekeys.offer == nil)
        let change = prekeys.maintain(0, dice)
        #expect(change.written.map(\.id) == Array(0..<8))
        #expect(change.removed.isEmpty)
        #expect(change.sequence == PrekeySequence(nextID: 8, generatedAt: Prekeys.time(0)))
        #expect(change.publication == .forced)
        let offer = try #require(prekeys.offer)
        #expect(offer.owner == Prekeys.identity.publicKey)
        #expect(offer.generatedAt == Prekeys.time(0))
        #expect(offer.prekeys.map(\.id) == Array(0..<8))
        #expect(Set(offer.prekeys.map(\.key)).count == 8)
        for prekey in offer.prekeys {
            #expect(prekeys.keys(of: prekey.id, at: Prekeys.time(0))?.publicKey == prekey.key)
        }
        #expect(!prekeys.has(8, 0))
        #expect(prekeys.maintain(1, dice) == PrekeyChange())
    }

    @Test("a consumed prekey leaves the offer, which gets a later date; three or more are enough")
    func consumed() throws {
        var (prekeys, dice) = Prekeys.fresh()
        let change = prekeys.consume(3, Prekeys.hour, dice)
        #expect(prekeys.ids == [0, 1, 2, 4, 5, 6, 7])
        #expect(change.written.map(\.id) == [3])
        #expect(change.written.first?.consumedAt == Prekeys.time(Prekeys.hour))
        #expect(change.sequence == PrekeySequence(nextID: 8, generatedAt: Prekeys.time(Prekeys.hour)))
        #expect(prekeys.offer?.generatedAt == Prekeys.time(Prekeys.hour))
        // Nothing was topped up: the ordinary cadence will do (§4.3).
        #expect(change.publication == .throttled)
    }

    // Noise edge case 42.
    @Test("when fewer than three are left the offer is filled up to eight, the survivors keep their numbers")
    func refilled() {
        var (prekeys, dice) = Prekeys.fresh()
        for id in [0, 2, 3, 5, 7] as [UInt32] {
            let change = prekeys.consume(id, 5, dice)
            #expect(change.publication == .throttled)
        }
        #expect(prekeys.ids == [1, 4, 6])
        let change = prekeys.consume(6, 5, dice)
        #expect(prekeys.ids == [1, 4, 8, 9, 10, 11, 12, 13])
        #expect(change.publication == .forced)
        #expect(change.written.map(\.id) == [6, 8, 9, 10, 11, 12, 13])
        #expect(change.sequence?.nextID == 14)
    }

    // Noise edge case 42.
    @Test("the date rises within one millisecond, and with a clock that went back")
    func dates() throws {
        var (prekeys, dice) = Prekeys.fresh()
        var dates = [try #require(prekeys.offer).generatedAt]
        for (id, offset) in [(0, 0), (1, 0), (2, -5 * Prekeys.day), (3, 0), (4, 2)] as [(UInt32, Int64)] {
            let change = prekeys.consume(id, offset, dice)
            #expect(change.sequence?.generatedAt == prekeys.offer?.generatedAt)
            dates.append(try #require(prekeys.offer).generatedAt)
        }
        #expect(dates == [0, 1, 2, 3, 4, 5].map { Prekeys.time($0) })
    }

    @Test("only the first time counts: mail that comes again changes nothing, nor does an unknown number")
    func again() {
        var (prekeys, dice) = Prekeys.fresh()
        _ = prekeys.consume(0, 0, dice)
        let before = prekeys.everything
        let again = prekeys.consume(0, 47 * Prekeys.hour, dice)
        let unknown = prekeys.consume(99, 0, dice)
        #expect(again == PrekeyChange())
        #expect(unknown == PrekeyChange())
        #expect(prekeys.everything == before)
        // The grace still runs from the first time.
        #expect(!prekeys.has(0, 48 * Prekeys.hour + 1))
    }

    @Test("a consumed prekey opens for 48 hours, and not a millisecond longer, pruned or not")
    func grace() {
        var (prekeys, dice) = Prekeys.fresh()
        let end = 48 * Prekeys.hour + 7
        _ = prekeys.consume(0, 7, dice)
        #expect(prekeys.has(0, end))
        #expect(!prekeys.has(0, end + 1))
        let kept = prekeys.maintain(end, dice)
        #expect(kept.removed.isEmpty)
        let gone = prekeys.maintain(end + 1, dice)
        #expect(gone.removed == [0])
        #expect(gone.publication == .unneeded)
        #expect(!prekeys.has(0, end))
        #expect(!prekeys.everything.written.map(\.id).contains(0))
    }

    @Test("consuming also removes what is over")
    func pruned() {
        var (prekeys, dice) = Prekeys.fresh()
        _ = prekeys.consume(0, 0, dice)
        _ = prekeys.consume(1, 1, dice)
        let change = prekeys.consume(2, 48 * Prekeys.hour + 1, dice)
        #expect(change.removed == [0])
        #expect(prekeys.has(1, 48 * Prekeys.hour + 1))
    }

    @Test("an unused prekey opens for 30 days, and not a millisecond longer")
    func retention() {
        var (prekeys, dice) = Prekeys.fresh()
        let end = 30 * Prekeys.day
        #expect(prekeys.has(0, end))
        #expect(!prekeys.has(0, end + 1))
        let late = prekeys.consume(0, end + 1, dice)
        #expect(late == PrekeyChange())
        let change = prekeys.maintain(end + 1, dice)
        #expect(change.removed == Array(0..<8))
        #expect(change.written.map(\.id) == Array(8..<16))
        #expect(change.publication == .forced)
        #expect(prekeys.ids == Array(8..<16))
        #expect(prekeys.offer?.generatedAt == Prekeys.time(end + 1))
    }

    @Test("consumed prekeys are bounded: the one consumed first goes before its time")
    func bounded() {
        let dice = PacketTestRandomness(seed: 1)
        var prekeys = OwnPrekeys(
            owner: Prekeys.identity.publicKey, dataKey: Prekeys.dataKey, maximumConsumed: 20,
            using: Prekeys.cryptography)
        _ = prekeys.maintain(0, dice)
        var removed: [UInt32] = []
        // All in one millisecond: then the lower number is the earlier one.
        for _ in 0..<22 { removed += prekeys.consume(prekeys.ids[0], 0, dice).removed }
        #expect(removed == [0, 1])
        #expect(!prekeys.has(1, 2000))
        #expect(prekeys.has(2, 2000))
        _ = prekeys.consume(prekeys.ids[0], -Prekeys.hour, dice)
        #expect(prekeys.everything.written.filter { $0.consumedAt != nil }.map(\.id) == Array(2..<22))
    }

    @Test("the numbers of the specification")
    func numbers() {
        #expect(PrekeyPolicy.batch == 8)
        #expect(PrekeyPolicy.maximumConsumed == 1_024)
        #expect(PrekeyPolicy.refillBelow == 3)
        #expect(PrekeyPolicy.grace.count == 172_800_000)
        #expect(PrekeyPolicy.retention.count == 2_592_000_000)
        #expect(PrekeyPolicy.publishInterval.count == 3_600_000)
        #expect(PrekeyPolicy.maximumOwners == 200)
        #expect(PrekeyPolicy.maximumDeferredOwners == 64)
        #expect(PrekeyPolicy.maximumBundleAge.count == 604_800_000)
    }
}
