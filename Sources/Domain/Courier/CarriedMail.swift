/// One envelope that we carry for somebody, with what a courier has to know about it.
///
/// Source: spec, store-and-forward §3.6.
public struct CarriedMail: Hashable, Sendable {
    /// Its name in the store.
    public let id: CarriedMailID
    /// The envelope, with the copies that it stands for now.
    public private(set) var envelope: CourierEnvelope
    /// The Noise static key of the peer that brought it first: its sender, or a courier that sprayed it.
    public let depositor: AgreementPublicKey
    /// When it was brought first.
    public let storedAt: WallTime
    /// How far the depositor was trusted then.
    public private(set) var tier: TrustTier
    /// The couriers that copies were given to, in that order; none twice, at most ``CourierPolicy/maximumSprays``.
    public private(set) var sprayedTo: [AgreementPublicKey]
    /// When it was last flooded towards its recipient.
    public private(set) var lastRemoteHandoverAt: WallTime?
    /// When a relay last took it.
    public private(set) var lastBridgePublishAt: WallTime?

    /// Gathers what a deposit or a record says.
    public init(
        id: CarriedMailID, envelope: CourierEnvelope, depositor: AgreementPublicKey, storedAt: WallTime,
        tier: TrustTier, sprayedTo: [AgreementPublicKey] = [], lastRemoteHandoverAt: WallTime? = nil,
        lastBridgePublishAt: WallTime? = nil
    ) {
        self.id = id
        self.envelope = envelope
        self.depositor = depositor
        self.storedAt = storedAt
        self.tier = tier
        self.sprayedTo = Self.united([], sprayedTo)
        self.lastRemoteHandoverAt = lastRemoteHandoverAt
        self.lastBridgePublishAt = lastBridgePublishAt
    }

    /// The copies that we hold.
    public var budget: SprayBudget { envelope.budget }

    /// Whether both are the same mail. Everything but the ciphertext may differ between two ways that it came.
    public func isSame(as other: CourierEnvelope) -> Bool { envelope.ciphertext == other.ciphertext }

    /// What to offer a courier just met; `nil` for nothing: a single copy, mail of this courier or for this peer, or one
    /// that has had its share (§3.7 b).
    public func share(for courier: Encounter) -> SprayBudget? {
        guard depositor != courier.key, !courier.isRecipient(of: envelope), !sprayedTo.contains(courier.key),
            sprayedTo.count < CourierPolicy.maximumSprays
        else { return nil }
        return budget.share
    }

    /// Raises the copies to those of the same mail brought again, before the first copy was given away.
    ///
    /// Not after: a replay of the deposit must not hand out the same copies twice (§3.6 step 3).
    ///
    /// - Returns: Whether anything changed.
    mutating func raise(to offered: SprayBudget) -> Bool {
        guard sprayedTo.isEmpty, offered > budget else { return false }
        envelope = envelope.carrying(offered)
        return true
    }

    /// Gives a share away, if the courier may still have it and enough is left.
    mutating func give(_ share: SprayBudget, to courier: Encounter) -> Bool {
        var left = budget
        guard self.share(for: courier) != nil, left.give(share) else { return false }
        envelope = envelope.carrying(left)
        sprayedTo.append(courier.key)
        return true
    }

    /// Puts a share back that did not leave.
    mutating func takeBack(_ share: SprayBudget, from courier: AgreementPublicKey) -> Bool {
        guard let place = sprayedTo.firstIndex(of: courier) else { return false }
        var left = budget
        left.takeBack(share)
        envelope = envelope.carrying(left)
        sprayedTo.remove(at: place)
        return true
    }

    /// Takes up where an earlier life of the same mail ended; nothing changes if copies were given away in this one.
    mutating func resume(_ spent: SpentMail) -> Bool {
        guard sprayedTo.isEmpty else { return false }
        envelope = envelope.carrying(min(budget, spent.budget))
        sprayedTo = Self.united([], spent.sprayedTo)
        return true
    }

    /// Notes a flood, unless the last one is too recent. A last one in the future is one by a clock that was wrong.
    mutating func flood(at now: WallTime) -> Bool {
        guard Self.isDue(lastRemoteHandoverAt, after: CourierPolicy.remoteHandoverCooldown, at: now)
        else { return false }
        lastRemoteHandoverAt = now
        return true
    }

    /// Whether the relays should have it (again).
    func isPublishDue(at now: WallTime) -> Bool {
        Self.isDue(lastBridgePublishAt, after: CourierPolicy.bridgePublishCooldown, at: now)
    }

    /// Notes that a relay took it.
    mutating func publish(at now: WallTime) { lastBridgePublishAt = now }

    private static func isDue(_ last: WallTime?, after cooldown: Milliseconds, at now: WallTime) -> Bool {
        last.map { $0 > now || now >= $0.adding(cooldown) } ?? true
    }

    /// Puts two records of the same mail together (§3.6, last paragraph).
    ///
    /// Copies never grow by it: who has given copies away knows how many are left; of two who have, the lower number is
    /// safe. Depositor, tag, expiry and age are those of the older record, as when a deposit comes a second time.
    func merged(with other: CarriedMail) -> CarriedMail {
        let (first, second) = other.storedAt < storedAt ? (other, self) : (self, other)
        let budget: SprayBudget =
            switch (first.sprayedTo.isEmpty, second.sprayedTo.isEmpty) {
            case (true, true): max(first.budget, second.budget)
            case (false, true): first.budget
            case (true, false): second.budget
            case (false, false): min(first.budget, second.budget)
            }
        var merged = first
        merged.envelope = first.envelope.carrying(budget)
        merged.sprayedTo = Self.united(first.sprayedTo, second.sprayedTo)
        if second.tier == .favorite { merged.tier = .favorite }
        merged.lastRemoteHandoverAt = Self.latest(first.lastRemoteHandoverAt, second.lastRemoteHandoverAt)
        merged.lastBridgePublishAt = Self.latest(first.lastBridgePublishAt, second.lastBridgePublishAt)
        return merged
    }

    private static func latest(_ first: WallTime?, _ second: WallTime?) -> WallTime? {
        guard let first, let second else { return first ?? second }
        return max(first, second)
    }

    /// Couriers without repetition, in order, up to the bound.
    static func united(_ first: [AgreementPublicKey], _ second: [AgreementPublicKey]) -> [AgreementPublicKey] {
        var result = first
        for courier in second where result.count < CourierPolicy.maximumSprays && !result.contains(courier) {
            result.append(courier)
        }
        return result
    }
}
