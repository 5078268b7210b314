/// On which links a packet leaves: never back where it came from, one link for each neighbour, and in a crowd only on some
/// of them, which are always the same for one packet.
///
/// Source: spec, mesh §9.
public enum Fanout {
    /// A usable link, as far as the choice needs to know it.
    public struct Candidate<Link: Hashable & Sendable>: Sendable {
        /// Which link.
        public let link: Link
        /// Its name in the draw of the subset, UTF-8: local, and the same for as long as the link lives.
        public let name: [UInt8]
        /// The peer that it is bound to.
        public let peer: PeerID?
        /// Whether it is its peer's preferred link; only one that we opened can be.
        public let isPreferred: Bool
        /// Whether the packet may not leave on it: it came in there, or from the peer that the link is bound to.
        public let isExcluded: Bool

        /// Describes a link.
        public init(link: Link, name: [UInt8], peer: PeerID?, isPreferred: Bool = false, isExcluded: Bool = false) {
            self.link = link
            self.name = name
            self.peer = peer
            self.isPreferred = isPreferred
            self.isExcluded = isExcluded
        }
    }

    /// What is to be sent.
    public struct Request: Sendable {
        /// The packet's type.
        public let type: MessageType
        /// Whom the packet is to reach, if it is one peer.
        public let target: PeerID?
        /// Whether it may go to nobody else.
        public let requiresDirect: Bool
        /// Whether one link per neighbour is enough; not for a direct announce, which is what binds links.
        public let collapses: Bool
        /// The packet's name, UTF-8: the seed of the subset (``DedupKey/text``).
        public let seed: [UInt8]

        /// Describes a packet.
        public init(
            type: MessageType, target: PeerID? = nil, requiresDirect: Bool = false, collapses: Bool = true,
            seed: [UInt8]
        ) {
            self.type = type
            self.target = target
            self.requiresDirect = requiresDirect
            self.collapses = collapses
            self.seed = seed
        }

        /// Whether only some of many links are used: fragments must all take the same ways, announces and sync requests
        /// concern every neighbour, and a directed packet has its way.
        var usesSubset: Bool { target == nil && type != .fragment && type != .announce && type != .requestSync }
    }

    /// Chooses the links. Where the target is a neighbour, its own are enough.
    ///
    /// - Parameters:
    ///   - opened: Links that we opened, in a fixed order.
    ///   - accepted: Links that neighbours opened, oldest first.
    /// - Returns: The chosen ones: first those that we opened, each part in its order, a subset in the order of its draw.
    public static func select<Link>(
        _ request: Request, opened: [Candidate<Link>], accepted: [Candidate<Link>],
        using cryptography: some Cryptography
    ) -> [Link] {
        let (near, far) = (opened.filter { !$0.isExcluded }, accepted.filter { !$0.isExcluded })
        if let target = request.target {
            let direct = collapse(near.filter { $0.peer == target }, far.filter { $0.peer == target })
            if !direct.opened.isEmpty || !direct.accepted.isEmpty {
                return (direct.opened + direct.accepted).map(\.link)
            }
            // The target is a neighbour whose links may not be used: strangers need not see the packet either.
            let isNeighbour = opened.contains { $0.peer == target } || accepted.contains { $0.peer == target }
            if request.requiresDirect || isNeighbour { return [] }
        }
        let remaining = request.collapses ? collapse(near, far) : (opened: near, accepted: far)
        guard request.usesSubset else { return (remaining.opened + remaining.accepted).map(\.link) }
        return subset(of: remaining.opened, seed: request.seed, using: cryptography)
            + subset(of: remaining.accepted, seed: request.seed, using: cryptography)
    }

    /// How many of `count` links are used, one more than the logarithm to base 2, rounded up: enough for every node to
    /// hear a packet, few enough for a crowd.
    public static func subsetSize(of count: Int) -> Int {
        count > 0 ? Int.bitWidth - (count - 1).leadingZeroBitCount + 1 : 0
    }

    /// One link for each bound peer: its preferred one, else the first that we opened, else the oldest that it opened;
    /// writes have a flow control for each link, notifications share one. Unbound links stay.
    private static func collapse<Link>(
        _ opened: [Candidate<Link>], _ accepted: [Candidate<Link>]
    ) -> (opened: [Candidate<Link>], accepted: [Candidate<Link>]) {
        var served: Set<PeerID> = []
        var preferred: Set<Link> = []
        for candidate in opened where candidate.isPreferred {
            if let peer = candidate.peer, served.insert(peer).inserted { preferred.insert(candidate.link) }
        }
        let kept = opened.filter { candidate in
            guard let peer = candidate.peer else { return true }
            return preferred.contains(candidate.link) || served.insert(peer).inserted
        }
        return (kept, accepted.filter { $0.peer.map { served.insert($0).inserted } ?? true })
    }

    /// The links whose names have the lowest digests behind the seed. Names differ, so digests do.
    private static func subset<Link>(
        of candidates: [Candidate<Link>], seed: [UInt8], using cryptography: some Cryptography
    ) -> [Link] {
        let size = subsetSize(of: candidates.count)
        guard size < candidates.count else { return candidates.map(\.link) }
        let prefix = seed + Array("::".utf8)
        var draw = candidates.map { candidate in
            let name = candidate.name
            return (digest: cryptography.sha256(prefix.span, name.span), link: candidate.link)
        }
        draw.sort { $0.digest < $1.digest }
        return draw.prefix(size).map(\.link)
    }
}
