import Domain

/// One peer, as `peers` lists it.
public struct PeerReport: Hashable, Sendable {
    /// The identifier.
    public var id: PeerID
    /// The verified nickname, raw, NFC.
    public var nickname: String
    /// The name to show: the nickname, with `#` and four digits where it is not unique (spec: app §3.3).
    public var displayName: String
    /// The fingerprint of the Noise static key.
    public var fingerprint: Fingerprint
    /// The Noise static key.
    public var noiseKey: AgreementPublicKey
    /// What is known about reaching it.
    public var signals: PeerSignals
    /// When it was last heard of.
    public var lastSeen: Uptime
    /// The announced capability bits; `nil` when it announced none.
    public var capabilities: UInt64?
    /// The links that are bound to it.
    public var links: [LinkID]

    /// Makes a report.
    public init(
        id: PeerID, nickname: String, displayName: String, fingerprint: Fingerprint, noiseKey: AgreementPublicKey,
        signals: PeerSignals, lastSeen: Uptime, capabilities: UInt64?, links: [LinkID]
    ) {
        self.id = id
        self.nickname = nickname
        self.displayName = displayName
        self.fingerprint = fingerprint
        self.noiseKey = noiseKey
        self.signals = signals
        self.lastSeen = lastSeen
        self.capabilities = capabilities
        self.links = links
    }
}

extension PeerReport {
    /// See ``PeerSignals/isConnected``.
    public var isConnected: Bool { signals.isConnected }
    /// See ``PeerSignals/isReachable``.
    public var isReachable: Bool { signals.isReachable }
    /// See ``PeerSignals/deliversPromptly``.
    public var isPrompt: Bool { signals.deliversPromptly }
    /// See ``PeerSignals/deliversSecurely``.
    public var isSecure: Bool { signals.deliversSecurely }
}

/// One link, as `status` lists it.
public struct LinkReport: Hashable, Sendable {
    /// The link.
    public var description: LinkDescription
    /// The peer bound to it, if one announced itself.
    public var peer: PeerID?
    /// Whether a handshake completed on this very link.
    public var isAuthenticated: Bool

    /// Makes a report.
    public init(description: LinkDescription, peer: PeerID?, isAuthenticated: Bool) {
        self.description = description
        self.peer = peer
        self.isAuthenticated = isAuthenticated
    }
}

/// The node at a glance, as `status` prints it.
public struct NodeReport: Hashable, Sendable {
    /// Our identifier.
    public var id: PeerID
    /// Our nickname.
    public var nickname: String
    /// What the node is there for.
    public var role: NodeSettings.Role
    /// Our fingerprint.
    public var fingerprint: Fingerprint
    /// Since when the node runs.
    public var startedAt: Uptime
    /// The time now.
    public var now: Uptime
    /// The wall clock.
    public var wall: WallTime
    /// Links in order of age.
    public var links: [LinkReport]
    /// Peers with a link.
    public var connectedPeers: Int
    /// Peers heard of lately.
    public var reachablePeers: Int
    /// Established Noise sessions.
    public var sessions: Int
    /// Private messages that wait for a session.
    public var queuedMessages: Int
    /// Frames that wait for links which are full.
    public var queuedFrames: Int
    /// The bytes of ``queuedFrames``.
    public var queuedBytes: Int
    /// Packets of others that wait for a link to leave on.
    public var spooledPackets: Int
    /// Public messages that wait for a right clock.
    public var heldMessages: Int
    /// How the wall clock stands.
    public var clock: ClockReport
    /// Counters by name, in a fixed order: what was received, sent, relayed, and dropped for which reason.
    public var counters: [Counter]

    /// A named number that only rises.
    public struct Counter: Hashable, Sendable {
        /// camelCase.
        public let name: String
        /// Since the start.
        public let value: UInt64
        /// Makes a counter.
        public init(name: String, value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a report.
    public init(
        id: PeerID, nickname: String, role: NodeSettings.Role, fingerprint: Fingerprint, startedAt: Uptime, now: Uptime,
        wall: WallTime,
        links: [LinkReport], connectedPeers: Int, reachablePeers: Int, sessions: Int, queuedMessages: Int,
        queuedFrames: Int, queuedBytes: Int, spooledPackets: Int, heldMessages: Int, clock: ClockReport,
        counters: [Counter]
    ) {
        self.id = id
        self.nickname = nickname
        self.role = role
        self.fingerprint = fingerprint
        self.startedAt = startedAt
        self.now = now
        self.wall = wall
        self.links = links
        self.connectedPeers = connectedPeers
        self.reachablePeers = reachablePeers
        self.sessions = sessions
        self.queuedMessages = queuedMessages
        self.queuedFrames = queuedFrames
        self.queuedBytes = queuedBytes
        self.spooledPackets = spooledPackets
        self.heldMessages = heldMessages
        self.clock = clock
        self.counters = counters
    }
}
