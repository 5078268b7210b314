import Domain
import Testing

@Suite("Deposits")
struct CourierDepositTests {
    private static let lifetime: Int64 = 90_000_000

    @Test("an expiry 25 hours ahead is accepted, a millisecond more or one that has come is not (§12 16)")
    func expiry() {
        let pouch = Pouch()
        #expect(pouch.bring(1, until: Self.lifetime)?.isStored == true)
        #expect(pouch.bring(2, until: Self.lifetime + 1)?.refusal == .tooLong)
        #expect(pouch.bring(3, until: 0)?.refusal == .expired)
        #expect(pouch.bring(4, until: 1)?.isStored == true)
    }

    @Test("the sixth of a favorite and the third of a verified peer are refused (§12 18)")
    func quotas() {
        let pouch = Pouch()
        for mail in 1...5 as ClosedRange<UInt32> { #expect(pouch.bring(mail)?.isStored == true) }
        #expect(pouch.bring(6)?.refusal == .depositorQuota)
        for mail in 7...8 as ClosedRange<UInt32> {
            #expect(pouch.bring(mail, from: 0x11, tier: .verified)?.isStored == true)
        }
        #expect(pouch.bring(9, from: 0x11, tier: .verified)?.refusal == .depositorQuota)
        #expect(pouch.store.count(of: .favorite) == 5 && pouch.store.count(of: .verified) == 2)
    }

    @Test("the 21st of strangers is refused, and favorites still fit (§12 18)")
    func pool() {
        let pouch = Pouch()
        for number in 0..<20 as Range<UInt32> {
            pouch.hold(number, from: UInt8(number / 2 + 0x20), tier: .verified)
        }
        #expect(pouch.bring(50, from: 0x60, tier: .verified)?.refusal == .verifiedPool)
        #expect(pouch.bring(51, from: 0x61)?.isStored == true)
    }

    /// Forty envelopes; number `verified`, if any, is a stranger's.
    private func full(verified: UInt32? = nil) -> Pouch {
        let pouch = Pouch()
        for number in 0..<40 as Range<UInt32> {
            pouch.hold(number, from: UInt8(number / 5 + 0x20), tier: number == verified ? .verified : .favorite)
        }
        return pouch
    }

    @Test("full of favorites: a stranger's mail is refused, a favorite's takes the place of the oldest (§12 19)")
    func fullOfFavorites() {
        let pouch = full()
        #expect(pouch.bring(50, from: 0x60, tier: .verified)?.refusal == .full)
        let changes = pouch.hold(51, from: 0x61)
        #expect(changes.removed(.evicted) == [Pouch.id(0)])
        #expect(pouch.store.count == 40)
    }

    @Test("a stranger's mail goes before that of favorites, though it is younger (§12 19)")
    func strangerGoesFirst() {
        let pouch = full(verified: 35)
        let changes = pouch.hold(51, from: 0x61)
        #expect(changes.removed(.evicted) == [Pouch.id(35)])
        #expect(pouch.hold(52, from: 0x61).removed(.evicted) == [Pouch.id(0)])
    }

    @Test("same mail takes no place, and stays as it was brought first, whoever brings it")
    func same() throws {
        let pouch = full()
        let before = try #require(pouch.store.mail(Pouch.id(7)))
        let verdict = try #require(pouch.bring(7, copies: 4, from: 0x60, tier: .verified, at: 1000))
        #expect(verdict.decision == .merged(nil))
        let after = try #require(pouch.store.mail(Pouch.id(7)))
        #expect(verdict.changes.put == [after] && verdict.changes.removed.isEmpty)
        #expect(after.budget.copies == 4 && after.depositor == before.depositor && after.storedAt == before.storedAt)
        #expect(after.envelope.tag == before.envelope.tag && after.tier == before.tier)
        #expect(try #require(pouch.bring(7, copies: 2, from: 0x60)).changes.isEmpty)
        #expect(pouch.copies(7) == 4)
    }

    @Test("different mail with the same name is refused")
    func collision() throws {
        let pouch = Pouch()
        let record = try #require(CarriedMail.record(1))
        let forged = CarriedMail(
            id: Pouch.id(2), envelope: record.envelope, depositor: record.depositor, storedAt: record.storedAt,
            tier: .favorite)
        #expect(pouch.load([forged]).isEmpty)
        #expect(pouch.bring(2)?.refusal == .nameTaken)
        #expect(pouch.ids == [Pouch.id(2)])
    }

    @Test("a refused deposit still lets expired mail go, unless its own life is at fault")
    func expiredFirst() {
        let pouch = Pouch()
        pouch.hold(1, until: 1000, from: 0x11)
        for mail in 2...6 as ClosedRange<UInt32> { pouch.hold(mail) }
        #expect(pouch.bring(8, until: 1000, at: 1000)?.changes.isEmpty == true)
        let verdict = pouch.bring(7, at: 1000)
        #expect(verdict?.refusal == .depositorQuota)
        #expect(verdict?.changes.removed(.expired) == [Pouch.id(1)])
    }
}

@Suite("Deposits and the disk")
struct CourierDurabilityTests {
    @Test("what the disk does not have yet is offered to nobody, and counts against the limits")
    func pending() {
        let pouch = Pouch()
        let verdicts = (1...5 as ClosedRange<UInt32>).map { pouch.bring($0, copies: 4) }
        #expect(pouch.offers().isEmpty && pouch.floods().isEmpty && pouch.sprayOffers(to: 0xC1).isEmpty)
        #expect(pouch.store.publishable(at: Pouch.time(0)).isEmpty)
        #expect(pouch.bring(6)?.refusal == .depositorQuota)
        #expect(pouch.store.count == 5 && !pouch.store.isDurable(Pouch.id(1)))
        #expect(pouch.commit(verdicts[0]).isEmpty)
        #expect(pouch.offers() == [Pouch.id(1)] && pouch.store.isDurable(Pouch.id(1)))
        #expect(pouch.sprayOffers(to: 0xC1).map(\.id) == [Pouch.id(1)])
    }

