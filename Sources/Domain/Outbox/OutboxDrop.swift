/// An entry that the outbox gave up. Its message has failed, unless it was confirmed before.
///
/// Source: spec, store-and-forward §1.8, §1.10.
public struct OutboxDrop<Owner: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// Why an entry is given up.
    public enum Reason: Hashable, Sendable {
        /// It went eight times, and the peer confirmed nothing.
        case attempts
        /// It was tried for more than a day.
        case age
        /// A newer one for the same peer needed its place.
        case overflow
        /// The disk did not take it. No drop in the sense of the spec's counter: it never was in the outbox for good.
        case notKept
    }

    /// What was given up.
    public let entry: OutboxEntry<Owner>
    /// Why.
    public let reason: Reason
}
