import Domain
import Testing

@Suite("Mail from records")
struct CourierLoadTests {
    private func records(_ mails: CarriedMail?...) -> [CarriedMail] { mails.compactMap { $0 } }

    @Test("records are durable, found by their tags, ordered by age, and need not be written again")
    func plain() {
        let pouch = Pouch()
        let mails = records(
            .record(2, storedAt: 20), .record(1, copies: 4, storedAt: 10, sprayedTo: [0xC1]), .record(3, storedAt: 20))
        #expect(pouch.load(mails, at: 30).isEmpty)
        #expect(pouch.ids == [1, 2, 3].map { Pouch.id($0) } && pouch.offers() == pouch.ids)
        #expect(pouch.sprayOffers(to: 0xC1).isEmpty && pouch.meet(0xC2) == [2])
        #expect(pouch.bring(4)?.isStored == true && pouch.bring(5)?.isStored == true)
        #expect(pouch.bring(6)?.refusal == .depositorQuota)
    }

    @Test("what has expired meanwhile is let go")
    func expired() {
        let pouch = Pouch()
        let changes = pouch.load(records(.record(1, until: 1000), .record(2)), at: 1000)
        #expect(changes.removed(.expired) == [Pouch.id(1)] && pouch.ids == [Pouch.id(2)])
    }

    @Test("a record that has expired does not take mail along that was brought anew with a longer life")
    func expiredAnew() {
        let pouch = Pouch()
        pouch.hold(1, at: 2000)
        let changes = pouch.load(records(.record(1, until: 1000)), at: 2000)
        #expect(changes.put.map(\.id) == [Pouch.id(1)] && changes.deleted.isEmpty && pouch.ids == [Pouch.id(1)])
    }

    /// Copies and couriers of two records of one mail, and what comes of them.
    struct Merge: Sendable {
        let record: (copies: UInt8, sprayedTo: [UInt8])
        let held: (copies: UInt8, sprayedTo: [UInt8])
        let merged: (copies: UInt8, sprayedTo: [UInt8])
    }

    @Test(
        "copies never grow when two records of one mail are put together",
        arguments: [
            Merge(record: (2, []), held: (4, []), merged: (4, [])),
            Merge(record: (2, [1]), held: (8, []), merged: (2, [1])),
            Merge(record: (8, []), held: (1, [1]), merged: (1, [1])),
            Merge(record: (4, [1]), held: (2, [2, 1]), merged: (2, [1, 2])),
        ])
    func merge(_ merge: Merge) throws {
        let mails = try [merge.record, merge.held].map {
            try #require(CarriedMail.record(1, copies: $0.copies, sprayedTo: $0.sprayedTo))
        }
        let pouch = Pouch()
        let changes = pouch.load(mails)
        let mail = try #require(pouch.store.mail(Pouch.id(1)))
        #expect(mail.budget.copies == merge.merged.copies)
        #expect(mail.sprayedTo == merge.merged.sprayedTo.map { Pouch.key($0) })
        #expect(changes.put == [mail])
    }

