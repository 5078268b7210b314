import Application

/// Which radios to use, and how.
public struct BluetoothConfiguration: Hashable, Sendable {
    /// The adapters; each is a radio of its own, with links of its own.
    public var adapters: [AdapterAddress]
    /// The mesh.
    public var service = BluetoothService.production
    /// Where to log every HCI packet in btsnoop format; one file for all adapters.
    public var packetLog: String?
    /// Whether to listen less when there are enough neighbours; for a node on a battery.
    public var savesPower = false
    /// The limits.
    public var policy = BluetoothPolicy()

    /// Takes the adapters.
    public init(adapters: [AdapterAddress]) { self.adapters = adapters }
}

/// What is reported; each from the queue of its adapter, in order.
public struct BluetoothHandlers: Sendable {
    /// A link came up.
    public let linkUp: @Sendable (LinkDescription) -> Void
    /// A link is gone, with the reason for the log.
    public let linkDown: @Sendable (LinkID, _ reason: String) -> Void
    /// A whole frame came in. May wait: while it does, nothing is read from that adapter.
    public let frame: @Sendable (_ frame: [UInt8], LinkID) -> Void
    /// A link that was full takes frames again.
    public let linkWritable: @Sendable (LinkID) -> Void
    /// An adapter is gone, after all its links went down: what is remembered of devices by address has lost its meaning.
    public let adapterDown: @Sendable () -> Void
    /// A line for the log.
    public let log: @Sendable (LogLevel, String) -> Void

    /// Takes the handlers.
    public init(
        linkUp: @escaping @Sendable (LinkDescription) -> Void,
        linkDown: @escaping @Sendable (LinkID, _ reason: String) -> Void,
        frame: @escaping @Sendable (_ frame: [UInt8], LinkID) -> Void,
        linkWritable: @escaping @Sendable (LinkID) -> Void,
        adapterDown: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.linkUp = linkUp
        self.linkDown = linkDown
        self.frame = frame
        self.linkWritable = linkWritable
        self.adapterDown = adapterDown
        self.log = log
    }
}
