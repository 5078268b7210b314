/// The peers that our user does not want to hear: blocked by fingerprint, for as long as they keep their identity.
///
/// A block hides what they send; it is not told to anyone, and their packets are relayed like all others: refusing them
/// would tell the mesh who blocked whom. Bounded, and a block is never let go of to make room.
///
/// Source: spec, app §2.4.
public struct BlockedPeers: Sendable {
    /// A blocked peer.
    public struct Entry: Hashable, Sendable {
        /// Who.
        public let fingerprint: Fingerprint
        /// The peer's name when it was blocked, at most ``Nickname/maximumBytes`` bytes. [ours]: so that the list can be
        /// read, and a block lifted, while the peer is away.
        public let nickname: String
        /// Since when.
        public let since: WallTime

        /// Makes an entry; the name is cut to size at a character.
        public init(fingerprint: Fingerprint, nickname: String, since: WallTime) {
            self.fingerprint = fingerprint
            self.nickname = nickname.prefix(utf8Bytes: Nickname.maximumBytes)
            self.since = since
        }
    }

    /// What became of a wish to block.
    public enum Verdict: Hashable, Sendable {
        /// Done; the entry is to be written down.
        case blocked(Entry)
        /// It was blocked before.
        case already
        /// Too many are blocked.
        case full
    }

    /// How many may be blocked. [ours]: a person types each of them; a full list is refused rather than cut, since a block
    /// that ends by itself is a surprise of the worst kind.
    public static let maximumCount = 1000

    private var entries: [Fingerprint: Entry] = [:]
    private var short: Set<PeerID> = []

    /// Nobody is blocked.
    public init() {}

    /// Takes back what a store held. Beyond the bound the latest blocks are not taken.
    public init(restoring stored: [Entry]) {
        let ordered = stored.sorted { ($0.since, $0.fingerprint.digest) < ($1.since, $1.fingerprint.digest) }
        for entry in ordered where entries.count < Self.maximumCount && entries[entry.fingerprint] == nil {
            insert(entry)
        }
    }

    /// The number of blocked peers.
    public var count: Int { entries.count }

    /// Everyone blocked, in the order in which they were.
    public var all: [Entry] {
        entries.values.sorted { ($0.since, $0.fingerprint.digest) < ($1.since, $1.fingerprint.digest) }
    }

    /// Whether a peer is blocked.
    public func contains(_ fingerprint: Fingerprint) -> Bool { entries[fingerprint] != nil }

    /// Whether the peer with a short identifier is blocked: the first eight bytes of its fingerprint.
    public func contains(_ peer: PeerID) -> Bool { short.contains(peer) }

    /// Blocks a peer.
    ///
    /// - Parameter nickname: What the peer is called now; empty if nobody knows.
    public mutating func block(_ fingerprint: Fingerprint, nickname: String, at now: WallTime) -> Verdict {
        guard entries[fingerprint] == nil else { return .already }
        guard entries.count < Self.maximumCount else { return .full }
        let entry = Entry(fingerprint: fingerprint, nickname: nickname, since: now)
        insert(entry)
        return .blocked(entry)
    }

    /// Lifts a block.
    ///
    /// - Returns: The entry that is gone; `nil` when the peer was not blocked.
    public mutating func unblock(_ fingerprint: Fingerprint) -> Entry? {
        guard let entry = entries.removeValue(forKey: fingerprint) else { return nil }
        let peer = PeerID(fingerprint)
        // Whoever makes two identities with one short identifier does not free both.
        if !entries.keys.contains(where: { PeerID($0) == peer }) { short.remove(peer) }
        return entry
    }

    private mutating func insert(_ entry: Entry) {
        entries[entry.fingerprint] = entry
        short.insert(PeerID(entry.fingerprint))
    }
}
