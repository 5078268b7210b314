extension Outbox {
    /// Who of the peers is given a copy of a message now, best first; nobody when it is gone, its recipient's key is not known,
    /// or enough couriers hold it.
    ///
    /// Source: spec, store-and-forward §1.4.
    public func couriers(for key: Key, among candidates: [CourierCandidate]) -> [CourierCandidate] {
        guard let entry = self[key], let recipient = entry.recipientKey else { return [] }
        return CourierChoice.couriers(among: candidates, for: entry.id, to: recipient, heldBy: entry.couriers)
    }

    /// Notes that couriers' links took copies.
    ///
    /// - Returns: The entry as it is now; `nil` when it is gone.
    public mutating func deposited(_ key: Key, with couriers: [AgreementPublicKey]) -> Entry? {
        update(key) { $0.addCouriers(couriers) }
    }

    /// The messages for others that a peer which just connected is to carry.
    ///
    /// Messages that fewest carry come first, then the oldest: a courier takes only some of one sender. [ours]; the reference
    /// goes through its lists in any order. Only lists are looked at in which something can still be given away.
    ///
    /// Source: spec, store-and-forward §1.4.
    public func deposits(with courier: CourierCandidate, at now: WallTime) -> [Entry] {
        guard courier.isEligible, let key = courier.key else { return [] }
        let slots = seekers.lazy.flatMap { lists[$0]?.slots ?? [] }.filter { slot in
            slot.entry.seeksCouriers && slot.entry.recipientKey != key && !slot.entry.couriers.contains(key)
                && !slot.entry.isExpired(at: now)
        }
        let byTime = sorted(slots)
        return (0..<OutboxPolicy.couriersPerMessage).flatMap { held in byTime.filter { $0.couriers.count == held } }
    }
}
