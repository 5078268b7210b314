import Application
import Domain

/// How one adapter stands, for `status` and `adapters`.
public struct AdapterStatus: Hashable, Sendable {
    /// What an adapter does at the moment.
    public enum State: String, Hashable, Sendable {
        /// It is being opened.
        case opening
        /// It is being reset and asked what it can do.
        case starting
        /// It advertises, listens and carries links.
        case ready
        /// There is no such adapter now, or nobody answers at the other end of its socket.
        case missing
        /// The kernel has no Bluetooth at all.
        case unsupported
        /// Something keeps us from it: another program, a radio switch, a missing capability.
        case blocked
        /// It answers wrongly or not at all, does not take what it is sent, or cannot be opened for another reason.
        case failed
        /// The node stops.
        case stopped

        /// Whether there is nothing to be opened.
        public var isAbsence: Bool { self == .missing || self == .unsupported }
    }

    /// One connection of the adapter.
    public struct Connection: Hashable, Sendable {
        /// Who is at the far end, as the air shows it.
        public let device: String
        /// Whether we opened it.
        public let isOutgoing: Bool
        /// The ATT MTU, in bytes.
        public let mtu: Int
        /// How strong the far end is, in dBm; `nil` while it is not known.
        public let signal: Int8?
        /// The links that it carries: none while it is being set up.
        public let links: [LinkID]
    }

    /// Which adapter.
    public let address: AdapterAddress
    /// Which one it is, or was until it was lost, where the address leaves the choice to us.
    public var choice: AdapterAddress?
    /// How it stands.
    public var state: State {
        didSet { if state != oldValue { since = DispatchTimers.uptime } }
    }
    /// Since when it stands so, by CLOCK_BOOTTIME.
    public internal(set) var since = DispatchTimers.uptime
    /// Why it is not ready, for a person.
    public var reason: String?
    /// What to do about it.
    public var remedy: String?
    /// What keeps it from being opened, where that is why.
    public var obstacle: BluetoothError?
    /// Our address on the air, while there is one.
    public var deviceAddress: String?
    /// What the controller is, once it was asked.
    public var controller: ControllerDescription?
    /// Whether phones can find us.
    public var isAdvertising = false
    /// Whether we look for phones.
    public var isScanning = false
    /// What it carries, in order of age.
    public var connections: [Connection] = []
    /// How often it was lost after it had been ready.
    public var losses = 0
    /// Frames that went out.
    public var framesSent: UInt64 = 0
    /// Frames that came in.
    public var framesReceived: UInt64 = 0
    /// What happened on the way that should not, by name; it never becomes less. See ``Controller/Counters``
    /// for those that begin in the controller.
    public var faults: [String: UInt64] = [:]

    init(address: AdapterAddress, state: State) {
        self.address = address
        self.state = state
    }

    /// Neighbours whom we connected to and have a link with.
    public var outgoingLinks: Int { connections.count { $0.isOutgoing && !$0.links.isEmpty } }
    /// Neighbours who connected to us and have a link with us.
    public var incomingLinks: Int { connections.count { !$0.isOutgoing && !$0.links.isEmpty } }
    /// Connections without a link: they are being set up, or end.
    public var connectionsInSetUp: Int { connections.count { $0.links.isEmpty } }

    /// The adapter for a person: `hci0`, or `auto (hci0)` where it was our choice.
    public var name: String { choice.map { "\(address) (\($0))" } ?? "\(address)" }
}
