extension CourierStore {
    /// The mail for a peer that is here, on a link that proved it: to be sent as it is, with its copies.
    ///
    /// Changes nothing: each one goes with ``handedOver(_:at:)`` when the link has taken all of it, and stays otherwise,
    /// for the next announce.
    ///
    /// Source: spec, store-and-forward §3.7 a.
    public func offers(for recipient: Encounter, at now: WallTime) -> [CarriedMail] {
        offered(to: recipient, at: now).map { entries[$0].mail }
    }

    /// The recipient's link took an envelope, all fragments of it. Does nothing if it is gone already.
    public mutating func handedOver(_ id: CarriedMailID, at now: WallTime) -> CourierChanges {
        guard let place = place(of: id) else { return CourierChanges() }
        return remove(at: place, .handedOver, at: now)
    }

    /// The mail to flood towards a peer that is further off, or perhaps not there at all.
    ///
    /// Each is to be sent with a single copy, and stays here: a flood is a guess. It counts as done now, whether it can be
    /// sent or not.
    ///
    /// Source: spec, store-and-forward §3.7 c.
    ///
    /// - Returns: The mail to flood, which has changed, as ``CourierChanges/put``.
    public mutating func floods(for recipient: Encounter, at now: WallTime) -> CourierChanges {
        var changes = CourierChanges()
        for place in offered(to: recipient, at: now) where entries[place].mail.flood(at: now) {
            changes.put.append(entries[place].mail)
        }
        return changes
    }

    /// What a courier on a link that proved it may have of our copies.
    ///
    /// Changes nothing: see ``spray(_:at:)``. The caller asks only for couriers that are trusted with places of their own.
    ///
    /// Source: spec, store-and-forward §3.7 b.
    public func sprayOffers(to courier: Encounter, at now: WallTime) -> [SprayOffer] {
        entries.compactMap { entry in
            guard isOffered(entry, at: now), let share = entry.mail.share(for: courier) else { return nil }
            return SprayOffer(
                id: entry.mail.id, courier: courier, share: share, envelope: entry.mail.envelope.carrying(share),
                serial: entry.serial)
        }
    }

    /// Takes the copies of an offer off.
    ///
    /// To be durable before the offer leaves: else a power cut leaves more copies in the world than there were. If it
    /// cannot be made durable or the link refuses, ``takeBack(_:)`` undoes it.
    ///
    /// - Returns: The mail to write down; `nil` when the offer no longer holds, because the mail is gone, another transfer
    ///   left too few copies, or the courier has had its share.
    public mutating func spray(_ offer: SprayOffer, at now: WallTime) -> CarriedMail? {
        guard let place = place(of: offer), isOffered(entries[place], at: now),
            entries[place].mail.give(offer.share, to: offer.courier)
        else { return nil }
        return entries[place].mail
    }

    /// Puts back the copies that ``spray(_:at:)`` took off, since they did not leave.
    ///
    /// - Returns: The mail to write down; `nil` when it is gone, or the copies were put back already.
    public mutating func takeBack(_ offer: SprayOffer) -> CarriedMail? {
        guard let place = place(of: offer), entries[place].mail.takeBack(offer.share, from: offer.courier.key)
        else { return nil }
        return entries[place].mail
    }

    /// The mail that the relays should have (again): to be published with a single copy, and to stay here.
    ///
    /// Source: spec, store-and-forward §4.5.
    public func publishable(at now: WallTime) -> [CarriedMail] {
        entries.filter { isOffered($0, at: now) && $0.mail.isPublishDue(at: now) }.map(\.mail)
    }

    /// A relay took an envelope. Does nothing if it is gone.
    public mutating func published(_ id: CarriedMailID, at now: WallTime) -> CarriedMail? {
        guard let place = place(of: id) else { return nil }
        entries[place].mail.publish(at: now)
        return entries[place].mail
    }

    private func place(of offer: SprayOffer) -> Int? {
        place(of: offer.id).flatMap { entries[$0].serial == offer.serial ? $0 : nil }
    }

    /// What is not durable is not ours to give: after a power cut we would not know that we had it.
    private func isOffered(_ entry: Entry, at now: WallTime) -> Bool {
        entry.isDurable && !entry.mail.envelope.isExpired(at: now)
    }

    /// The places of the mail for a peer, ascending.
    private func offered(to recipient: Encounter, at now: WallTime) -> [Int] {
        // On the first and the last day of the calendar two of the three tags are the same.
        let serials = Set(recipient.tags).flatMap { tagged[$0] ?? [] }.sorted()
        return serials.compactMap { place(ofSerial: $0) }.filter { isOffered(entries[$0], at: now) }
    }
}
