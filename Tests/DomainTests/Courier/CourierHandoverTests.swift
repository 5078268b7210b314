import Domain
import Testing

@Suite("Handing mail over")
struct CourierHandoverTests {
    private static let day: Int64 = 86_400_000

    @Test("mail sealed late on one day is found by the tags of the next, 20 hours later (§12 17)")
    func lateDay() throws {
        let (sealed, met) = (Int64(11 * 3_600_000), Int64(31 * 3_600_000))
        let pouch = Pouch()
        pouch.hold(1, until: sealed + Self.day, at: sealed)
        #expect(UTCDay(Pouch.time(met)).number == UTCDay(Pouch.time(sealed)).number + 1)
        #expect(pouch.offers(at: met) == [Pouch.id(1)])
        #expect(pouch.offers(for: 0xB1, at: met).isEmpty)
    }

    @Test("an offer changes nothing; mail goes once its link took it, and once only (§12 21)")
    func accepted() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 4)
        pouch.hold(2, for: 0xB1)
        let before = pouch.store.mails
        #expect(pouch.offers() == [Pouch.id(1)] && pouch.offers() == [Pouch.id(1)])
        #expect(pouch.store.mails == before)
        #expect(pouch.handOver(1).removed(.handedOver) == [Pouch.id(1)])
        #expect(pouch.handOver(1).isEmpty && pouch.offers().isEmpty)
        #expect(pouch.ids == [Pouch.id(2)])
    }

    @Test("mail is offered in the order in which it came, on the first day of the calendar too")
    func order() throws {
        let pouch = Pouch()
        for mail in [5, 3, 4] as [UInt32] { pouch.hold(mail, from: UInt8(mail)) }
        #expect(pouch.offers() == [5, 3, 4].map { Pouch.id($0) })
        let (now, key) = (WallTime(milliseconds: 0), Pouch.key(0xB0))
        let recipient = Encounter(with: key, at: now, using: payloadCryptography)
        #expect(recipient.tags[0] == recipient.tags[1])
        let envelope = try #require(
            CourierEnvelope(tag: recipient.tags[0], expiry: WallTime(milliseconds: 9), ciphertext: [1]))
        var store = CourierStore()
        let verdict = store.deposit(
            envelope, from: Pouch.key(1), tier: .favorite, at: now, using: payloadCryptography)
        _ = verdict.pending.map { store.committed($0, at: now) }
        #expect(store.offers(for: recipient, at: now).count == 1)
    }

    @Test("what has expired is offered nowhere, also before it is let go")
    func expired() {
        let pouch = Pouch()
        pouch.hold(1, copies: 4, until: 1000)
        #expect(pouch.offers(at: 999) == [Pouch.id(1)])
        #expect(pouch.offers(at: 1000).isEmpty && pouch.floods(at: 1000).isEmpty)
        #expect(pouch.sprayOffers(to: 0xC1, at: 1000).isEmpty)
        #expect(pouch.store.publishable(at: Pouch.time(1000)).isEmpty)
        #expect(pouch.store.count == 1)
        #expect(pouch.expire(at: 1000).removed(.expired) == [Pouch.id(1)] && pouch.expire(at: 1000).isEmpty)
    }

    @Test("a flood leaves the mail and its copies here, and rests for 600 s (§12 23)")
    func flood() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 4)
        #expect(pouch.floods() == [Pouch.id(1)])
        let mail = try #require(pouch.store.mail(Pouch.id(1)))
        #expect(mail.lastRemoteHandoverAt == Pouch.time(0))
        #expect(mail.budget.copies == 4 && mail.envelope.carrying(.single).budget == .single)
        #expect(pouch.floods(at: 599_999).isEmpty)
        #expect(pouch.floods(at: 600_000) == [Pouch.id(1)])
        #expect(pouch.offers(at: 600_000) == [Pouch.id(1)], "a recipient that is really here gets it all the same")
    }

    @Test("[ours] a flood noted by a clock that was ahead does not forbid others")
    func clockSetBack() {
        let pouch = Pouch()
        pouch.hold(1)
        #expect(pouch.floods(at: 3_600_000) == [Pouch.id(1)])
        #expect(pouch.floods(at: 0) == [Pouch.id(1)])
        #expect(pouch.floods(at: 1000).isEmpty)
    }

    @Test("held mail is published again 1,800 s after a relay took it, not after it was offered")
    func publish() {
        let pouch = Pouch()
        pouch.hold(1)
        let due: (Int64) -> [CarriedMailID] = { pouch.store.publishable(at: Pouch.time($0)).map(\.id) }
        #expect(due(0) == [Pouch.id(1)] && due(1) == [Pouch.id(1)])
        #expect(pouch.store.published(Pouch.id(1), at: Pouch.time(1))?.lastBridgePublishAt == Pouch.time(1))
        #expect(due(1_800_000).isEmpty && due(1_800_001) == [Pouch.id(1)])
        #expect(pouch.store.published(Pouch.id(9), at: Pouch.time(1)) == nil)
    }
}

