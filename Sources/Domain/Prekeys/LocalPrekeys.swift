/// Our one-time prekeys: made, offered, consumed, kept for a while, deleted.
///
/// Others seal mail to a prekey instead of our static key. Once its private half is deleted, nobody opens that mail again,
/// not even with all of our other keys: that is the forward secrecy of mail to someone who is not here. Therefore deletion
/// is the point of it all, and the order in which things become durable matters: see ``PrekeyChange``.
///
/// Bounded: at most eight on offer, as many that were withdrawn, and ``PrekeyPolicy/maximumConsumed``.
///
/// Source: spec, store-and-forward §4.3; noise §10.3.
public struct LocalPrekeys<C: Cryptography>: Sendable {
    private struct Entry: Sendable {
        let keys: AgreementKeyPair<C>
        var stored: StoredPrekey
    }

    /// Our Noise static key.
    public let owner: AgreementPublicKey
    /// The next number, and the date of the offer.
    public private(set) var sequence: PrekeySequence
    private let wrappingKey: C.Secret
    private let maximumConsumed: Int
    private var entries: [UInt32: Entry] = [:]
    /// Records that did not open, to be removed.
    private var unreadable: [UInt32] = []

    /// Starts as a new node does, without prekeys; ``maintain(at:from:using:)`` makes the first ones.
    ///
    /// - Parameters:
    ///   - owner: Our Noise static key.
    ///   - dataKey: The node's key for what it stores, 32 bytes. Prekeys are wrapped under a key derived from it.
    ///   - maximumConsumed: The most consumed prekeys kept.
    public init(
        owner: AgreementPublicKey, dataKey: C.Secret, maximumConsumed: Int = PrekeyPolicy.maximumConsumed,
        using cryptography: C
    ) {
        self.owner = owner
        self.maximumConsumed = maximumConsumed
        let context = Array("satchel-prekeys-v1".utf8)
        (wrappingKey, _) = cryptography.hkdf(
            chainingKey: dataKey, input: cryptography.importSecret(context.span))
        sequence = PrekeySequence()
    }

    /// Takes up what was written down. ``maintain(at:from:using:)`` should follow before anything else: it removes what
    /// expired meanwhile, and what does not open.
    ///
    /// - Parameters:
    ///   - stored: All records, in any order.
    ///   - sequence: `nil` if it was never written or is lost; then the numbers go on behind the highest one here.
    public init(
        restoring stored: [StoredPrekey], sequence: PrekeySequence?, owner: AgreementPublicKey, dataKey: C.Secret,
        using cryptography: C
    ) {
        self.init(owner: owner, dataKey: dataKey, using: cryptography)
        for prekey in stored {
            let place = associatedData(of: prekey.id)
            if prekey.wrapped.count == wrappingOverhead + Bytes32.count,
                let secret = cryptography.unwrap(
                    prekey.wrapped.span, under: wrappingKey, associatedData: place.span)
            {
                entries[prekey.id] = Entry(keys: AgreementKeyPair(secret, using: cryptography), stored: prekey)
            } else {
                unreadable.append(prekey.id)
            }
        }
        unreadable.sort()
        let latest = stored.map { max($0.createdAt, $0.consumedAt ?? $0.createdAt) }.max()
        self.sequence =
            sequence
            ?? PrekeySequence(
                nextID: stored.map(\.id).max().map { $0 &+ 1 } ?? 0,
                generatedAt: latest ?? WallTime(milliseconds: 0))
    }

    /// What to publish: the prekeys that nobody has used, by number; `nil` when there are none.
    ///
    /// Publish it when what made it is committed, not before.
    public var offer: PrekeyOffer? {
        let prekeys = offered.compactMap { id in entries[id].map { Prekey(id: id, key: $0.keys.publicKey) } }
        return PrekeyOffer(owner: owner, prekeys: prekeys, generatedAt: sequence.generatedAt)
    }

    /// The keys that open mail sealed to a prekey; `nil` when there is none of that number, or no longer.
    public func keys(of id: UInt32, at now: WallTime) -> AgreementKeyPair<C>? {
        entries[id].flatMap { $0.stored.isOver(at: now) ? nil : $0.keys }
    }

    /// All records and the sequence, to write them down anew after a failed commit.
    public var everything: PrekeyChange {
        var change = PrekeyChange()
        change.written = entries.values.map(\.stored).sorted { $0.id < $1.id }
        change.sequence = sequence
        return change
    }

