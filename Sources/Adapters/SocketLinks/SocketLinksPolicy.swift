/// The tunables of the socket links. Times in milliseconds.
public struct SocketLinksPolicy: Sendable {
    /// The largest frame, in bytes. A whole fragment or file chunk fits many times over; it bounds what one neighbour can
    /// make us allocate before a single byte has been judged.
    public var frameLimit = 65_536
    /// What may wait on one link, in bytes (spec: mesh §20): a neighbour that does not read costs this much and no more.
    public var queueLimit = 1_000_000
    /// Links and handshakes at once. With full queues they take 64 MB, which a Raspberry Pi Zero 2 W can spare.
    public var maximumLinks = 64
    /// Of those, how many from one remote address (IPv6: one /64, all of which a single host owns), so that one host
    /// cannot take every place; more than one, because a household may sit behind one address.
    public var maximumLinksPerAddress = 8
    /// Frames read from, and written to, one link before the others get their turn.
    public var framesPerTurn = 16
    /// How long a TCP neighbour may take for its hello: seconds of a bad mobile link, not the minutes of a port scanner.
    public var handshakeTimeout: Int64 = 10_000
    /// How long one address may take to answer a connection, before the next address of that name is tried.
    public var connectTimeout: Int64 = 15_000
    /// The first pause before a lost TCP connection is tried again; it doubles from there.
    public var firstReconnect: Int64 = 1_000
    /// The longest pause between two tries of a TCP connection.
    public var longestReconnect: Int64 = 60_000
    /// The first pause before a lost neighbour in an air directory is dialled again: it is on this machine, and cheap.
    public var firstRedial: Int64 = 100
    /// The longest pause between two dials of one neighbour in an air directory.
    public var longestRedial: Int64 = 10_000
    /// A link that lived this long was a good one: the pauses start from the shortest again.
    public var steadyAfter: Int64 = 10_000
    /// How often an air directory is read again although nothing was reported: mends whatever a notice missed.
    public var rescanInterval: Int64 = 30_000
    /// The same where the kernel reports nothing (no inotify instance left): then this is how neighbours are found.
    public var blindRescanInterval: Int64 = 2_000
    /// Connections that may wait to be accepted.
    public var backlog: Int32 = 64
    /// How long a listener rests when the process has no descriptor left, instead of spinning.
    public var acceptPause: Int64 = 1_000
    /// TCP keepalive: silence before the first probe, in seconds. Shorter than the minute after which home routers
    /// start to forget a mapping.
    public var keepaliveIdle: Int32 = 30
    /// TCP keepalive: between probes, in seconds.
    public var keepaliveInterval: Int32 = 10
    /// TCP keepalive: unanswered probes before the link is dead.
    public var keepaliveProbes: Int32 = 3
    /// How long sent bytes may stay unacknowledged before the link is dead.
    public var unacknowledgedTimeout: Int32 = 60_000

    /// The values above.
    public init() {}
}
