import Domain
import Support

/// A courier store by reference, so that expectations can call what changes it; with short names for its callers.
final class Pouch {
    typealias Millis = Int64

    /// Noon of a day, in milliseconds since 1970.
    static let noon: UInt64 = 1_750_032_000_000

    var store: CourierStore

    init(slots: Int = CourierPolicy.slots, verifiedSlots: Int = CourierPolicy.verifiedSlots) {
        store = CourierStore(slots: slots, verifiedSlots: verifiedSlots)
    }

    /// A time, in milliseconds after noon.
    static func time(_ offset: Millis) -> WallTime {
        WallTime(milliseconds: UInt64(clamping: Int64(noon) + offset))
    }

    /// A yes or no of a vector.
    static func flag(_ json: JSONValue, _ name: String) throws -> Bool {
        guard let value = json.member(name).bool else { throw VectorFault(description: "\"\(name)\" is no flag") }
        return value
    }

    /// A key of 32 equal bytes.
    static func key(_ byte: UInt8) -> AgreementPublicKey {
        let half = UInt128(byte) * (UInt128.max / 255)
        return AgreementPublicKey(Bytes32(high: half, low: half))
    }

    /// A peer that is met.
    static func encounter(_ byte: UInt8, at offset: Millis = 0) -> Encounter {
        Encounter(with: key(byte), at: time(offset), using: payloadCryptography)
    }

    /// The name of the mail that a number stands for.
    static func id(_ mail: UInt32) -> CarriedMailID {
        CarriedMailID(of: PacketBytes.of(mail), using: payloadCryptography)
    }

    /// An envelope for a recipient whose ciphertext is a number; it lives for ten hours from noon on.
    static func envelope(
        _ mail: UInt32, for recipient: UInt8 = 0xB0, copies: UInt8 = 1, until expiry: Millis = 36_000_000
    ) -> CourierEnvelope? {
        CourierEnvelope(
            tag: RecipientTag(for: key(recipient), on: UTCDay(time(0)), using: payloadCryptography),
            expiry: time(expiry), ciphertext: PacketBytes.of(mail), budget: SprayBudget(clamping: copies))
    }

    /// Brings mail; not durable.
    func bring(
        _ mail: UInt32, for recipient: UInt8 = 0xB0, copies: UInt8 = 1, until expiry: Millis = 36_000_000,
        from depositor: UInt8 = 0x10, tier: TrustTier = .favorite, at offset: Millis = 0
    ) -> DepositVerdict? {
        guard let envelope = Self.envelope(mail, for: recipient, copies: copies, until: expiry) else { return nil }
        return store.deposit(
            envelope, from: Self.key(depositor), tier: tier, at: Self.time(offset), using: payloadCryptography)
    }

    /// Brings mail, which the disk takes at once; everything that changed.
    @discardableResult
    func hold(
        _ mail: UInt32, for recipient: UInt8 = 0xB0, copies: UInt8 = 1, until expiry: Millis = 36_000_000,
        from depositor: UInt8 = 0x10, tier: TrustTier = .favorite, at offset: Millis = 0
    ) -> CourierChanges {
        guard
            let verdict = bring(
                mail, for: recipient, copies: copies, until: expiry, from: depositor, tier: tier, at: offset)
        else { return CourierChanges() }
        var changes = verdict.changes
        if let deposit = verdict.pending { changes.append(store.committed(deposit, at: Self.time(offset))) }
        return changes
    }

    func commit(_ verdict: DepositVerdict?, at offset: Millis = 0) -> CourierChanges {
        verdict?.pending.map { store.committed($0, at: Self.time(offset)) } ?? CourierChanges()
    }
    func fail(_ verdict: DepositVerdict?, at offset: Millis = 0) -> CourierChanges {
        verdict?.pending.map { store.failed($0, at: Self.time(offset)) } ?? CourierChanges()
    }
    func expire(at offset: Millis) -> CourierChanges { store.expire(at: Self.time(offset)) }

    func offers(for recipient: UInt8 = 0xB0, at offset: Millis = 0) -> [CarriedMailID] {
        store.offers(for: Self.encounter(recipient, at: offset), at: Self.time(offset)).map(\.id)
    }
    func handOver(_ mail: UInt32, at offset: Millis = 0) -> CourierChanges {
        store.handedOver(Self.id(mail), at: Self.time(offset))
    }
    func floods(for recipient: UInt8 = 0xB0, at offset: Millis = 0) -> [CarriedMailID] {
        store.floods(for: Self.encounter(recipient, at: offset), at: Self.time(offset)).put.map(\.id)
    }
    func sprayOffers(to courier: UInt8, at offset: Millis = 0) -> [SprayOffer] {
        store.sprayOffers(to: Self.encounter(courier, at: offset), at: Self.time(offset))
    }
    func spray(_ offer: SprayOffer, at offset: Millis = 0) -> CarriedMail? {
        store.spray(offer, at: Self.time(offset))
    }
    func takeBack(_ offer: SprayOffer) -> CarriedMail? { store.takeBack(offer) }
    /// Gives a courier whatever it may have; the shares given.
    @discardableResult
    func meet(_ courier: UInt8, at offset: Millis = 0) -> [UInt8] {
        sprayOffers(to: courier, at: offset).filter { spray($0, at: offset) != nil }.map(\.share.copies)
    }
    func load(_ mails: [CarriedMail], spent: [SpentMail] = [], at offset: Millis = 0) -> CourierChanges {
        store.load(mails, spent: spent, at: Self.time(offset))
    }

    func copies(_ mail: UInt32) -> UInt8? { store.mail(Self.id(mail))?.budget.copies }
    var ids: [CarriedMailID] { store.mails.map(\.id) }
}

extension DepositVerdict {
    /// What waits for the disk.
    var pending: PendingDeposit? {
        switch decision {
        case .stored(let deposit): deposit
        case .merged(let deposit): deposit
        case .refused: nil
        }
    }
    /// Whether it is new mail.
    var isStored: Bool { if case .stored = decision { true } else { false } }
    /// Whether the mail was there.
    var isMerged: Bool { if case .merged = decision { true } else { false } }
    /// Why not.
    var refusal: DepositRefusal? { if case .refused(let refusal) = decision { refusal } else { nil } }
}

extension CarriedMail {
    /// A record of a mail that a number stands for.
    static func record(
        _ mail: UInt32, copies: UInt8 = 1, from depositor: UInt8 = 0x10, tier: TrustTier = .favorite,
        storedAt: Int64 = 0, sprayedTo: [UInt8] = [], until expiry: Int64 = 36_000_000, floodedAt: Int64? = nil,
        publishedAt: Int64? = nil
    ) -> CarriedMail? {
        Pouch.envelope(mail, copies: copies, until: expiry).map {
            CarriedMail(
                id: Pouch.id(mail), envelope: $0, depositor: Pouch.key(depositor), storedAt: Pouch.time(storedAt),
                tier: tier, sprayedTo: sprayedTo.map { Pouch.key($0) },
                lastRemoteHandoverAt: floodedAt.map { Pouch.time($0) },
                lastBridgePublishAt: publishedAt.map { Pouch.time($0) })
        }
    }
}
