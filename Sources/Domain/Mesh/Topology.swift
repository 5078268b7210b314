/// Who says that they are whose neighbour, as far as their verified announces tell.
///
/// An edge counts for routes only when both ends claim it, lately: one liar cannot draw traffic to itself.
///
/// Source: spec, mesh §16.
public struct Topology: Sendable {
    private struct Claim {
        var neighbours: [PeerID]
        var time: Uptime
    }

    private var claims: [PeerID: Claim] = [:]
    private var versions: [PeerID: (version: UInt8, time: Uptime)] = [:]
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most nodes whose claims, and as many whose versions, are kept; others are not taken then.
    public init(capacity: Int = MeshPolicy.maximumPeers) { self.capacity = capacity }

    /// The number of nodes whose claims are known.
    public var count: Int { claims.count }

    /// Takes what a node says of its neighbours, in place of what it said before.
    ///
    /// Nothing is said by an announce without a list: old claims then age out.
    public mutating func update(_ node: PeerID, neighbours: [PeerID], at now: Uptime) {
        guard claims[node] != nil || claims.count < capacity else { return }
        claims[node] = Claim(neighbours: Set(neighbours).subtracting([node]).sorted(), time: now)
    }

    /// Notes the version of a packet that a node wrote or passed on; only what is above 1 is worth noting.
    public mutating func recordVersion(_ version: UInt8, of node: PeerID, at now: Uptime) {
        guard version >= PacketPolicy.version2, versions[node] != nil || versions.count < capacity else { return }
        versions[node] = (max(version, versions[node]?.version ?? 0), now)
    }

    /// Forgets a node.
    public mutating func remove(_ node: PeerID) {
        claims[node] = nil
        versions[node] = nil
    }

    /// Forgets what is older than a minute; due in every maintenance tick.
    public mutating func prune(at now: Uptime) {
        claims = claims.filter { now - $0.value.time <= RelayPolicy.topologyFreshness }
        versions = versions.filter { now - $0.value.time <= RelayPolicy.topologyFreshness }
    }

    /// The shortest confirmed way between two nodes: its intermediate hops, none for neighbours or for one and the same
    /// node; `nil` when there is none. Of several the one with the lowest identifiers is taken.
    ///
    /// - Parameters:
    ///   - maximumHops: The most intermediate hops.
    ///   - minimumVersion: The packet version that hops and goal must have shown; `nil` asks for none.
    public func route(
        from start: PeerID, to goal: PeerID, maximumHops: Int, minimumVersion: UInt8?, at now: Uptime
    ) -> [PeerID]? {
        guard start != goal else { return [] }
        guard maximumHops >= 0 else { return nil }
        var previous: [PeerID: PeerID] = [start: start]
        var frontier = [start]
        for _ in 0...maximumHops {
            var next: [PeerID] = []
            for node in frontier {
                guard let claim = claims[node], isFresh(claim, at: now) else { continue }
                for neighbour in claim.neighbours where previous[neighbour] == nil {
                    guard isUsable(neighbour, from: node, minimumVersion, at: now) else { continue }
                    previous[neighbour] = node
                    if neighbour == goal { return hops(to: goal, from: start, previous) }
                    next.append(neighbour)
                }
            }
            guard !next.isEmpty else { return nil }
            frontier = next
        }
        return nil
    }

    /// Every edge that at least one end claims, in a fixed order.
    public var edges: [Edge] {
        var edges: Set<Edge> = []
        for (node, claim) in claims {
            for neighbour in claim.neighbours {
                let isConfirmed = claims[neighbour]?.neighbours.contains(node) ?? false
                edges.insert(Edge(node, neighbour, isConfirmed: isConfirmed))
            }
        }
        return edges.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    /// Two nodes of which at least one calls the other its neighbour.
    public struct Edge: Hashable, Sendable {
        /// The node with the lower identifier.
        public let first: PeerID
        /// The other one.
        public let second: PeerID
        /// Whether both say so.
        public let isConfirmed: Bool

        init(_ one: PeerID, _ other: PeerID, isConfirmed: Bool) {
            (first, second) = (min(one, other), max(one, other))
            self.isConfirmed = isConfirmed
        }
    }

    private func isFresh(_ claim: Claim, at now: Uptime) -> Bool { now - claim.time < RelayPolicy.topologyFreshness }

    private func isUsable(_ node: PeerID, from claimant: PeerID, _ minimumVersion: UInt8?, at now: Uptime) -> Bool {
        guard let claim = claims[node], isFresh(claim, at: now), claim.neighbours.contains(claimant) else {
            return false
        }
        return minimumVersion.map { (versions[node]?.version ?? PacketPolicy.version1) >= $0 } ?? true
    }

    private func hops(to goal: PeerID, from start: PeerID, _ previous: [PeerID: PeerID]) -> [PeerID] {
        var hops: [PeerID] = []
        var node = previous[goal]
        while let hop = node, hop != start {
            hops.append(hop)
            node = previous[hop]
        }
        return hops.reversed()
    }
}
