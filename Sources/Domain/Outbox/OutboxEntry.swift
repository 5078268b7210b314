/// A private message of ours that its recipient has not confirmed.
///
/// Source: spec, store-and-forward §1.1.
public struct OutboxEntry<Owner: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// Whose list it is in: whom the message is for.
    public let owner: Owner
    /// The sender's identifier of the message; at most 255 bytes.
    public let id: MessageID
    /// The text; at most 255 bytes of UTF-8.
    public let content: String
    /// What the recipient was called when the message was written; raw text.
    public let nickname: String
    /// The recipient's Noise static key, where it is known: without it no courier can take the message.
    public internal(set) var recipientKey: AgreementPublicKey?
    /// When the message was written; its age counts from here.
    public internal(set) var timestamp: WallTime
    /// Transmissions so far that count, 0...8.
    public internal(set) var sendAttempts: Int
    /// Those who hold a copy, by Noise key, in the order in which they got it; each once, at most three.
    public internal(set) var couriers: [AgreementPublicKey]
    /// Whether the message is on the disk. Only then may anybody be told that it is queued; it plays no part in what is
    /// sent. Once `true` it stays so, whatever becomes of later changes.
    public internal(set) var isDurable: Bool

    /// Makes an entry; numbers beyond the limits, as a damaged record may hold, are taken into them.
    ///
    /// - Parameter isDurable: Whether this comes from the disk.
    public init(
        owner: Owner, id: MessageID, content: String, nickname: String, recipientKey: AgreementPublicKey? = nil,
        timestamp: WallTime, sendAttempts: Int = 0, couriers: [AgreementPublicKey] = [], isDurable: Bool = false
    ) {
        self.owner = owner
        self.id = id
        self.content = content
        self.nickname = nickname
        self.recipientKey = recipientKey
        self.timestamp = timestamp
        self.sendAttempts = min(max(sendAttempts, 0), OutboxPolicy.attempts)
        self.couriers = []
        self.isDurable = isDurable
        addCouriers(couriers)
    }

    /// What names it.
    public var key: OutboxKey<Owner> { OutboxKey(owner: owner, id: id) }

    /// Whether it was tried for too long: strictly more than a day.
    public func isExpired(at now: WallTime) -> Bool {
        timestamp.isStale(at: now, maximumAge: OutboxPolicy.lifetime)
    }

    /// How many more couriers may get it.
    public var courierSlots: Int { OutboxPolicy.couriersPerMessage - couriers.count }

    /// Whether a courier could be given it.
    var seeksCouriers: Bool { recipientKey != nil && courierSlots > 0 }

    /// Notes couriers that are not noted yet, as far as there is room. One beyond it needs no note: no other gets a copy.
    mutating func addCouriers(_ keys: some Sequence<AgreementPublicKey>) {
        for key in keys where courierSlots > 0 && !couriers.contains(key) { couriers.append(key) }
    }

    /// Takes over what must not be lost of an earlier version of the same message.
    mutating func inherit(from earlier: OutboxEntry) {
        let own = couriers
        couriers = earlier.couriers
        addCouriers(own)
        recipientKey = recipientKey ?? earlier.recipientKey
        isDurable = isDurable || earlier.isDurable
    }
}

/// Names an entry of the outbox. Identifiers are unique within one conversation only: a peer that learns one from elsewhere
/// must not be able to do anything with it (spec: store-and-forward §1.1).
public struct OutboxKey<Owner: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// Whose list it is in.
    public let owner: Owner
    /// The message.
    public let id: MessageID

    /// Names an entry.
    public init(owner: Owner, id: MessageID) {
        self.owner = owner
        self.id = id
    }
}
