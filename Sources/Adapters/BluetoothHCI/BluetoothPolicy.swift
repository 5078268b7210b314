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
    /// A timer that fires so much too late was held up by something else than its queue's usual work. [ours]: the node may
    /// take its time over a frame, and a machine may sleep.
    public static let lateness: Milliseconds = 100
    /// How long what is late waits for what came in meanwhile to be read. [ours]: a second of a busy radio is read in less.
    public static let inputGrace: Milliseconds = 100
    /// What a notification or a write puts before its value, in bytes: opcode and handle.
    public static let valueOverhead = 3
    /// How long the scanner stays on one channel before it goes to the next: long enough to hear a phone that advertises
    /// every 100 to 200 ms on each of them soon, with no gap between.
    public static let scanInterval: Milliseconds = 60
    /// What stands in for the signal of a device when the controller cannot tell it, in dBm. [ours]: a controller that
    /// never can, as BlueZ's emulator, still has neighbours; this passes the threshold and ranks behind who is near.
    public static let assumedSignal: Int8 = -70
    /// Attempts to connect that a controller makes at a time (Core Specification, Vol 4, Part E, 7.8.12).
    public static let attempts = 1
    /// Frames kept of one direction that came in before its link was up. A phone may write before it subscribes; it has
    /// little to say by then (spec: ble-gatt §6.2).
    public static let earlyFrames = 16
    /// Their bytes: as many frames of the usual length. A frame in a stream of notifications may be far longer.
    public static let earlyBytes = earlyFrames * inboundValue
    /// How long a connection that we opened may take until its link is up: six round trips, with the discovery tried
    /// twice. A device that drags its feet does not hold one of our few connections.
    public static let setUpTimeout: Milliseconds = .seconds(30)
    /// How long a connection that a neighbour opened may stay without a subscription. Phones subscribe within seconds;
    /// whoever does not holds one of the controller's few connections for nothing. [ours]
    public static let subscriptionPatience: Milliseconds = .seconds(60)
    /// How long the connections have to end when the node stops: longer than the longest connection interval of phones.
    public static let goodbyeTimeout: Milliseconds = 500
    /// Commands that may wait for a controller. [ours]: our own calls never come near; only a controller that reports
    /// connections by the hundred and answers nothing fills it, and that one is of no use.
    public static let waitingCommands = 256
    /// Of those, how many may be taken by commands that only make things better, so that the others find room.
    public static let waitingOptionalCommands = 64
    /// Different reasons why an adapter is not at work that are logged until it is again. [ours]: there is one at a time,
    /// rarely two; a controller that lies may have hundreds.
    public static let reportedReasons = 16
    /// Connections of one controller. [ours]: no controller has more; it bounds what a lying one can make us keep.
    public static let connections = 64
    /// How long after it was told to stop a controller may go on with an attempt to connect, before we stop waiting for the
    /// end of it. [ours]: the end is due at once.
    public static let cancelTimeout: Milliseconds = .seconds(2)
    /// How long past the supervision timeout the end of a connection may be reported, before we take it for gone. [ours]:
    /// the controller itself must end it within that timeout.
    public static let disconnectMargin: Milliseconds = .seconds(2)
    /// How long past the supervision timeout data may stay with the controller. A link that lives has moved it or died by
    /// then, so the credits for it were lost.
    public static let creditMargin: Milliseconds = .seconds(1)
    /// The least of that time. [ours]: a very short supervision timeout says little about a busy controller.
    public static let shortestCreditTimeout: Milliseconds = .seconds(2)
    /// How long a connection may hold credits without a piece leaving, before it is ended. [ours]: phones choose
    /// supervision timeouts of 20 s and more, and for so long what it holds would be missing to the others. The credits
    /// cannot be taken back by then: the controller has the pieces still, and would run over.
    public static let longestStall: Milliseconds = .seconds(10)
    /// How long data for a handle that we do not know waits before the connection is ended. [ours]: on USB data and
    /// events come by different ways, so its beginning may follow, and its end may have come first.
    public static let strangerPatience: Milliseconds = .seconds(1)
    /// How often such a connection is ended at most.
    public static let strangerInterval: Milliseconds = .seconds(5)
    /// How long a controller may take over a reset before it is sent again: one on a serial port that was just powered up
    /// loses the first bytes. [ours]
    public static let resetInterval: Milliseconds = .seconds(1)
    /// Frames that one link takes before the radio has sent them: enough to keep it busy, few enough that a chat message
    /// is never far behind a file (spec: mesh §20 keeps the order in the node).
    public static let framesPerLink = 4

    /// Takes the standard values.
    public init() {}
}
