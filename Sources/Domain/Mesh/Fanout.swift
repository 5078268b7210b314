/// On which links a packet leaves: never back where it came from, one link for each neighbour, and in a crowd only on some
/// of them, which are always the same for one packet.
///
/// Source: spec, mesh §9.
public enum Fanout {
    /// A usable link, as far as the choice needs to know it; which one it is, the caller knows by its place.
    public struct Candidate: Sendable {
        /// Its name in the draw of the subset, UTF-8: local, and the same for as long as the link lives.
        public let name: [UInt8]
        /// The peer that it is bound to.
        public let peer: PeerID?
        /// Whether it is its peer's preferred link; only one that we opened can be.
        public let isPreferred: Bool
        /// Whether the packet may not leave on it: it came in there, or from the peer that the link is bound to.
        public let isExcluded: Bool

        /// Describes a link.
        public init(name: [UInt8], peer: PeerID?, isPreferred: Bool = false, isExcluded: Bool = false) {
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
    /// - Returns: The places of the chosen ones, those that neighbours opened counted on behind our own: first those that
    ///   we opened, each part in its order, a subset in the order of its draw.
    public static func select(
        _ request: Request, opened: [Candidate], accepted: [Candidate], using cryptography: some Cryptography
    ) -> [Int] {
        let links = opened + accepted
        let near = opened.indices.filter { !links[$0].isExcluded }
        let far = (opened.count..<links.count).filter { !links[$0].isExcluded }
        if let target = request.target {
            let (direct, second) = collapse(
                near.filter { links[$0].peer == target }, far.filter { links[$0].peer == target }, of: links)
            if !direct.isEmpty || !second.isEmpty { return direct + second }
            // The target is a neighbour whose links may not be used: strangers need not see the packet either.
            if request.requiresDirect || links.contains(where: { $0.peer == target }) { return [] }
        }
        let (ours, theirs) = request.collapses ? collapse(near, far, of: links) : (near, far)
        guard request.usesSubset else { return ours + theirs }
        return subset(of: ours, links, seed: request.seed, using: cryptography)
            + subset(of: theirs, links, seed: request.seed, using: cryptography)
    }

    /// How many of `count` links are used, one more than the logarithm to base 2, rounded up: enough for every node to
    /// hear a packet, few enough for a crowd.
    public static func subsetSize(of count: Int) -> Int {
        count > 0 ? Int.bitWidth - (count - 1).leadingZeroBitCount + 1 : 0
    }

    /// One link for each bound peer: its preferred one, else the first that we opened, else the oldest that it opened;
    /// writes have a flow control for each link, notifications share one. Unbound links stay.
    private static func collapse(_ near: [Int], _ far: [Int], of links: [Candidate]) -> (near: [Int], far: [Int]) {
        var served = Set<PeerID>(minimumCapacity: near.count + far.count)
        var isPreferred = [Bool](repeating: false, count: links.count)
        for place in near where links[place].isPreferred {
            if let peer = links[place].peer { isPreferred[place] = served.insert(peer).inserted }
        }
        let kept = near.filter { place in
            guard let peer = links[place].peer else { return true }
            return isPreferred[place] || served.insert(peer).inserted
        }
        return (kept, far.filter { links[$0].peer.map { served.insert($0).inserted } ?? true })
    }

    /// The links whose names have the lowest digests behind the seed. Names differ, so digests do.
    private static func subset(
        of places: [Int], _ links: [Candidate], seed: [UInt8], using cryptography: some Cryptography
    ) -> [Int] {
        let size = subsetSize(of: places.count)
        guard size < places.count else { return places }
        let prefix = seed + Array("::".utf8)
        // The lowest ones so far, in ascending order: few are kept of many.
        var drawn: [(digest: Bytes32, place: Int)] = []
        drawn.reserveCapacity(size + 1)
        for place in places {
            // Named, because the optimiser of Swift 6.3 refuses a span of an element's member.
            let name = links[place].name
            let digest = cryptography.sha256(prefix.span, name.span)
            let rank = (drawn.lastIndex { $0.digest < digest } ?? -1) + 1
            guard rank < size else { continue }
            drawn.insert((digest, place), at: rank)
            if drawn.count > size { drawn.removeLast() }
        }
        return drawn.map(\.place)
    }
}
