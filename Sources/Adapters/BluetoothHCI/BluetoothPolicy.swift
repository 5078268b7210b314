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
    /// Frames that one link takes before the radio has sent them: enough to keep it busy, few enough that a chat message
    /// is never far behind a file (spec: mesh §20 keeps the order in the node).
    public static let framesPerLink = 4

    /// Takes the standard values.
    public init() {}
}
