import Domain
import Support
import Testing

@Suite("Damaged envelopes in the store")
struct CourierDamageTests {
    /// Flips, cuts and splices of an envelope.
    private func damage(_ seed: [UInt8], _ dice: inout PacketTestGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0...Int.random(in: 0...2, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            switch Int.random(in: 0..<5, using: &dice) {
            case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            case 1: bytes.removeLast(bytes.count - place)
            case 2: bytes.insert(contentsOf: dice.bytes(3), at: place)
            case 3: bytes.append(contentsOf: [[4, 0, 1, 200], [5, 0, 4, 1, 2, 3, 4], [0x7F, 0, 2, 1, 1]][place % 3])
            default: bytes.append(contentsOf: seed)
            }
        }
        return bytes
    }

    @Test("no damaged envelope traps or breaks a limit, at any time of the clock")
    func damage() throws {
        var dice = PacketTestGenerator(seed: 0xC0_FFEE)
        let seeds = Vectors.cases("courier-envelope", op: "decode").compactMap { $0.input.member("payload").hex }
            .filter { $0.count < 2000 }
        try #require(!seeds.isEmpty)
        var (store, stored, decoded) = (CourierStore(), 0, 0)
        for round in 0..<4000 {
            let bytes = damage(seeds[round % seeds.count], &dice)
            guard let envelope = CourierEnvelope(([0xEE] + bytes).dropFirst()) else { continue }
            decoded += 1
            // Most clocks are those in which the envelope can be taken; some are at the ends of the count.
            let now =
                switch dice.next() % 8 {
                case 0: WallTime(milliseconds: 0)
                case 1: WallTime(milliseconds: .max)
                case 2: envelope.expiry
                default: WallTime(milliseconds: envelope.expiry.milliseconds - min(envelope.expiry.milliseconds, 9))
                }
            let depositor = Pouch.key(UInt8.random(in: 0...255, using: &dice))
            let verdict = store.deposit(
                envelope, from: depositor, tier: dice.next() % 2 == 0 ? .favorite : .verified, at: now,
                using: payloadCryptography)
            if verdict.isStored { stored += 1 }
            if let pending = verdict.pending {
                _ = dice.next() % 4 == 0 ? store.failed(pending, at: now) : store.committed(pending, at: now)
            }
            visit(&store, by: depositor, at: now)
            try #require(store.count <= CourierPolicy.slots)
            try #require(store.count(of: .verified) <= CourierPolicy.verifiedSlots)
        }
        #expect(decoded > 500 && stored > 100, "\(decoded) decoded, \(stored) stored")
    }

    private func visit(_ store: inout CourierStore, by key: AgreementPublicKey, at now: WallTime) {
        let peer = Encounter(with: key, at: now, using: payloadCryptography)
        for offer in store.sprayOffers(to: peer, at: now) {
            guard store.spray(offer, at: now) != nil else { continue }
            if offer.share.copies > 1 { _ = store.takeBack(offer) }
        }
        _ = store.floods(for: peer, at: now)
        for mail in store.offers(for: peer, at: now) { _ = store.handedOver(mail.id, at: now) }
        var other = CourierStore(slots: 3, verifiedSlots: 1)
        _ = other.load(store.mails + store.mails.reversed(), spent: store.spentMails, at: now)
        _ = store.expire(at: now)
    }

    @Test("a tag that many envelopes have is found by lookup as by looking at each, after any number of changes")
    func index() throws {
        var dice = PacketTestGenerator(seed: 3)
        let pouch = Pouch()
        for round in 0..<600 as Range<UInt32> {
            let offset = Int64(round) * 1000
            let recipient = UInt8(0xB0 + dice.next() % 4)
            switch dice.next() % 4 {
            case 0: _ = pouch.handOver(UInt32(dice.next() % UInt64(round + 1)), at: offset)
            case 1: _ = pouch.expire(at: offset)
            default:
                pouch.hold(
                    round, for: recipient, until: offset + Int64(1 + dice.next() % 60_000),
                    from: UInt8(dice.next() % 32), tier: dice.next() % 2 == 0 ? .favorite : .verified, at: offset)
            }
            let peer = Pouch.encounter(recipient, at: offset)
            let scanned = pouch.store.mails.filter {
                peer.isRecipient(of: $0.envelope) && !$0.envelope.isExpired(at: Pouch.time(offset))
            }
            #expect(pouch.store.offers(for: peer, at: Pouch.time(offset)) == scanned)
        }
        #expect(pouch.store.count > 5)
    }
}
