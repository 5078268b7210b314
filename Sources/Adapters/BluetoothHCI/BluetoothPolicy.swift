import Domain

/// The tunables of the adapter, each with unit and reason.
public struct BluetoothPolicy: Hashable, Sendable {
    /// The ATT MTU that we ask for and answer with, in bytes: Android asks for it, and frames of 512 bytes need 515 (spec:
    /// ble-gatt §7).
    public static let mtu = 517
    /// The ATT MTU before any exchange, in bytes (Core Specification, Vol 3, Part G, 5.2.1).
    public static let defaultMTU = 23
    /// The longest attribute value, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
    public static let maximumValue = 512
    /// How long an ATT request may stay unanswered (Core Specification, Vol 3, Part F, 3.3.3).
    public static let transactionTimeout: Milliseconds = .seconds(30)
    /// The longest payload of an L2CAP frame that is put together, in bytes. [ours]: the longest that we have use for is an
    /// attribute PDU of ``mtu``; the rest is leeway for a peer that goes by another figure.
    public static let frameLimit = 1024
    /// The longest value that is taken from a peer, in bytes: more than an attribute may have by the book, since one app
    /// makes frames of 513 (spec: ble-gatt §7, rule 3).
    public static let inboundValue = mtu - 3
    /// Answers that wait for room to be sent, for each connection and kind of channel. [ours]: a peer may have one request
    /// under way at a time, so more than a few wait only for a peer that floods.
    public static let answersPerChannel = 8
    /// Parts of a long write that are kept until they are executed. [ours]: the longest value in the smallest parts, of 18
    /// bytes, takes 29.
    public static let preparedWrites = 64
    /// Their bytes. [ours]: the longest value twice, for a peer that sends parts again.
    public static let preparedBytes = 2 * inboundValue
    /// How long after a failed search for the service it is tried again, once (spec: ble-gatt §6.2, §15).
    public static let discoveryRetry = Milliseconds(500)
    /// Requests that one discovery may take. [ours]: an ordinary one takes five; a hostile database may be endless.
    public static let discoveryRequests = 64
    /// How long a controller may take to answer a command. Two seconds are what hosts commonly grant; only a reset after
    /// power-up takes longer.
    public static let commandTimeout: Milliseconds = .seconds(2)
    /// The same for a reset.
    public static let resetTimeout: Milliseconds = .seconds(4)
    /// A controller that said nothing for this long is asked whether it lives.
    public static let silence: Milliseconds = .seconds(10)
    /// Frames that one link takes before the radio has sent them: enough to keep it busy, few enough that a chat message
    /// is never far behind a file (spec: mesh §20 keeps the order in the node).
    public static let framesPerLink = 4

    /// Takes the standard values.
    public init() {}
}
