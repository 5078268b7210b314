import Domain

/// One entry of a store: what survives restarts beside events and pins.
///
/// The node keeps its stores in memory and writes each change of an entry down; at a start it gets all of them back.
public enum Record: Hashable, Sendable {
    /// How often something happened (spec: store-and-forward §2).
    case metric(Metric, UInt64)
    /// A message of ours that nobody has confirmed (spec: store-and-forward §1.12).
    case outgoing(OutboxEntry<PeerID>)

    /// Which entry this is; a later one with the same key replaces it.
    public var key: RecordKey {
        switch self {
        case .metric(let metric, _): RecordKey(.metric, Array(metric.rawValue.utf8))
        case .outgoing(let entry): .outgoing(entry.key)
        }
    }

    /// When the entry has lost its meaning; `nil` when time does nothing to it. What has expired is not given back at a
    /// start, and is deleted.
    public var expiry: WallTime? {
        switch self {
        case .metric: nil
        // Judged by the outbox itself, which has to say that a message was given up.
        case .outgoing: nil
        }
    }

    /// Whether the entry has lost its meaning at this time; at the very millisecond of its ``expiry`` it has.
    public func isExpired(at time: WallTime) -> Bool { expiry.map { $0 <= time } ?? false }
}

/// Names an entry of a store.
public struct RecordKey: Hashable, Sendable {
    /// The stores. The numbers are on the disk: never changed, never used again.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// ``Metric`` counters.
        case metric = 1
        /// The outbox.
        case outgoing = 2
    }

    /// The store.
    public let kind: Kind
    /// The entry within it; any bytes. On a disk only a keyed hash of them is seen.
    public let name: [UInt8]

    /// Names an entry.
    public init(_ kind: Kind, _ name: [UInt8]) {
        self.kind = kind
        self.name = name
    }

    /// Names an entry of the outbox: the peer's eight bytes, then the message's identifier.
    static func outgoing(_ key: OutboxKey<PeerID>) -> RecordKey {
        RecordKey(.outgoing, key.owner.bytes + key.id.text.utf8)
    }
}

/// What the node counts for its operator across restarts: plain numbers, no identifiers, no times; never sent.
///
/// Source: spec, store-and-forward §2.
public enum Metric: String, Hashable, Sendable, CaseIterable {
    /// A message was put into the outbox.
    case queued = "outbox.queued"
    /// A message went again.
    case resent = "outbox.resent"
    /// A receipt took a message out of the outbox.
    case delivered = "outbox.delivered"
    /// A message was given up: too often, too old, too many.
    case dropped = "outbox.dropped"
    /// Couriers took a deposit of ours, as far as the link can tell; once for each call.
    case deposited = "courier.deposited"
    /// We took somebody's deposit.
    case accepted = "courier.accepted"
    /// The recipient's link took an envelope.
    case handedOver = "courier.handedOver"
    /// An envelope was flooded towards a recipient further off.
    case remoteHandover = "courier.remoteHandover"
    /// Another courier's link took copies.
    case sprayed = "courier.sprayed"
    /// Carried mail was opened and shown.
    case opened = "courier.opened"
}
