/// How much of one type is kept.
public struct GossipLimit: Hashable, Sendable {
    /// Packets.
    public var packets: Int
    /// Bytes of their frames together.
    public var bytes: Int

    /// States a limit.
    public init(packets: Int, bytes: Int) {
        self.packets = packets
        self.bytes = bytes
    }
}

/// How much of each type is kept for gossip.
public struct GossipLimits: Hashable, Sendable {
    /// One for each author.
    public var announces: GossipLimit
    /// Public messages.
    public var messages: GossipLimit
    /// Broadcast fragments.
    public var fragments: GossipLimit
    /// Broadcast files.
    public var files: GossipLimit
    /// Sealed messages of groups.
    public var groupMessages: GossipLimit
    /// One for each owner.
    public var prekeyBundles: GossipLimit

    /// States the limits.
    public init(
        announces: GossipLimit, messages: GossipLimit, fragments: GossipLimit, files: GossipLimit,
        groupMessages: GossipLimit, prekeyBundles: GossipLimit
    ) {
        self.announces = announces
        self.messages = messages
        self.fragments = fragments
        self.files = files
        self.groupMessages = groupMessages
        self.prekeyBundles = prekeyBundles
    }

    subscript(kind: GossipKind) -> GossipLimit {
        switch kind {
        case .announce: announces
        case .message: messages
        case .fragment: fragments
        case .fileTransfer: files
        case .groupMessage: groupMessages
        case .prekeyBundle: prekeyBundles
        }
    }
}
