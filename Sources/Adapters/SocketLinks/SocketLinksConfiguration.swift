import Application

/// Where the socket links meet neighbours.
public struct SocketLinksConfiguration: Sendable {
    /// Air directories: every node in one of them links to every other.
    public var airs: [String]
    /// Addresses to accept TCP links on.
    public var listens: [HostPort]
    /// Addresses to keep a TCP link to.
    public var connects: [HostPort]
    /// The limits.
    public var policy: SocketLinksPolicy

    /// Describes where to meet neighbours; nowhere, unless told.
    public init(
        airs: [String] = [], listens: [HostPort] = [], connects: [HostPort] = [],
        policy: SocketLinksPolicy = SocketLinksPolicy()
    ) {
        self.airs = airs
        self.listens = listens
        self.connects = connects
        self.policy = policy
    }
}

/// What the socket links report. Called from their one I/O thread, in the order in which things happened; a handler
/// must return at once (it hands over to the node's queue), for all links wait while it runs.
public struct SocketLinksHandlers: Sendable {
    /// A link came up.
    public var linkUp: @Sendable (LinkDescription) -> Void
    /// A link is gone, and why, in words for the log.
    public var linkDown: @Sendable (LinkID, String) -> Void
    /// A whole frame arrived: 1 byte to the link's limit.
    public var frame: @Sendable ([UInt8], LinkID) -> Void
    /// A link that answered ``SendOutcome/full`` has less than half of its queue left to send.
    public var linkWritable: @Sendable (LinkID) -> Void
    /// Something that a person may want to know; free of text from outside.
    public var log: @Sendable (LogLevel, String) -> Void

    /// Gathers the handlers.
    public init(
        linkUp: @escaping @Sendable (LinkDescription) -> Void,
        linkDown: @escaping @Sendable (LinkID, String) -> Void,
        frame: @escaping @Sendable ([UInt8], LinkID) -> Void,
        linkWritable: @escaping @Sendable (LinkID) -> Void,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.linkUp = linkUp
        self.linkDown = linkDown
        self.frame = frame
        self.linkWritable = linkWritable
        self.log = log
    }
}

/// What was turned away since the start, by reason.
public struct SocketLinksCounters: Hashable, Sendable {
    /// Frames from an air neighbour that exceeded the frame limit; dropped, the link stays.
    public var oversizedFrames: UInt64 = 0
    /// Connections closed at once because a limit on links was reached.
    public var refusedLinks: UInt64 = 0
    /// TCP connections that never completed the hello.
    public var failedHandshakes: UInt64 = 0
    /// TCP links closed because of a length of zero or beyond the limit.
    public var brokenStreams: UInt64 = 0

    /// Starts at zero.
    public init() {}
}
