import Domain

/// A wake-up call as a value: what is due, not what to do. Equal timers replace each other.
public enum Timer: Hashable, Sendable {
    /// The five-second tick (spec: mesh §23).
    case maintenance
    /// A forced announce that waits for the throttle or a set-up delay.
    case announce
    /// A relay that waited its random while (spec: mesh §8).
    case relay(UInt64)
    /// A link has been up long enough for its neighbour to listen: what waits for a link can try it (spec: mesh §11).
    case linkSettled(LinkID)
    /// The next fragment of an outgoing train.
    case train(UInt64)
    /// An initiator waited too long for message 2 (spec: noise §4.4).
    case handshakeInitiator(PeerID)
    /// A responder waited too long for message 3.
    case handshakeResponder(PeerID)
    /// The end of the grace after completing as initiator.
    case handshakeGrace(PeerID)
    /// A bounded retry of a handshake (spec: noise §4.5).
    case handshakeRecovery(PeerID)
    /// What was written to a peer should have been confirmed by now.
    case privateConfirmation(PeerID)
    /// A queue that a message rate limit held back.
    case privateQueue(PeerID)
    /// Time to give up what the outbox has kept too long (spec: store-and-forward §1.5).
    case outboxSweep
    /// A ping that was not answered.
    case ping(UInt64)
}