@Suite("Spraying")
struct CourierSprayTests {
    @Test("eight copies give 4, 2 and 1; replays of the deposit never refill; the fourth gets nothing (§12 20)")
    func halves() {
        let pouch = Pouch()
        pouch.hold(1, copies: 8)
        #expect(pouch.meet(0xC1) == [4])
        #expect(pouch.bring(1, copies: 8)?.changes.isEmpty == true)
        #expect(pouch.meet(0xC2) == [2] && pouch.copies(1) == 2)
        #expect(pouch.bring(1, copies: 8, from: 0x11)?.changes.isEmpty == true)
        #expect(pouch.meet(0xC1) == [] && pouch.meet(0xC3) == [1] && pouch.meet(0xC4) == [])
        #expect(pouch.copies(1) == 1)
        #expect(pouch.store.mail(Pouch.id(1))?.sprayedTo == [0xC1, 0xC2, 0xC3].map { Pouch.key($0) })
    }

    @Test("a carry-only duplicate first, then four copies before any spray: four (§12 20)")
    func raised() {
        let pouch = Pouch()
        pouch.hold(1, copies: 1)
        pouch.hold(1, copies: 4)
        #expect(pouch.copies(1) == 4)
        #expect(pouch.meet(0xC1) == [2])
    }

    @Test("a link that refuses leaves copies, couriers and envelope as they were, and may be tried again (§12 21)")
    func refused() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 5)
        let before = pouch.store.mails
        let offer = try #require(pouch.sprayOffers(to: 0xC1).first)
        #expect(offer.share.copies == 2 && offer.envelope.budget == offer.share && pouch.store.mails == before)
        #expect(pouch.spray(offer)?.budget.copies == 3)
        #expect(pouch.takeBack(offer) == before[0] && pouch.takeBack(offer) == nil)
        #expect(pouch.store.mails == before)
        #expect(pouch.meet(0xC1) == [2])
    }

    @Test("an offer holds only while enough copies are left and the courier has had none")
    func raced() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 4)
        let first = try #require(pouch.sprayOffers(to: 0xC1).first)
        let second = try #require(pouch.sprayOffers(to: 0xC2).first)
        #expect(pouch.spray(first) != nil && pouch.spray(first) == nil)
        #expect(pouch.spray(second) == nil, "two of the two that are left would be all")
        #expect(pouch.copies(1) == 2 && pouch.meet(0xC2) == [1])
        let third = pouch.sprayOffers(to: 0xC3)
        #expect(third.isEmpty)
    }

    @Test("an offer for mail that is gone, or has come anew, does not hold")
    func gone() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 4, until: 1000)
        let (stale, given) = (
            try #require(pouch.sprayOffers(to: 0xC1).first), try #require(pouch.sprayOffers(to: 0xC2).first)
        )
        #expect(pouch.spray(given) != nil)
        #expect(pouch.spray(stale, at: 1000) == nil, "it has expired meanwhile")
        _ = pouch.expire(at: 1000)
        #expect(pouch.spray(stale, at: 1000) == nil && pouch.takeBack(given) == nil)
        pouch.hold(1, copies: 4, at: 1000)
        #expect(pouch.spray(stale, at: 1000) == nil && pouch.takeBack(given) == nil)
        #expect(pouch.copies(1) == 4)
    }

    @Test("neither the depositor nor the recipient gets a share")
    func ineligible() {
        let pouch = Pouch()
        pouch.hold(1, copies: 4, from: 0x10)
        #expect(pouch.sprayOffers(to: 0x10).isEmpty && pouch.sprayOffers(to: 0xB0).isEmpty)
        #expect(pouch.sprayOffers(to: 0xB1).count == 1)
    }

    @Test("mail that was sprayed and comes again after it went has the copies that were left, no more")
    func spent() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 8)
        #expect(pouch.meet(0xC1) == [4])
        let changes = pouch.handOver(1)
        #expect(changes.spent == [try #require(pouch.store.spentMails.first)])
        #expect(changes.spent.first?.budget.copies == 4 && changes.spent.first?.sprayedTo == [Pouch.key(0xC1)])
        pouch.hold(1, copies: 8)
        #expect(pouch.copies(1) == 4 && pouch.sprayOffers(to: 0xC1).isEmpty)
        #expect(pouch.meet(0xC2) == [2])
        _ = pouch.handOver(1)
        pouch.hold(1, copies: 8, from: 0x11)
        #expect(pouch.copies(1) == 2 && pouch.store.spentMails.count == 1)
    }

    @Test("mail that gave nothing away leaves no trace; what did is remembered until it expires, and 256 at most")
    func spentMemory() {
        let pouch = Pouch()
        pouch.hold(1, copies: 8)
        #expect(pouch.handOver(1).spent.isEmpty && pouch.store.spentMails.isEmpty)
        pouch.hold(1, copies: 8, until: 1000)
        #expect(pouch.copies(1) == 8)
        pouch.meet(0xC1)
        _ = pouch.handOver(1)
        pouch.hold(1, copies: 8, at: 1000)
        #expect(pouch.copies(1) == 8, "the copies of that life have all expired")
        for number in 2..<259 as Range<UInt32> {
            pouch.hold(number, copies: 2)
            pouch.meet(0xC1)
            let changes = pouch.handOver(number)
            #expect(changes.forgotten == (number < 257 ? [] : [Pouch.id(number - 256)]))
        }
        #expect(pouch.store.spentMails.map(\.id) == (3..<259).map { Pouch.id($0) })
    }
}