    @Test("mail brought before the records could be read joins its record: older origin, better tier, later times")
    func late() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 8, from: 0x20, tier: .favorite, at: 5000)
        #expect(pouch.floods(at: 6000) == [Pouch.id(1)])
        let record = try #require(
            CarriedMail.record(
                1, copies: 2, from: 0x10, tier: .verified, storedAt: 1000, sprayedTo: [0xC1], floodedAt: 2000,
                publishedAt: 3000))
        let changes = pouch.load([record], at: 7000)
        let mail = try #require(pouch.store.mail(Pouch.id(1)))
        #expect(changes.put == [mail] && pouch.store.count == 1)
        #expect(mail.budget.copies == 2 && mail.sprayedTo == [Pouch.key(0xC1)])
        #expect(mail.depositor == Pouch.key(0x10) && mail.storedAt == Pouch.time(1000) && mail.tier == .favorite)
        #expect(mail.lastRemoteHandoverAt == Pouch.time(6000) && mail.lastBridgePublishAt == Pouch.time(3000))
    }

    @Test("a deposit that waits for the disk is durable by its record, or goes on waiting without one")
    func pending() throws {
        let pouch = Pouch()
        let (known, new) = (pouch.bring(1, from: 0x11), pouch.bring(2, from: 0x12))
        let changes = pouch.load(records(.record(1, from: 0x11)))
        #expect(changes.put.map(\.id) == [1, 2].map { Pouch.id($0) }, "nothing of it has been written until now")
        #expect(changes.removed.isEmpty)
        #expect(pouch.store.isDurable(Pouch.id(1)) && !pouch.store.isDurable(Pouch.id(2)))
        #expect(pouch.fail(known).isEmpty && pouch.offers() == [Pouch.id(1)])
        #expect(pouch.commit(new).isEmpty && pouch.offers() == [1, 2].map { Pouch.id($0) })
    }

    @Test("limits hold again, the oldest mail first: quotas by depositor, then the pool, then the size")
    func limits() {
        let pouch = Pouch(slots: 4, verifiedSlots: 2)
        var mails = (0..<7 as Range<UInt32>).map { CarriedMail.record($0, storedAt: 100 - Int64($0)) }
        mails.append(.record(10, from: 0x21, tier: .verified, storedAt: 1))
        mails.append(.record(11, from: 0x22, tier: .verified, storedAt: 2))
        mails.append(.record(12, from: 0x23, tier: .verified, storedAt: 3))
        let changes = pouch.load(mails.compactMap { $0 })
        // 1 and 0 are over the quota; 10 over the pool; 11, 12 and then 6 over the size.
        #expect(changes.removed(.evicted) == [1, 0, 10, 11, 12, 6].map { Pouch.id($0) })
        #expect(pouch.ids == [5, 4, 3, 2].map { Pouch.id($0) })
        #expect(pouch.store.count(of: .verified) == 0)
    }

    @Test("a power cut between a deposit and what made room for it leaves one too many, which goes")
    func cut() {
        let pouch = Pouch(slots: 2, verifiedSlots: 1)
        let mails = records(
            .record(1, copies: 2, from: 0x11, tier: .verified, storedAt: 1, sprayedTo: [0xC1]),
            .record(2, from: 0x12, storedAt: 2), .record(3, from: 0x13, storedAt: 3))
        let changes = pouch.load(mails)
        #expect(changes.removed(.evicted) == [Pouch.id(1)] && changes.spent.map(\.id) == [Pouch.id(1)])
    }

    @Test("what is remembered of spent mail comes back, and binds mail that was brought before")
    func spent() throws {
        let pouch = Pouch()
        pouch.hold(1, copies: 8)
        let expiry = Pouch.time(36_000_000)
        let spent = [
            SpentMail(
                id: Pouch.id(1), budget: SprayBudget(clamping: 2), sprayedTo: [Pouch.key(0xC1)], expiry: expiry),
            SpentMail(id: Pouch.id(2), budget: .single, sprayedTo: [Pouch.key(0xC2)], expiry: expiry),
            SpentMail(id: Pouch.id(3), budget: .single, sprayedTo: [Pouch.key(0xC2)], expiry: Pouch.time(0)),
        ]
        let changes = pouch.load([], spent: spent)
        #expect(changes.put.map(\.id) == [Pouch.id(1)] && changes.spent.isEmpty)
        #expect(pouch.copies(1) == 2 && pouch.store.spentMails == Array(spent[..<2]))
        pouch.hold(2, copies: 8)
        pouch.hold(3, copies: 8)
        #expect(pouch.copies(2) == 1 && pouch.copies(3) == 8)
    }

    @Test("couriers are bounded, whatever a record says")
    func couriers() throws {
        let mail = try #require(CarriedMail.record(1, copies: 8, sprayedTo: Array(1...20) + [1, 2]))
        #expect(mail.sprayedTo == (1...8).map { Pouch.key($0) })
        #expect(mail.share(for: Pouch.encounter(0xC1)) == nil, "nobody could be remembered any more")
        let twice = try #require(CarriedMail.record(1, copies: 8, sprayedTo: [1, 1, 2]))
        #expect(twice.sprayedTo == [1, 2].map { Pouch.key($0) })
    }

    @Test("what is loaded is what was held, in every detail")
    func roundTrip() {
        let pouch = Pouch()
        pouch.hold(1, copies: 8, at: 1)
        pouch.hold(2, copies: 4, from: 0x11, tier: .verified, at: 2)
        pouch.meet(0xC1, at: 3)
        _ = pouch.floods(at: 4)
        let other = Pouch()
        #expect(other.load(pouch.store.mails, at: 5).isEmpty)
        #expect(other.store.mails == pouch.store.mails)
    }
}
