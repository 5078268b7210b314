/// What to do now about one entry of the outbox.
///
/// Source: spec, store-and-forward §1.5.
public enum OutboxStep<Owner: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// It is not there any more: an acknowledgement was faster. It must not be put in again.
    case gone
    /// It waits.
    case keep
    /// It was taken out.
    case drop(OutboxDrop<Owner>)
    /// It goes on this way. When it counts, ``Outbox/sent(_:)`` is to be told afterwards.
    case send(OutboxEntry<Owner>, by: MessageTransport, isCounted: Bool)
}
