import Domain

/// One link to a neighbour, for as long as it lives. Local; never on the wire, never used again.
public struct LinkID: Hashable, Comparable, Sendable {
    /// Rises with every link that a node opens.
    public let rawValue: UInt64
    /// Takes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Orders by age, oldest first.
    public static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }
}

/// What the node is told about a link that came up.
public struct LinkDescription: Hashable, Sendable {
    /// Which link.
    public let id: LinkID
    /// The largest frame that the link carries, in bytes.
    public let frameLimit: Int
    /// Whether we opened it (a client link in the words of the specification) or the neighbour did.
    public let isOutgoing: Bool
    /// How a person would name the link, for `status` and the log: `air:/run/…`, `tcp:192.0.2.1:4000`.
    public let name: String
    /// Who is at the far end as far as the adapter knows, a Bluetooth address, for limits that must survive a reconnect;
    /// `nil` where there is nothing to know, as on a socket: then such limits do not apply.
    public let device: String?

    /// Describes a link.
    public init(id: LinkID, frameLimit: Int, isOutgoing: Bool, name: String, device: String? = nil) {
        self.id = id
        self.frameLimit = frameLimit
        self.isOutgoing = isOutgoing
        self.name = name
        self.device = device
    }
}

/// What became of a frame that was handed to a link.
public enum SendOutcome: Hashable, Sendable {
    /// The link took it and will send it, unless the link goes down first.
    case accepted
    /// The link's queue is full; the frame was not taken. ``Node/linkWritable(_:)`` follows.
    case full
    /// There is no such link (any more), or the frame exceeds its limit.
    case refused
}

/// Carries frames to neighbours. Links report to the node: up, down, frame, writable again.
public protocol LinkLayer: AnyObject {
    /// Hands over one whole frame and returns at once; frames on one link keep their order.
    func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome
    /// Closes a link; ``Node/linkDown(_:)`` follows.
    func close(_ link: LinkID)
    /// A train of so many fragments, more than ``RadioPolicy/unpausedTrain``, follows: a radio that also listens for new
    /// neighbours should not do so meanwhile, since listening takes the air time that the train needs (spec: mesh §19).
    func trainStarts(of count: Int)
}

extension LinkLayer {
    /// Nothing: a link that is no radio listens for nobody.
    public func trainStarts(of count: Int) {}
}
