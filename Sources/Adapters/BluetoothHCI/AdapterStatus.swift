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
        /// There is no such adapter now.
        case missing
        /// It is there, and something keeps us from it: another program, a radio switch, a missing capability.
        case blocked
        /// It answers wrongly or not at all.
        case failed
        /// The node stops.
        case stopped
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
        /// The links that it carries: none while it is being set up, one for each direction that is subscribed.
        public let links: [LinkID]
    }

    /// Which adapter.
    public let address: AdapterAddress
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

    /// Links that we opened.
    public var outgoingLinks: Int { connections.count { $0.isOutgoing } }
    /// Links that neighbours opened.
    public var incomingLinks: Int { connections.count - outgoingLinks }
}
