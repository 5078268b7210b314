import Application
import Domain

/// What the air saw: one frame that a node sent, and what became of it.
public struct FrameInFlight {
    /// When it was handed over.
    public let sentAt: Uptime
    /// Who sent it.
    public let sender: Endpoint
    /// The sender's name for the link.
    public let senderLink: LinkID
    /// Who is at the other end.
    public let receiver: Endpoint
    /// The receiver's name for the link.
    public let receiverLink: LinkID
    /// The frame as it was sent.
    public let bytes: [UInt8]
    /// When it arrives: empty when it is lost, two times when it is doubled. A link that goes down earlier prevents it.
    public let arrivals: [Uptime]
    /// Whether a bit was flipped on the way.
    public let isCorrupted: Bool
}
