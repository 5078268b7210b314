import Domain

/// Both ends of the attribute protocol on one connection. Confined to the radio's queue.
final class GATTBearer {
    weak var delegate: (any GATTBearerDelegate)?

    init(service: BluetoothService, timers: any RadioTimers) {}

    /// The ATT MTU of both directions, in bytes, 23...517.
    var mtu: Int { BluetoothPolicy.defaultMTU }
    /// Whether the far end wants our notifications.
    var isSubscribed: Bool { false }
    /// Whether we are subscribed to the far end.
    var isClientReady: Bool { false }
    /// What was thrown away: requests that would have been one too many to answer.
    var dropped: Int { 0 }

    /// Takes an attribute PDU from the attribute channel.
    func receive(_ pdu: ArraySlice<UInt8>) {}
    /// The next PDU to send: answers first, then a request of ours; `nil` when there is none.
    func nextPDU() -> [UInt8]? { nil }
    /// Sets our client side up: MTU, service, characteristic, descriptor, subscription; reports `clientReady` or
    /// `clientFailed`.
    func openClient() {}
    /// Unsubscribes. Nothing is reported of the client side any more.
    func closeClient() {}
    /// The PDU that notifies the far end of a value; `nil` when it is not subscribed, or the value is longer than
    /// min(MTU − 3, 512).
    func notification(of value: [UInt8]) -> [UInt8]? { nil }
    /// The PDU that writes a value without response; `nil` when the client is not ready, or the value is longer than
    /// min(MTU − 3, 512).
    func write(of value: [UInt8]) -> [UInt8]? { nil }
    /// Ends it; nothing is reported or sent any more.
    func close() {}
}
