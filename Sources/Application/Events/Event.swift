import Domain

/// Something that users and scripts are told; kept in the event log under a rising sequence number.
public enum Event: Hashable, Sendable {
    /// A public message arrived, or one of ours was sent.
    case publicMessage(ChatMessage)
    /// A private message arrived, or one of ours was queued.
    case privateMessage(ChatMessage)
    /// The delivery status of one of our private messages or files changed.
    case status(MessageStatusChange)
    /// A file arrived and is on the disk.
    case file(ReceivedFile)
    /// A peer came, went or changed.
    case peer(PeerChange)
}

/// One chat message as users see it.
public struct ChatMessage: Hashable, Sendable {
    /// The stable public-message ID, or the private message's ID.
    public var id: String
    /// Who wrote it.
    public var sender: PeerID
    /// The sender's display name (spec: app §3.3); raw text, to be cleaned before a terminal sees it.
    public var senderName: String
    /// For private messages the other side: whom ours goes to, or who wrote theirs.
    public var peer: PeerID?
    /// The text, raw.
    public var text: String
    /// The sender's time.
    public var sentAt: WallTime
    /// Our time.
    public var receivedAt: WallTime
    /// Whether we wrote it.
    public var isOwn: Bool
    /// Part i of n, when a long private text was split (spec: app §6.2).
    public var part: Part?

    /// Which piece of a split text this is.
    public struct Part: Hashable, Sendable {
        /// 1...count.
        public let number: Int
        /// 2...9.
        public let count: Int
        /// Names a piece.
        public init(number: Int, count: Int) {
            self.number = number
            self.count = count
        }
    }

    /// Makes a message.
    public init(
        id: String, sender: PeerID, senderName: String, peer: PeerID? = nil, text: String, sentAt: WallTime,
        receivedAt: WallTime, isOwn: Bool, part: Part? = nil
    ) {
        self.id = id
        self.sender = sender
        self.senderName = senderName
        self.peer = peer
        self.text = text
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.isOwn = isOwn
        self.part = part
    }
}

/// A new delivery status of one of our messages.
public struct MessageStatusChange: Hashable, Sendable {
    /// The message.
    public var id: String
    /// The other side; `nil` for broadcast files.
    public var peer: PeerID?
    /// The status that now holds.
    public var status: DeliveryStatus
    /// When it came to hold.
    public var at: WallTime
    /// Makes a change.
    public init(id: String, peer: PeerID?, status: DeliveryStatus, at: WallTime) {
        self.id = id
        self.peer = peer
        self.status = status
        self.at = at
    }
}

/// A file that arrived and was accepted.
public struct ReceivedFile: Hashable, Sendable {
    /// An identifier: the packet's sync ID in hex.
    public var id: String
    /// Who sent it.
    public var sender: PeerID
    /// The sender's display name, raw.
    public var senderName: String
    /// Whether it came to us alone.
    public var isPrivate: Bool
    /// The name as sent, raw; `nil` when none was.
    public var name: String?
    /// The media type, lowercase.
    public var mime: String
    /// Content length in bytes.
    public var size: Int
    /// SHA-256 of the content.
    public var sha256: Bytes32
    /// Where it was written, absolute.
    public var path: String
    /// The sender's time.
    public var sentAt: WallTime
    /// Our time.
    public var receivedAt: WallTime
    /// Makes a record.
    public init(
        id: String, sender: PeerID, senderName: String, isPrivate: Bool, name: String?, mime: String, size: Int,
        sha256: Bytes32, path: String, sentAt: WallTime, receivedAt: WallTime
    ) {
        self.id = id
        self.sender = sender
        self.senderName = senderName
        self.isPrivate = isPrivate
        self.name = name
        self.mime = mime
        self.size = size
        self.sha256 = sha256
        self.path = path
        self.sentAt = sentAt
        self.receivedAt = receivedAt
    }
}

/// A change in who is here.
public struct PeerChange: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable {
        /// A direct neighbour, newly or again.
        case connected
        /// No link is left.
        case disconnected
        /// First heard of, through others.
        case appeared
        /// Not heard of any more, or it said goodbye.
        case left
        /// The nickname changed.
        case renamed
        /// An announce was refused because it names another key than the one we know: an alarm.
        case keyConflict
        /// A Noise session stands.
        case secured
    }
    /// What happened.
    public var kind: Kind
    /// Who.
    public var peer: PeerID
    /// The nickname now, raw.
    public var name: String
    /// Our time.
    public var at: WallTime
    /// Makes a change.
    public init(kind: Kind, peer: PeerID, name: String, at: WallTime) {
        self.kind = kind
        self.peer = peer
        self.name = name
        self.at = at
    }
}

/// An event with its place in the log.
public struct LoggedEvent: Hashable, Sendable {
    /// Rises by one with every event, across restarts; a cursor to resume from.
    public let sequence: UInt64
    /// The event.
    public let event: Event
    /// Makes an entry.
    public init(sequence: UInt64, event: Event) {
        self.sequence = sequence
        self.event = event
    }
}

/// Reads the event log. May be called from any thread, and may block on the disk: never from the core.
public protocol EventHistory: Sendable {
    /// At most `limit` events with a sequence above `sequence`, in order.
    func events(after sequence: UInt64, limit: Int) throws -> [LoggedEvent]
    /// The lowest and the highest sequence kept; `nil` when the log is empty.
    func bounds() throws -> ClosedRange<UInt64>?
}
