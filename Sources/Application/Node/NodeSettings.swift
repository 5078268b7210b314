/// What an operator decides about a node. The mesh's own constants are in ``Domain/MeshPolicy``.
public struct NodeSettings: Hashable, Sendable {
    /// What a node is there for.
    public enum Role: String, Hashable, Sendable {
        /// A person or a program talks through it.
        case member
        /// It only passes on what others say: no user identity, no chat.
        case relay
    }

    /// What the node is there for.
    public var role: Role
    /// Whether a relay that waits for its moment is given up when a neighbour was faster (spec: mesh §8). Off unless said:
    /// it saves two thirds of the frames and loses messages (ADR 13).
    public var cancelsRelays: Bool
    /// Whether the operator vouches for the wall clock: then nothing calls it wrong.
    public var trustsClock: Bool

    /// Gathers the settings.
    public init(role: Role = .member, cancelsRelays: Bool = false, trustsClock: Bool = false) {
        self.role = role
        self.cancelsRelays = cancelsRelays
        self.trustsClock = trustsClock
    }
}
