import Domain

/// Takes what is worth knowing now and not worth keeping: log lines and progress. Returns at once.
public protocol EventSink: AnyObject {
    /// Passes one notice on.
    func emit(_ notice: Notice)
}

/// Something worth knowing now and not worth keeping.
public enum Notice: Hashable, Sendable {
    /// A line for the log; never message text or keys.
    case log(LogLevel, String)
    /// Fragments of an outgoing file that have left.
    case fileProgress(id: String, sent: Int, total: Int)
    /// A ping was answered, or was not in time.
    case ping(PingResult)
}

/// How much a log line matters.
public enum LogLevel: String, Hashable, Sendable, Comparable {
    /// For whoever hunts a fault.
    case debug
    /// Normal life.
    case info
    /// Something is wrong and the node goes on.
    case warning
    /// Something failed that a person must mend.
    case error

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// Orders by weight.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

/// How a mesh ping ended (spec: mesh §18).
public struct PingResult: Hashable, Sendable {
    /// What ``Node/ping(_:)`` answered.
    public let id: UInt64
    /// Who was asked.
    public let peer: PeerID
    /// Round trip in milliseconds; `nil` when nothing came within 10 s.
    public let roundTrip: Int64?
    /// Hops; `nil` when unknown.
    public let hops: Int?
    /// Makes a result.
    public init(id: UInt64, peer: PeerID, roundTrip: Int64?, hops: Int?) {
        self.id = id
        self.peer = peer
        self.roundTrip = roundTrip
        self.hops = hops
    }
}