    @Test("a deposit that the disk refuses was never there, and gives its quota back")
    func undone() {
        let pouch = Pouch()
        for mail in 1...4 as ClosedRange<UInt32> { pouch.hold(mail) }
        let verdict = pouch.bring(5)
        #expect(pouch.bring(6)?.refusal == .depositorQuota)
        #expect(pouch.fail(verdict).removed(.undone) == [Pouch.id(5)])
        #expect(pouch.store.mail(Pouch.id(5)) == nil && pouch.fail(verdict).isEmpty && pouch.commit(verdict).isEmpty)
        #expect(pouch.bring(6)?.isStored == true)
    }

    @Test("nothing makes room for a deposit before the disk has it, and nothing is lost when it never does")
    func eviction() throws {
        let pouch = Pouch(slots: 3, verifiedSlots: 1)
        pouch.hold(1, from: 0x11)
        pouch.hold(2, from: 0x12, tier: .verified)
        pouch.hold(3, from: 0x13)
        let (first, second) = (pouch.bring(4, from: 0x14), pouch.bring(5, from: 0x15))
        #expect(first?.changes.removed.isEmpty == true && second?.changes.removed.isEmpty == true)
        #expect(pouch.offers() == [1, 2, 3].map { Pouch.id($0) })
        #expect(pouch.fail(first).removed(.undone) == [Pouch.id(4)])
        #expect(pouch.offers() == [1, 2, 3].map { Pouch.id($0) })
        #expect(pouch.commit(second).removed(.evicted) == [Pouch.id(2)])
        #expect(pouch.offers() == [1, 3, 5].map { Pouch.id($0) })
    }

    @Test("a stranger's mail is refused when what waits for the disk will need the strangers' room")
    func reserved() {
        let pouch = Pouch(slots: 3, verifiedSlots: 2)
        pouch.hold(1, from: 0x11)
        pouch.hold(2, from: 0x12, tier: .verified)
        pouch.hold(3, from: 0x13)
        #expect(pouch.bring(4, from: 0x14)?.isStored == true)
        #expect(pouch.bring(5, from: 0x15, tier: .verified)?.refusal == .full)
        #expect(pouch.bring(6, from: 0x16)?.isStored == true)
    }

    @Test("as many deposits wait for the disk as there are places, no more")
    func busy() {
        let pouch = Pouch(slots: 2, verifiedSlots: 1)
        let first = pouch.bring(1, from: 0x11)
        #expect(pouch.bring(2, from: 0x12)?.isStored == true)
        #expect(pouch.bring(3, from: 0x13)?.refusal == .busy)
        #expect(pouch.bring(2, copies: 4, from: 0x13)?.isMerged == true)
        #expect(pouch.commit(first).isEmpty)
        #expect(pouch.bring(3, from: 0x13)?.isStored == true)
        #expect(pouch.store.count == 3)
    }

