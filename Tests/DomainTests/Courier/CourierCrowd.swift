import Domain

/// A crowd of couriers, with disks that lag, fail and forget, in which one message travels; the same for the same seed.
struct CourierCrowd {
    /// What becomes of a batch once the disk has it, or never will.
    enum Purpose {
        case nothing
        case deposits([PendingDeposit])
        case send(SprayOffer)
    }

    /// Changes on their way to a disk: all or none.
    struct Batch {
        var put: [CarriedMail] = []
        var removed: [CarriedMailID] = []
        var spent: [SpentMail] = []
        var forgotten: [CarriedMailID] = []
        var purpose = Purpose.nothing
    }

    /// A courier, its disk, and what waits for the disk.
    struct Holder {
        var store = CourierStore(slots: 2, verifiedSlots: 1)
        var mails: [CarriedMail] = []
        var spent: [SpentMail] = []
        var waiting: [Batch] = []

        mutating func write(_ changes: CourierChanges, _ purpose: Purpose = .nothing) {
            waiting.append(
                Batch(
                    put: changes.put, removed: changes.deleted,
                    spent: changes.spent, forgotten: changes.forgotten, purpose: purpose))
        }

        mutating func write(_ mail: CarriedMail, _ purpose: Purpose = .nothing) {
            waiting.append(Batch(put: [mail], purpose: purpose))
        }

        /// The disk takes a batch.
        mutating func keep(_ batch: Batch) {
            for mail in batch.put {
                if let place = mails.firstIndex(where: { $0.id == mail.id }) {
                    mails[place] = mail
                } else {
                    mails.append(mail)
                }
            }
            mails.removeAll { batch.removed.contains($0.id) }
            let outdated = batch.spent.map(\.id) + batch.forgotten
            spent.removeAll { outdated.contains($0.id) }
            spent += batch.spent
        }
    }

    /// Copies between two couriers.
    struct Frame {
        let from: Int
        let to: Int
        let envelope: CourierEnvelope
    }

    /// How often something happened.
    struct Tally {
        var (sent, refused, refilled, replays, evictions) = (0, 0, 0, 0, 0)
        var (crashes, failures, handovers, mostHolders) = (0, 0, 0, 0)
    }

    private(set) var holders = [Holder](repeating: Holder(), count: 6)
    private(set) var tally = Tally()
    private var dice: PacketTestGenerator
    private var offset: Int64 = 0
    private var deposits: [(holder: Int, envelope: CourierEnvelope)] = []
    private var flying: [Frame] = []
    private var landed: [Frame] = []
    private var fillers: UInt32 = 0

    private static let message = Pouch.id(0)
    private static let peers = (0..<6 as Range<UInt8>).map { Pouch.encounter($0 + 1) }
    private static let recipient = Pouch.encounter(0xB0)
    private static let letters = (0...8 as ClosedRange<UInt8>).map { Pouch.envelope(0, copies: $0) }

    init(seed: UInt64) { dice = PacketTestGenerator(seed: seed) }

