extension CourierStore {
    /// Takes an envelope that a peer wants us to carry, if its life, the peer's quota and the space allow.
    ///
    /// Mail that is here already takes no place and no quota, whoever brings it, and stays as it was first brought; only
    /// its copies may rise.
    ///
    /// - Parameters:
    ///   - depositor: The Noise static key of the peer that brings it.
    ///   - tier: How far that peer is trusted.
    ///   - cryptography: Names the envelope by SHA-256.
    /// - Returns: The decision; what expired is let go also for a deposit that is refused afterwards.
    public mutating func deposit(
        _ envelope: CourierEnvelope, from depositor: AgreementPublicKey, tier: TrustTier, at now: WallTime,
        using cryptography: some Cryptography
    ) -> DepositVerdict {
        guard !envelope.isExpired(at: now) else { return DepositVerdict(.refused(.expired)) }
        let latest = now.adding(CourierPolicy.maximumLifetime + CourierPolicy.expirySlack)
        guard envelope.expiry <= latest else { return DepositVerdict(.refused(.tooLong)) }

        var changes = expire(at: now)
        let id = CarriedMailID(of: envelope.ciphertext, using: cryptography)
        if let place = place(of: id) { return merge(envelope, into: place, changes) }
        if let refusal = refusal(from: depositor, tier: tier) { return DepositVerdict(.refused(refusal), changes) }

        var mail = CarriedMail(id: id, envelope: envelope, depositor: depositor, storedAt: now, tier: tier)
        if let spent = spent(id, at: now) { _ = mail.resume(spent) }
        let write = nextNumber()
        append(mail, awaiting: [write])
        changes.put.append(mail)
        return DepositVerdict(.stored(PendingDeposit(id: id, write: write)), changes)
    }

    /// The disk has a deposit: from now on it is offered, and it makes room.
    ///
    /// The first verified envelope goes, else the oldest: never favorite mail for strangers' (§3.6 step 6).
    public mutating func committed(_ deposit: PendingDeposit, at now: WallTime) -> CourierChanges {
        guard let place = place(of: deposit), !entries[place].isDurable else { return CourierChanges() }
        entries[place].awaited = []
        durableCount += 1
        var changes = expire(at: now)
        while durableCount > slots, let victim = victim { changes.append(remove(at: victim, .evicted, at: now)) }
        return changes
    }

    /// The disk will never have a deposit: it is as if it had not been brought.
    ///
    /// A second deposit of the same mail may still be on its way to the disk, as a write of its own, and then keeps it.
    public mutating func failed(_ deposit: PendingDeposit, at now: WallTime) -> CourierChanges {
        guard let place = place(of: deposit), !entries[place].isDurable else { return CourierChanges() }
        guard entries[place].awaited.count == 1 else {
            entries[place].awaited.removeAll { $0 == deposit.write }
            return CourierChanges()
        }
        return remove(at: place, .undone, at: now)
    }

    private func place(of deposit: PendingDeposit) -> Int? {
        place(of: deposit.id).flatMap { entries[$0].awaited.contains(deposit.write) ? $0 : nil }
    }

    private mutating func merge(
        _ envelope: CourierEnvelope, into place: Int, _ changes: CourierChanges
    ) -> DepositVerdict {
        guard entries[place].mail.isSame(as: envelope) else { return DepositVerdict(.refused(.nameTaken), changes) }
        guard entries[place].mail.raise(to: envelope.budget) else { return DepositVerdict(.merged(nil), changes) }
        var changes = changes
        changes.put.append(entries[place].mail)
        // Durable mail keeps the raised copies in memory even if this write fails: they were given to us.
        guard !entries[place].isDurable else { return DepositVerdict(.merged(nil), changes) }
        // Copies rise at most seven times, so there are at most eight writes.
        let write = nextNumber()
        entries[place].awaited.append(write)
        return DepositVerdict(.merged(PendingDeposit(id: entries[place].mail.id, write: write)), changes)
    }

    /// Why a new envelope cannot be taken (§3.6 steps 4 to 6); what waits for the disk counts as if it were durable.
    private func refusal(from depositor: AgreementPublicKey, tier: TrustTier) -> DepositRefusal? {
        if held[depositor, default: 0] >= tier.quota { return .depositorQuota }
        if tier == .verified, verifiedCount >= verifiedSlots { return .verifiedPool }
        // A stranger's mail is taken only if strangers' mail can make all the room that will be needed.
        if tier == .verified, entries.count + 1 - slots > verifiedCount { return .full }
        if entries.count - durableCount >= slots { return .busy }
        return nil
    }

    private var victim: Int? {
        entries.firstIndex { $0.isDurable && $0.mail.tier == .verified } ?? entries.firstIndex { $0.isDurable }
    }
}
