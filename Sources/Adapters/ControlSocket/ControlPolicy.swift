import Domain

/// Limits of the control socket. Nobody but our own user gets this far; the limits keep one broken script from harming
/// the node and the other clients.
public struct ControlPolicy: Sendable {
    /// The longest line either side takes, in bytes. A file of 1 MiB in base64 with room to spare.
    public var lineLimit = 4 * 1024 * 1024
    /// Clients at once.
    public var maximumClients = 64
    /// Calls in one batch, whose answers wait for each other.
    public var maximumBatch = 256
    /// Requests of one client that wait for their answer at once.
    public var maximumPending = 4096
    /// Bytes that wait to be written to one client before it is cut off: someone who asks without reading.
    public var outboundLimit = 8 * 1024 * 1024
    /// Bytes that may wait for one subscriber before the next page of events is read: the log itself is its buffer.
    public var outboundLowWater = 256 * 1024
    /// How long a client may leave waiting bytes unread before it is cut off, in milliseconds. Five minutes, so that a
    /// script may work on one message for a while, and a forgotten one does not keep its place for ever.
    public var stallLimit = Milliseconds(5 * 60 * 1000)
    /// Events read from the log at once.
    public var pageSize = 256
    /// How long an accepting socket rests when the process has no file descriptors left, in milliseconds.
    public var acceptPause = Milliseconds(500)

    /// The usual limits.
    public init() {}
}