    private var now: WallTime { Pouch.time(offset) }
    private mutating func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &dice) }

    /// The copies that the sender gave to all its couriers.
    var granted: Int { deposits.reduce(0) { $0 + Int($1.envelope.budget.copies) } }

    /// The copies that are carried, are about to leave, or are on their way.
    var alive: Int {
        holders.reduce(flyingCopies) { sum, holder in
            let leaving = holder.waiting.reduce(0) { sum, batch in
                guard case .send(let offer) = batch.purpose, offer.id == Self.message else { return sum }
                return sum + Int(offer.share.copies)
            }
            return sum + leaving + copies(holder.store.mail(Self.message))
        }
    }

    /// The copies that there would be if all couriers lost their power now.
    var aliveAfterPowerCut: Int {
        holders.reduce(flyingCopies) { $0 + copies($1.mails.first { $0.id == Self.message }) }
    }

    private var flyingCopies: Int {
        flying.reduce(0) { $0 + ($1.envelope.isExpired(at: now) ? 0 : Int($1.envelope.budget.copies)) }
    }

    private func copies(_ mail: CarriedMail?) -> Int {
        mail.map { $0.envelope.isExpired(at: now) ? 0 : Int($0.budget.copies) } ?? 0
    }

    /// Lets something happen.
    mutating func step() {
        switch roll(100) {
        case ..<6: bringMessage()
        case ..<14: repeatDeposit()
        case ..<20: if !landed.isEmpty { receive(landed[roll(landed.count)], isReplay: true) }
        case ..<46: meet()
        case ..<70: finishWrite(of: roll(holders.count))
        case ..<79: land()
        case ..<83: handOver(of: roll(holders.count))
        case ..<90: fill(roll(holders.count))
        case ..<93: cutPower(of: roll(holders.count))
        case ..<95: flood(roll(holders.count))
        default: offset += Int64(roll(roll(20) == 0 ? 20_000_000 : 60_000))
        }
        let count = holders.count { copies($0.store.mail(Self.message)) > 0 }
        tally.mostHolders = max(tally.mostHolders, count)
    }

    private mutating func bringMessage() {
        let holder = roll(holders.count)
        guard deposits.count < 3, !deposits.contains(where: { $0.holder == holder }),
            let envelope = Self.letters[1 + roll(8)]
        else { return }
        deposits.append((holder, envelope))
        deposit(envelope, at: holder, from: Pouch.key(0xA0))
    }

    private mutating func repeatDeposit() {
        guard !deposits.isEmpty else { return }
        let (holder, envelope) = deposits[roll(deposits.count)]
        tally.replays += 1
        let spent = holders[holder].store.spentMails.contains { $0.id == Self.message }
        if spent, holders[holder].store.mail(Self.message) == nil { tally.refilled += 1 }
        deposit(envelope, at: holder, from: Pouch.key(0xA0))
    }

    private mutating func deposit(
        _ envelope: CourierEnvelope, at holder: Int, from depositor: AgreementPublicKey, tier: TrustTier = .favorite
    ) {
        let verdict = holders[holder].store.deposit(
            envelope, from: depositor, tier: tier, at: now, using: payloadCryptography)
        if let pending = verdict.pending {
            holders[holder].write(verdict.changes, .deposits([pending]))
        } else if !verdict.changes.isEmpty {
            holders[holder].write(verdict.changes)
        }
    }

    private mutating func meet() {
        let (from, to) = (roll(holders.count), roll(holders.count))
        guard from != to else { return }
        for offer in holders[from].store.sprayOffers(to: Self.peers[to], at: now) {
            guard let mail = holders[from].store.spray(offer, at: now) else { continue }
            holders[from].write(mail, .send(offer))
        }
    }

    private mutating func finishWrite(of place: Int) {
        guard !holders[place].waiting.isEmpty else { return }
        let batch = holders[place].waiting.removeFirst()
        let isKept = roll(7) > 0
        if isKept { holders[place].keep(batch) } else { tally.failures += 1 }
        switch batch.purpose {
        case .nothing: break
        case .deposits(let pending):
            var changes = CourierChanges()
            for deposit in pending {
                changes.append(
                    isKept
                        ? holders[place].store.committed(deposit, at: now)
                        : holders[place].store.failed(deposit, at: now))
            }
            tally.evictions += changes.removed(.evicted).count
            if isKept, !changes.isEmpty { holders[place].write(changes) }
        case .send(let offer):
            if isKept, roll(4) > 0 {
                tally.sent += 1
                let to = Self.peers.firstIndex(of: offer.courier) ?? 0
                guard offer.id == Self.message else { return }
                flying.append(Frame(from: place, to: to, envelope: offer.envelope))
            } else {
                tally.refused += 1
                if let mail = holders[place].store.takeBack(offer) { holders[place].write(mail) }
            }
        }
    }

    private mutating func land() {
        guard !flying.isEmpty else { return }
        let frame = flying.remove(at: roll(flying.count))
        guard roll(8) > 0 else { return }
        landed.append(frame)
        receive(frame, isReplay: false)
    }

    private mutating func receive(_ frame: Frame, isReplay: Bool) {
        if isReplay { tally.replays += 1 }
        deposit(frame.envelope, at: frame.to, from: Self.peers[frame.from].key)
    }

    private mutating func handOver(of place: Int) {
        for mail in holders[place].store.offers(for: Self.recipient, at: now) where roll(2) == 0 {
            tally.handovers += 1
            holders[place].write(holders[place].store.handedOver(mail.id, at: now))
        }
    }

    private mutating func flood(_ place: Int) {
        let changes = holders[place].store.floods(for: Self.recipient, at: now)
        if !changes.isEmpty { holders[place].write(changes) }
    }

    private mutating func fill(_ place: Int) {
        fillers += 1
        let copies = UInt8(1 + roll(8))
        guard let envelope = Pouch.envelope(fillers, for: 0xB5, copies: copies) else { return }
        let depositor = Pouch.key(UInt8(0x40 + roll(32)))
        deposit(envelope, at: place, from: depositor, tier: roll(2) == 0 ? .favorite : .verified)
    }

    private mutating func cutPower(of place: Int) {
        tally.crashes += 1
        holders[place].waiting = []
        holders[place].store = CourierStore(slots: 2, verifiedSlots: 1)
        // Sometimes mail comes in before the records could be read: it is written with them.
        for _ in 0..<roll(3) { repeatDeposit() }
        let early = holders[place].waiting.flatMap { batch -> [PendingDeposit] in
            if case .deposits(let pending) = batch.purpose { pending } else { [] }
        }
        holders[place].waiting = []
        let changes = holders[place].store.load(holders[place].mails, spent: holders[place].spent, at: now)
        if !changes.isEmpty { holders[place].write(changes, .deposits(early)) }
    }
}
