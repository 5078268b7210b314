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
    /// How long a controller may take to answer a command. Two seconds are what hosts commonly grant; only a reset after
    /// power-up takes longer.
    public static let commandTimeout: Milliseconds = .seconds(2)
    /// The same for a reset.
    public static let resetTimeout: Milliseconds = .seconds(4)
    /// A controller that said nothing for this long is asked whether it lives.
    public static let silence: Milliseconds = .seconds(10)
    /// Commands that may wait for a controller. [ours]: our own calls never come near; only a controller that reports
    /// connections by the hundred and answers nothing fills it, and that one is of no use.
    public static let waitingCommands = 256
    /// Of those, how many may be taken by commands that only make things better, so that the others find room.
    public static let waitingOptionalCommands = 64
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
    /// The bounds of that time. [ours]: phones choose supervision timeouts up to 20 s and more, in which a lost credit
    /// would hold the others up; and a very short one says little about a busy controller.
    public static let creditTimeout: ClosedRange<Milliseconds> = .seconds(2) ... .seconds(10)
    /// Frames that one link takes before the radio has sent them: enough to keep it busy, few enough that a chat message
    /// is never far behind a file (spec: mesh §20 keeps the order in the node).
    public static let framesPerLink = 4

    /// Takes the standard values.
    public init() {}
}
