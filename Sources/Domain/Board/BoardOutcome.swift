/// What the board made of a packet, and how the board changed.
public struct BoardOutcome: Hashable, Sendable {
    /// What became of the packet.
    public let verdict: BoardVerdict
    /// What was put up; `nil` too when the packet was accepted and gave way at once, being the oldest of too many.
    public let added: BoardEntry?
    /// What is gone: run out, taken down by its author, or given way. To be deleted before ``added`` is written: a removal
    /// may have run out and come again.
    public let removed: [BoardKey]
}

/// What became of a packet.
public enum BoardVerdict: Hashable, Sendable {
    /// New and in order: relayed.
    case accepted
    /// Here already: relayed like a new one.
    case duplicate
    /// Not to be kept and not to be relayed.
    case rejected(BoardRefusal)

    /// Whether the packet is passed on.
    public var isRelayed: Bool {
        switch self {
        case .accepted, .duplicate: true
        case .rejected: false
        }
    }
}

/// Why the board refuses a packet.
public enum BoardRefusal: Hashable, Sendable {
    /// The payload cannot be read.
    case malformed
    /// The packet is longer than ``BoardPolicy/maximumFrameLength``.
    case tooLong
    /// The author's signature does not verify.
    case badSignature
    /// Its time is over.
    case expired
    /// It is dated further ahead than clocks disagree.
    case fromTheFuture
    /// Its author has taken it down.
    case takenDown
    /// Only the author may take a notice down.
    case notTheAuthor
}
