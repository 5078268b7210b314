extension CourierStore {
    /// A mail of which the limits have to be looked at again.
    private struct Candidate {
        var mail: CarriedMail
        var awaited: [UInt64]
        /// Whether it is not what a record says.
        var isChanged = false
    }

    /// Takes up what the disk held.
    ///
    /// The limits hold afterwards, the oldest mail first, whatever the records say: they may be of a version with other
    /// limits, and a power cut can fall between an envelope and what made room for it.
    ///
    /// Usually the store is empty. Mail that came in before the records could be read is put together with them. Nothing
    /// of it may have been written until now, since the record of the same mail may know of copies given away; all of it
    /// is in the answer, and a deposit that waits for the disk waits for the commit of that.
    ///
    /// Source: spec, store-and-forward §3.6, last paragraph.
    ///
    /// - Parameters:
    ///   - mails: The records, in the order in which they were written.
    ///   - spent: What is remembered of envelopes that are gone, the longest gone first.
    /// - Returns: What is to be written down, so that the disk is as the store.
    public mutating func load(_ mails: [CarriedMail], spent: [SpentMail] = [], at now: WallTime) -> CourierChanges {
        var changes = expire(at: now)
        for mail in spent where now < mail.expiry {
            let lesson = remember(mail, at: now)
            changes.forgotten += lesson.forgotten
            changes.spent += lesson.spent.filter { $0 != mail }
        }
        var candidates = joined(mails, at: now, &changes)
        resume(&candidates, at: now)
        // Stable, and so the same in every run: what is of the same age stays in the order of the records.
        let byAge = candidates.enumerated().sorted {
            ($0.element.mail.storedAt, $0.offset) < ($1.element.mail.storedAt, $1.offset)
        }.map(\.element)
        let (kept, evicted) = limited(byAge)
        rebuild(kept.map { Entry(mail: $0.mail, serial: nextNumber(), awaited: $0.awaited) })
        changes.put += kept.filter(\.isChanged).map(\.mail)
        for candidate in evicted {
            changes.removed.append(CourierChanges.Removal(id: candidate.mail.id, cause: .evicted))
            if let mail = SpentMail(candidate.mail) { changes.append(remember(mail, at: now)) }
        }
        return changes
    }

    /// Records and what is here, each mail once.
    private func joined(
        _ mails: [CarriedMail], at now: WallTime, _ changes: inout CourierChanges
    ) -> [Candidate] {
        var candidates: [Candidate] = []
        var places: [CarriedMailID: Int] = [:]
        for mail in mails {
            guard !mail.envelope.isExpired(at: now) else {
                changes.removed.append(CourierChanges.Removal(id: mail.id, cause: .expired))
                continue
            }
            join(Candidate(mail: mail, awaited: []), &candidates, &places)
        }
        for entry in entries {
            join(Candidate(mail: entry.mail, awaited: entry.awaited, isChanged: true), &candidates, &places)
        }
        return candidates
    }

    private func join(
        _ candidate: Candidate, _ candidates: inout [Candidate], _ places: inout [CarriedMailID: Int]
    ) {
        guard let place = places[candidate.mail.id] else {
            places[candidate.mail.id] = candidates.count
            candidates.append(candidate)
            return
        }
        let known = candidates[place]
        // Of different mail with one name the first stays.
        let mail = known.mail.isSame(as: candidate.mail.envelope) ? known.mail.merged(with: candidate.mail) : known.mail
        candidates[place] = Candidate(
            mail: mail, awaited: known.awaited.isEmpty ? [] : candidate.awaited,
            isChanged: known.isChanged || candidate.isChanged || mail != known.mail || mail != candidate.mail)
    }

    /// Mail that came in before it was known that copies of it had been given away.
    private func resume(_ candidates: inout [Candidate], at now: WallTime) {
        for place in candidates.indices {
            guard let spent = spent(candidates[place].mail.id, at: now) else { continue }
            if candidates[place].mail.resume(spent) { candidates[place].isChanged = true }
        }
    }

    /// Applies quotas, the pool of the verified and the size to mail in the order of its age.
    private func limited(_ mails: [Candidate]) -> (kept: [Candidate], evicted: [Candidate]) {
        var counts: [AgreementPublicKey: Int] = [:]
        let withinQuota = mails.map { candidate in
            let mail = candidate.mail
            guard counts[mail.depositor, default: 0] < mail.tier.quota else { return false }
            counts[mail.depositor, default: 0] += 1
            return true
        }
        var left = zip(mails, withinQuota).filter(\.1).map(\.0)
        var evicted = zip(mails, withinQuota).filter { !$0.1 }.map(\.0)

        func drop(_ excess: Int, where isMeant: (Candidate) -> Bool) {
            var excess = excess
            var kept: [Candidate] = []
            for candidate in left {
                if excess > 0, isMeant(candidate) {
                    evicted.append(candidate)
                    excess -= 1
                } else {
                    kept.append(candidate)
                }
            }
            left = kept
        }
        let isVerified: (Candidate) -> Bool = { $0.mail.tier == .verified }
        drop(left.count(where: isVerified) - verifiedSlots, where: isVerified)
        drop(left.count - slots, where: isVerified)
        drop(left.count - slots) { _ in true }
        return (left, evicted)
    }
}