    @Test("mail brought twice before the disk has it stays while one of the two writes may succeed")
    func mergedPending() {
        for fate in [[true, true], [true, false], [false, true], [false, false]] {
            let pouch = Pouch()
            let writes = [pouch.bring(1, copies: 1), pouch.bring(1, copies: 4, from: 0x11)]
            #expect(writes[1]?.isMerged == true && writes[1]?.pending != nil)
            for (write, isDurable) in zip(writes, fate) {
                let changes = isDurable ? pouch.commit(write) : pouch.fail(write)
                #expect(changes.removed(.undone).isEmpty == fate.contains(true) || write == writes[0])
            }
            #expect(pouch.copies(1) == (fate.contains(true) ? 4 : nil))
            #expect(pouch.store.isDurable(Pouch.id(1)) == fate.contains(true))
            #expect(pouch.offers().isEmpty != fate.contains(true))
        }
    }

    @Test("a repetition that raises nothing waits for the first write and goes with it")
    func mergedUnchanged() {
        let pouch = Pouch()
        let (first, second) = (pouch.bring(1, copies: 4), pouch.bring(1, copies: 4, from: 0x11))
        #expect(second?.decision == .merged(nil) && second?.changes.isEmpty == true)
        #expect(pouch.fail(first).removed(.undone) == [Pouch.id(1)])
        #expect(pouch.store.isEmpty)
    }

    @Test("copies raised on durable mail are held even if that write fails: they were given to us")
    func raised() {
        let pouch = Pouch()
        pouch.hold(1, copies: 1)
        let verdict = pouch.bring(1, copies: 4)
        #expect(verdict?.decision == .merged(nil) && verdict?.changes.put.count == 1)
        #expect(pouch.copies(1) == 4 && pouch.offers() == [Pouch.id(1)])
    }

    @Test("the fate of an old write does not touch later mail of the same name")
    func stale() {
        let pouch = Pouch()
        let old = pouch.bring(1, until: 1000)
        #expect(pouch.expire(at: 1000).removed(.expired) == [Pouch.id(1)])
        let new = pouch.bring(1, at: 1000)
        #expect(pouch.fail(old, at: 1000).isEmpty && pouch.commit(old, at: 1000).isEmpty)
        #expect(!pouch.store.isDurable(Pouch.id(1)))
        #expect(pouch.commit(new, at: 1000).isEmpty && pouch.store.isDurable(Pouch.id(1)))
    }

    @Test("mail that expired and comes anew has a record; what left, and did not come anew, has none")
    func recordsToDelete() throws {
        let pouch = Pouch(slots: 1, verifiedSlots: 1)
        pouch.hold(1, until: 1000, from: 0x11)
        let verdict = try #require(pouch.bring(1, at: 1000))
        #expect(verdict.changes.removed(.expired) == [Pouch.id(1)] && verdict.changes.put.map(\.id) == [Pouch.id(1)])
        #expect(verdict.changes.deleted.isEmpty)
        #expect(pouch.fail(verdict, at: 1000).deleted.isEmpty, "no record of it was written")
        pouch.hold(2, from: 0x12, tier: .verified)
        let second = try #require(pouch.bring(3, from: 0x13))
        let evicting = pouch.commit(second)
        #expect(evicting.deleted == [Pouch.id(2)])
        var both = second.changes
        both.append(evicting)
        both.append(pouch.handOver(3))
        #expect(both.put.isEmpty && both.deleted == [2, 3].map { Pouch.id($0) })
    }

    @Test("expired mail goes before any other has to make room")
    func expiredMakesRoom() {
        let pouch = Pouch(slots: 2, verifiedSlots: 1)
        pouch.hold(1, from: 0x11)
        pouch.hold(2, until: 1000, from: 0x12)
        let verdict = pouch.bring(3, from: 0x13, at: 999)
        let changes = pouch.commit(verdict, at: 1000)
        #expect(changes.removed(.expired) == [Pouch.id(2)] && changes.removed(.evicted).isEmpty)
    }
}
