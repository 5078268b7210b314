/// What the courier store made of a deposit. The depositor is told nothing of it.
///
/// Source: spec, store-and-forward §3.6.
public struct DepositVerdict: Hashable, Sendable {
    /// The decision.
    public enum Decision: Hashable, Sendable {
        /// It is taken, once ``CourierStore/committed(_:at:)`` has been told of this deposit.
        case stored(PendingDeposit)
        /// The same mail is here already. With a deposit to wait for, it raised the copies of mail that is not durable
        /// yet; without one, nothing waits for this.
        case merged(PendingDeposit?)
        /// It is not taken.
        case refused(DepositRefusal)
    }

    /// The decision.
    public let decision: Decision
    /// What to write down: the new or changed envelope, and what had expired.
    public let changes: CourierChanges

    init(_ decision: Decision, _ changes: CourierChanges = CourierChanges()) {
        self.decision = decision
        self.changes = changes
    }
}

/// Why the courier store takes no deposit, in the order in which the reasons are looked for.
public enum DepositRefusal: Hashable, Sendable, CaseIterable {
    /// Its life has ended.
    case expired
    /// It asks for a longer life than a sender gives, clocks that differ included.
    case tooLong
    /// Different mail with the same name is here.
    case nameTaken
    /// The depositor has as many envelopes here as its tier may have.
    case depositorQuota
    /// Peers who are merely verified have as many envelopes here as they may have.
    case verifiedPool
    /// The store is full of mail that is worth more.
    case full
    /// As many deposits wait for the disk as the store has places.
    case busy
}

/// A deposit that waits for the disk.
public struct PendingDeposit: Hashable, Sendable {
    /// The envelope.
    public let id: CarriedMailID
    /// Tells apart the writes of one envelope, and an envelope from a later one with the same name.
    let write: UInt64
}
