/// The envelopes that we carry for others.
///
/// What is carried is bounded, by tier and by depositor. A deposit is part of the store at once, so that it counts against
/// the limits, and makes room only when it is durable: until then it is offered to nobody, and if the disk refuses it,
/// nothing was lost for it. Meanwhile there are more entries than places, at most twice as many.
///
/// **Copies never grow.** What one holder has of a message and what it has given away are together no more than the most
/// that any one deposit or courier brought it: a repetition raises the copies only while nothing was given away, a share
/// given is taken off, a share taken back was taken off before, and ``SpentMail`` outlives the envelope. Summed over all
/// holders, what was given cancels out what was received, and the copies of the sender's deposits are left.
///
/// Every answer that is not empty belongs into the journal. Lists are in the order in which the mail came.
///
/// Source: spec, store-and-forward §3.6, §3.7.
public struct CourierStore: Sendable {
    struct Entry: Sendable {
        var mail: CarriedMail
        /// Rises with every entry, and so orders them.
        let serial: UInt64
        /// The writes of which one must succeed; empty once one has.
        var awaited: [UInt64]

        var isDurable: Bool { awaited.isEmpty }
    }

    let slots: Int
    let verifiedSlots: Int
    /// Ascending by serial.
    var entries: [Entry] = []
    /// The serials of entries.
    var places: [CarriedMailID: UInt64] = [:]
    /// The serials of the entries with a tag, ascending: an announce looks up three tags.
    var tagged: [RecipientTag: [UInt64]] = [:]
    /// How many entries a depositor has.
    var held: [AgreementPublicKey: Int] = [:]
    /// How many entries are of the verified tier.
    var verifiedCount = 0
    /// How many entries are durable.
    var durableCount = 0
    /// No entry expires before this.
    var earliestExpiry = WallTime(milliseconds: .max)
    /// The last serial or write that was given out.
    var lastNumber: UInt64 = 0
    /// Copies of envelopes that are gone.
    var spent: [CarriedMailID: SpentMail] = [:]
    /// The order in which they went.
    var spentOrder = RecencyOrder<CarriedMailID>()

    /// Starts empty.
    ///
    /// - Parameters:
    ///   - slots: Envelopes carried at once.
    ///   - verifiedSlots: Of those, how many may be of the verified tier.
    public init(slots: Int = CourierPolicy.slots, verifiedSlots: Int = CourierPolicy.verifiedSlots) {
        self.slots = slots
        self.verifiedSlots = verifiedSlots
    }

    /// The envelopes carried, those that are not durable yet included.
    public var count: Int { entries.count }

    /// Whether nothing is carried.
    public var isEmpty: Bool { entries.isEmpty }

    /// The envelopes of one tier, those that are not durable yet included.
    public func count(of tier: TrustTier) -> Int {
        switch tier {
        case .favorite: entries.count - verifiedCount
        case .verified: verifiedCount
        }
    }

    /// The envelopes, those that are not durable yet included.
    public var mails: [CarriedMail] { entries.map(\.mail) }

    /// What is remembered of envelopes that are gone, the longest gone first. Some may have expired.
    public var spentMails: [SpentMail] {
        var order = spentOrder
        var mails: [SpentMail] = []
        while let id = order.removeOldest() {
            if let mail = spent[id] { mails.append(mail) }
        }
        return mails
    }

    /// An envelope.
    public func mail(_ id: CarriedMailID) -> CarriedMail? { place(of: id).map { entries[$0].mail } }

    /// Whether an envelope is here and durable.
    public func isDurable(_ id: CarriedMailID) -> Bool { place(of: id).map { entries[$0].isDurable } ?? false }

    /// Lets go of what has expired. Due before everything else that is done with the store.
    ///
    /// Constant time while nothing has.
    public mutating func expire(at now: WallTime) -> CourierChanges {
        var changes = CourierChanges()
        guard now >= earliestExpiry else { return changes }
        var kept: [Entry] = []
        for entry in entries {
            if entry.mail.envelope.isExpired(at: now) {
                changes.removed.append(CourierChanges.Removal(id: entry.mail.id, cause: .expired))
            } else {
                kept.append(entry)
            }
        }
        rebuild(kept)
        return changes
    }

    // MARK: - Entries and their indexes

    func place(of id: CarriedMailID) -> Int? { places[id].flatMap { place(ofSerial: $0) } }

    func place(ofSerial serial: UInt64) -> Int? {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if entries[middle].serial == serial { return middle }
            range = entries[middle].serial < serial ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func append(_ mail: CarriedMail, awaiting writes: [UInt64]) {
        let entry = Entry(mail: mail, serial: nextNumber(), awaited: writes)
        entries.append(entry)
        index(entry)
    }

    private mutating func index(_ entry: Entry) {
        let mail = entry.mail
        places[mail.id] = entry.serial
        tagged[mail.envelope.tag, default: []].append(entry.serial)
        held[mail.depositor, default: 0] += 1
        if mail.tier == .verified { verifiedCount += 1 }
        if entry.isDurable { durableCount += 1 }
        earliestExpiry = min(earliestExpiry, mail.envelope.expiry)
    }

    /// Replaces all entries, ascending by serial.
    mutating func rebuild(_ entries: [Entry]) {
        self.entries = entries
        (places, tagged, held) = ([:], [:], [:])
        (verifiedCount, durableCount, earliestExpiry) = (0, 0, WallTime(milliseconds: .max))
        for entry in entries { index(entry) }
    }

    /// Takes an entry out, and remembers the copies that are left of it.
    mutating func remove(at place: Int, _ cause: CourierChanges.Cause, at now: WallTime) -> CourierChanges {
        let entry = entries.remove(at: place)
        let mail = entry.mail
        places[mail.id] = nil
        tagged[mail.envelope.tag]?.removeAll { $0 == entry.serial }
        if tagged[mail.envelope.tag]?.isEmpty ?? false { tagged[mail.envelope.tag] = nil }
        let left = held[mail.depositor, default: 1] - 1
        held[mail.depositor] = left > 0 ? left : nil
        if mail.tier == .verified { verifiedCount -= 1 }
        if entry.isDurable { durableCount -= 1 }
        var changes = CourierChanges()
        changes.removed.append(CourierChanges.Removal(id: mail.id, cause: cause))
        if let spent = SpentMail(mail) { changes.append(remember(spent, at: now)) }
        return changes
    }

    // MARK: - Spent mail

    /// What is left of the copies of an envelope that was here before.
    func spent(_ id: CarriedMailID, at now: WallTime) -> SpentMail? {
        spent[id].flatMap { now < $0.expiry ? $0 : nil }
    }

    mutating func remember(_ mail: SpentMail, at now: WallTime) -> CourierChanges {
        var changes = CourierChanges()
        let merged = spent(mail.id, at: now).map { mail.merged(with: $0) } ?? mail
        spent[mail.id] = merged
        spentOrder.touch(mail.id)
        changes.spent.append(merged)
        while spent.count > CourierPolicy.spentMemory, let oldest = spentOrder.removeOldest() {
            spent[oldest] = nil
            changes.forgotten.append(oldest)
        }
        return changes
    }
}
