/// What an operation changed in the courier store, for the journal.
public struct CourierChanges: Hashable, Sendable {
    /// An envelope that left the store.
    public struct Removal: Hashable, Sendable {
        /// The envelope.
        public let id: CarriedMailID
        /// Why.
        public let cause: Cause
    }

    /// Why an envelope left the store.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// Its life has ended.
        case expired
        /// It made room for another.
        case evicted
        /// The recipient's link took it.
        case handedOver
        /// Its deposit could not be made durable: no record of it was written.
        case undone
    }

    /// Envelopes that are new or changed, as they are now.
    public internal(set) var put: [CarriedMail] = []
    /// Envelopes that left. One of them can be in ``put`` too: then it came anew.
    public internal(set) var removed: [Removal] = []
    /// What is to be remembered of envelopes that are gone; belongs into the same commit as the removal.
    public internal(set) var spent: [SpentMail] = []
    /// Spent envelopes that are no longer remembered, because there are too many.
    public internal(set) var forgotten: [CarriedMailID] = []

    /// Nothing changed.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool { put.isEmpty && removed.isEmpty && spent.isEmpty && forgotten.isEmpty }

    /// The envelopes that left for one reason, in order.
    public func removed(_ cause: Cause) -> [CarriedMailID] { removed.filter { $0.cause == cause }.map(\.id) }

    /// The envelopes whose records are to be deleted: those that left and did not come anew. What was undone has none.
    public var deleted: [CarriedMailID] {
        let present = Set(put.map(\.id))
        return removed.filter { $0.cause != .undone && !present.contains($0.id) }.map(\.id)
    }

    /// Appends what changed after this, so that the whole says what is left of both.
    public mutating func append(_ later: CourierChanges) {
        let outdated = Set(later.removed.map(\.id) + later.put.map(\.id))
        put.removeAll { outdated.contains($0.id) }
        put += later.put
        removed += later.removed
        spent += later.spent
        forgotten += later.forgotten
    }
}
