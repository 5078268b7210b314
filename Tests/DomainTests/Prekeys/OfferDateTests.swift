import Domain
import Testing

@Suite("The date of our offer [ours]")
struct OfferDateTests {
    @Test("an offer that nobody used gets a new date after a day, so that it does not grow too old to be used")
    func refreshed() {
        var (prekeys, dice) = Prekeys.fresh()
        let early = prekeys.maintain(Prekeys.day, dice)
        #expect(early == PrekeyChange())
        let change = prekeys.maintain(Prekeys.day + 1, dice)
        #expect(change.sequence?.generatedAt == Prekeys.time(Prekeys.day + 1))
        #expect(change.written.isEmpty)
        #expect(change.publication == .throttled)
        #expect(prekeys.ids == Array(0..<8))
        // The fault that this avoids: after a week of silence a sender has nothing left to seal to.
        for day in 2...20 as ClosedRange<Int64> { _ = prekeys.maintain(day * Prekeys.day + 9 * Prekeys.hour, dice) }
        var cache = PrekeyCache()
        let now = Prekeys.time(21 * Prekeys.day)
        _ = prekeys.offer.map {
            cache.insert(PrekeyBundle(signing: $0, with: Prekeys.secret(9), using: Prekeys.cryptography), at: now)
        }
        let assignment = cache.assign(MessageID("m"), to: prekeys.owner, announced: nil, at: now)
        #expect(assignment?.prekey.id == 0)
    }

    @Test("mail to the last offer of a prekey, sealed as late as a sender may and carried for a day, still opens")
    func withdrawn() throws {
        var (prekeys, dice) = Prekeys.fresh()
        var last: Int64 = 0
        for hour in 0..<(30 * 24) as Range<Int64> {
            _ = prekeys.maintain(hour * Prekeys.hour, dice)
            let offer = try #require(prekeys.offer)
            #expect((3...8).contains(offer.prekeys.count))
            if prekeys.ids.contains(0) { last = Int64(offer.generatedAt.milliseconds - Prekeys.start) }
        }
        #expect(last > 20 * Prekeys.day)
        let arrival = last + PrekeyPolicy.maximumBundleAge.count + Prekeys.day
        #expect(prekeys.has(0, arrival))
        #expect(!prekeys.ids.contains(0))
    }

    @Test("a withdrawn prekey is consumed like any other, and never offered again")
    func withdrawnConsumed() {
        var (prekeys, dice) = Prekeys.fresh()
        let change = prekeys.maintain(23 * Prekeys.day, dice)
        #expect(change.publication == .forced)
        #expect(prekeys.ids == Array(8..<16))
        let late = prekeys.consume(0, 24 * Prekeys.day, dice)
        #expect(late.written.map(\.id) == [0])
        #expect(prekeys.ids == Array(8..<16))
        // Not even when the clock goes back.
        _ = prekeys.maintain(0, dice)
        #expect(prekeys.ids == Array(8..<16))
    }

    @Test("a clock that jumps to and fro does not heap prekeys up")
    func jumps() {
        var (prekeys, dice) = Prekeys.fresh()
        for turn in 1...40 as ClosedRange<Int64> {
            _ = prekeys.maintain(turn * 25 * Prekeys.day, dice)
            _ = prekeys.maintain(0, dice)
            #expect(prekeys.ids.count == 8)
            #expect(prekeys.everything.written.count <= 16)
        }
    }
}
