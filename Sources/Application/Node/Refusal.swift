import Domain

/// Why the node did not do what it was asked.
public enum Refusal: Error, Hashable, Sendable {
    /// Nothing is left after trimming, or the argument makes no sense; says what is wrong.
    case invalid(String)
    /// The text exceeds a limit of the wire (spec: app §1.2, §6.2).
    case tooLong(bytes: Int, limit: Int)
    /// A private text would need more numbered parts than there may be (spec: app §6.2).
    case tooManyParts(bytes: Int, limit: Int)
    /// No peer answers to that name or identifier.
    case noSuchPeer(String)
    /// Several peers answer to that name.
    case ambiguous(String, candidates: [PeerID])
    /// No neighbour is in reach, so nobody would hear it.
    case nobodyHere
    /// The peer is known and cannot be reached now.
    case notReachable(PeerID)
    /// A queue of ours is full; says which.
    case busy(String)
    /// The wall clock is wrong, so receivers would drop it; says what shows that and what to do.
    case clockWrong(String)
    /// The node's rules forbid it; says which one.
    case forbidden(String)
}