    /// Marks a prekey as used because mail to it was opened, deletes what is over, and makes new ones if few are left.
    ///
    /// Only the first time counts: mail that comes again does not prolong the grace, and changes nothing.
    ///
    /// - Parameters:
    ///   - randomness: Supplies new private keys, and nonces to wrap them.
    public mutating func consume(
        _ id: UInt32, at now: WallTime, from randomness: any Randomness, using cryptography: C
    ) -> PrekeyChange {
        guard let prekey = entries[id]?.stored, prekey.consumedAt == nil, !prekey.isOver(at: now)
        else { return PrekeyChange() }
        return settle(consuming: id, at: now, from: randomness, using: cryptography)
    }

    /// Deletes what is over, dates an old offer anew, and makes new prekeys if few are left.
    ///
    /// At the start and once an hour. Cheap when there is nothing to do.
    public mutating func maintain(
        at now: WallTime, from randomness: any Randomness, using cryptography: C
    ) -> PrekeyChange {
        settle(consuming: nil, at: now, from: randomness, using: cryptography)
    }
}

extension LocalPrekeys {
    /// The numbers on offer, ascending.
    ///
    /// Age is measured from the date of the offer, which never goes back: so the set changes only with that date, and what
    /// was withdrawn stays withdrawn.
    private var offered: [UInt32] {
        entries.values.lazy.map(\.stored)
            .filter { prekey in
                prekey.consumedAt == nil
                    && !prekey.createdAt.isStale(
                        at: sequence.generatedAt, maximumAge: PrekeyPolicy.offerLifetime)
            }
            .map(\.id).sorted()
    }

    private mutating func settle(
        consuming id: UInt32?, at now: WallTime, from randomness: any Randomness, using cryptography: C
    ) -> PrekeyChange {
        var change = PrekeyChange()
        let (before, old) = (offered.filter { $0 != id }, sequence)
        if let id, let consumed = markConsumed(id, at: now) { change.written.append(consumed) }
        if id != nil || sequence.generatedAt.isStale(at: now, maximumAge: PrekeyPolicy.refreshAge) {
            sequence.advance(at: now)
        }
        change.removed = prune(at: now)
        let left = offered.count
        if left < PrekeyPolicy.refillBelow {
            if sequence == old { sequence.advance(at: now) }
            for _ in left..<PrekeyPolicy.batch { change.written.append(make(from: randomness, using: cryptography)) }
        }
        if sequence != old { change.sequence = sequence }
        if offered != before {
            change.publication = .forced
        } else if sequence != old {
            change.publication = .throttled
        }
        return change
    }

    private mutating func markConsumed(_ id: UInt32, at now: WallTime) -> StoredPrekey? {
        entries[id]?.stored.consumedAt = now
        return entries[id]?.stored
    }

    /// Deletes what is over, what did not open, and the excess of consumed ones; answers their numbers, ascending.
    private mutating func prune(at now: WallTime) -> [UInt32] {
        let stored = entries.values.map(\.stored)
        var removed = unreadable + stored.filter { $0.isOver(at: now) }.map(\.id)
        unreadable = []
        let consumed = stored.compactMap { prekey in
            prekey.isOver(at: now) ? nil : prekey.consumedAt.map { (time: $0, id: prekey.id) }
        }
        let excess = consumed.count - maximumConsumed
        if excess > 0 { removed += consumed.sorted { $0 < $1 }.prefix(excess).map(\.id) }
        for id in removed { entries[id] = nil }
        return removed.sorted()
    }

    private mutating func make(from randomness: any Randomness, using cryptography: C) -> StoredPrekey {
        var id = sequence.nextID
        // After four billion the numbers begin again, and one may still be in use; there are about a thousand.
        while entries[id] != nil { id &+= 1 }
        sequence.nextID = id &+ 1
        let keys = AgreementKeyPair(
            cryptography.makeSecret(count: Bytes32.count, from: randomness), using: cryptography)
        let nonce = AEADNonce(prefix: UInt32(truncatingIfNeeded: randomness.next()), suffix: randomness.next())
        let place = associatedData(of: id)
        let wrapped = cryptography.wrap(
            keys.secret, under: wrappingKey, nonce: nonce, associatedData: place.span)
        // Dated as the offer: the clock may be behind it.
        let prekey = StoredPrekey(id: id, wrapped: wrapped, createdAt: sequence.generatedAt)
        entries[id] = Entry(keys: keys, stored: prekey)
        return prekey
    }

    /// Ties a wrapped key to its owner and number.
    private func associatedData(of id: UInt32) -> [UInt8] {
        var bytes = Array("prekey".utf8) + owner.bytes.bytes
        bytes.append(bigEndian: id)
        return bytes
    }
}
