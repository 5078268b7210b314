import Domain
import Support
import Testing

@Suite("Topology")
struct TopologyTests {
    private let now = Uptime(milliseconds: 1_000_000)

    private func peer(_ number: Int) -> PeerID { PeerID(rawValue: UInt64(number)) }

    /// Nodes 1 to `count` in a line, each known to speak version 2.
    private func line(_ count: Int) -> Topology {
        var topology = Topology()
        for number in 1...count {
            let neighbours = [number - 1, number + 1].filter { (1...count).contains($0) }
            topology.update(peer(number), neighbours: neighbours.map { peer($0) }, at: now)
            topology.recordVersion(2, of: peer(number), at: now)
        }
        return topology
    }

    private func route(
        _ topology: Topology, _ start: Int, _ goal: Int, hops: Int = 4, version: UInt8? = 2, after age: Milliseconds = 0
    ) -> [Int]? {
        topology.route(
            from: peer(start), to: peer(goal), maximumHops: hops, minimumVersion: version, at: now + age
        )?.map { Int($0.rawValue) }
    }

    // MARK: Vectors

    private func nodes(_ vector: VectorCase) throws -> Topology {
        var topology = Topology()
        for node in try #require(vector.input.member("nodes").array) {
            // As the announce decoder has it: identifiers cut or filled to eight bytes, empty ones left out.
            let id = PeerID(fitting: try #require(node.member("id").hex))
            let age = Int64((try #require(node.member("age_s").double) * 1000).rounded())
            let neighbours = try #require(node.member("neighbors").array).compactMap(\.hex).filter { !$0.isEmpty }
            topology.update(
                id, neighbours: neighbours.map { PeerID(fitting: $0) },
                at: Uptime(milliseconds: now.milliseconds - age))
            if let version = node.member("observed_version").unsigned {
                topology.recordVersion(UInt8(version), of: id, at: now)
            }
        }
        return topology
    }

    @Test("vectors", arguments: Vectors.cases("topology", op: "route"))
    func vectors(vector: VectorCase) throws {
        let (from, goal) = (
            try #require(vector.input.member("from").hex), try #require(vector.input.member("to").hex)
        )
        guard !from.isEmpty, !goal.isEmpty else {
            #expect(vector.output.isNull)
            return
        }
        let topology = try nodes(vector)
        let (start, end) = (PeerID(fitting: from), PeerID(fitting: goal))
        let route = topology.route(
            from: start, to: end, maximumHops: Int(try #require(vector.input.member("max_hops").integer)),
            minimumVersion: vector.input.member("require_version").unsigned.map { UInt8($0) }, at: now)
        guard !vector.output.isNull else {
            #expect(route == nil)
            return
        }
        let found = try #require(route)
        let hops = try #require(vector.output.member("hops").integer)
        #expect(Int64(found.count) == hops)
        if vector.output.member("unique").bool == true {
            #expect(found.map(\.hex) == vector.output.member("route").array?.compactMap(\.string))
        } else {
            let path = [start] + found + [end]
            let confirmed = topology.edges.filter(\.isConfirmed).map { [$0.first, $0.second] }
            for (one, other) in zip(path, path.dropFirst()) { #expect(confirmed.contains([one, other].sorted())) }
        }
    }

    // MARK: Rules

    @Test("four nodes in between make a route of ours, five do not")
    func length() {
        #expect(route(line(6), 1, 6) == [2, 3, 4, 5])
        #expect(route(line(7), 1, 7) == nil)
        #expect(route(line(7), 1, 7, hops: 5) == [2, 3, 4, 5, 6])
    }

    @Test("neighbours and oneself need no hops")
    func near() {
        #expect(route(line(3), 1, 2, hops: 0) == [])
        #expect(route(line(3), 1, 3, hops: 0) == nil)
        #expect(route(line(3), 1, 1) == [])
        #expect(route(Topology(), 8, 8) == [])
        #expect(route(line(3), 1, 2, hops: -1) == nil)
    }

    @Test("an edge that only one end claims leads nowhere", arguments: [1, 2, 3])
    func confirmation(silent: Int) {
        var topology = line(3)
        topology.update(peer(silent), neighbours: [], at: now)
        #expect(route(topology, 1, 3) == nil)
    }

    @Test("claims of 60 s ago no longer count, for start, hop or goal", arguments: [1, 2, 3])
    func freshness(stale: Int) {
        var topology = line(3)
        for number in 1...3 where number != stale {
            let neighbours = [number - 1, number + 1].filter { (1...3).contains($0) }
            topology.update(peer(number), neighbours: neighbours.map { peer($0) }, at: now + .seconds(30))
        }
        #expect(route(topology, 1, 3, after: 59_999) == [2])
        #expect(route(topology, 1, 3, after: 60_000) == nil)
    }

    @Test("hops and goal must have shown the version, the start need not")
    func versions() {
        func topology(without silent: Int) -> Topology {
            var topology = line(4)
            topology.remove(peer(silent))
            let neighbours = [silent - 1, silent + 1].filter { (1...4).contains($0) }
            topology.update(peer(silent), neighbours: neighbours.map { peer($0) }, at: now)
            return topology
        }
        #expect(route(topology(without: 1), 1, 4) == [2, 3])
        for silent in 2...4 {
            #expect(route(topology(without: silent), 1, 4) == nil)
            #expect(route(topology(without: silent), 1, 4, version: 1) == [2, 3])
            #expect(route(topology(without: silent), 1, 4, version: nil) == [2, 3])
        }
    }

    @Test("a version once seen is not unlearned by a lower one; version 1 teaches nothing")
    func highestVersion() {
        var topology = line(3)
        topology.recordVersion(3, of: peer(2), at: now)
        topology.recordVersion(2, of: peer(2), at: now)
        topology.recordVersion(1, of: peer(2), at: now)
        #expect(route(topology, 1, 2, version: 3) == [])
        #expect(route(topology, 1, 3, version: 3) == nil)
        var unseen = Topology(capacity: 1)
        unseen.recordVersion(1, of: peer(9), at: now)
        unseen.recordVersion(2, of: peer(2), at: now)
        unseen.update(peer(2), neighbours: [peer(1)], at: now)
        #expect(unseen.count == 1)
        #expect(route(unseen, 1, 2) == nil)
    }

    @Test("a later claim replaces the earlier one, and nobody is their own neighbour")
    func replacement() {
        var topology = line(3)
        topology.update(peer(2), neighbours: [peer(2), peer(3)], at: now)
        #expect(route(topology, 1, 3) == nil)
        #expect(route(topology, 2, 3) == [])
        #expect(topology.edges.allSatisfy { $0.first != $0.second })
        #expect(topology.edges.map(\.isConfirmed) == [false, true])
    }

    @Test("what is older than a minute is pruned, with its versions")
    func pruning() {
        var topology = line(3)
        topology.prune(at: now + .seconds(60))
        #expect(topology.count == 3)
        topology.prune(at: now + 60_001)
        #expect(topology.count == 0)
        for number in 1...3 {
            topology.update(peer(number), neighbours: [peer(number - 1), peer(number + 1)], at: now + .seconds(61))
        }
        #expect(route(topology, 1, 3, after: .seconds(61)) == nil)
        #expect(route(topology, 1, 3, version: nil, after: .seconds(61)) == [2])
    }

    @Test("a full table takes no more nodes, and goes on hearing those it knows")
    func capacity() {
        var topology = Topology(capacity: 2)
        topology.update(peer(1), neighbours: [peer(2), peer(3)], at: now)
        topology.update(peer(2), neighbours: [], at: now)
        topology.update(peer(3), neighbours: [peer(1)], at: now)
        #expect(topology.count == 2)
        #expect(route(topology, 1, 3, version: nil) == nil)
        topology.update(peer(2), neighbours: [peer(1)], at: now)
        #expect(route(topology, 1, 2, version: nil) == [])
    }

    // MARK: Property

    /// Every way that the rules allow, longest ones included; the first is the shortest with the lowest identifiers.
    private func ways(_ graph: TopologyGraph, from start: Int, to goal: Int, hops: Int, version: UInt8) -> [[Int]] {
        var found: [[Int]] = []
        func extend(_ path: [Int]) {
            guard let last = path.last, path.count <= hops + 1, graph.isFresh(last) else { return }
            for next in 0..<graph.count where !path.contains(next) {
                guard graph.claims[last].contains(next), graph.claims[next].contains(last), graph.isFresh(next),
                    graph.versions[next] >= version
                else { continue }
                if next == goal { found.append(Array(path.dropFirst())) } else { extend(path + [next]) }
            }
        }
        extend([start])
        return found.sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count }
    }

    @Test("in any graph: the shortest of all ways, lowest identifiers first", arguments: 1...6 as ClosedRange<UInt64>)
    func bruteForce(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        var counts: Set<Int?> = []
        for _ in 0..<300 {
            let graph = TopologyGraph(count: 8, &generator)
            var topology = Topology()
            for node in 0..<graph.count {
                let time = Uptime(milliseconds: now.milliseconds - graph.ages[node])
                topology.update(peer(node), neighbours: graph.claims[node].map { peer($0) }, at: time)
                topology.recordVersion(graph.versions[node], of: peer(node), at: now)
            }
            let (start, goal) = (Int.random(in: 0..<4, using: &generator), Int.random(in: 4..<8, using: &generator))
            let (hops, version) = (Int.random(in: 0...5, using: &generator), UInt8.random(in: 1...2, using: &generator))
            let expected = ways(graph, from: start, to: goal, hops: hops, version: version).first
            #expect(route(topology, start, goal, hops: hops, version: version) == expected)
            topology.prune(at: now)
            #expect(route(topology, start, goal, hops: hops, version: version) == expected)
            counts.insert(expected?.count)
        }
        // The graphs are neither all connected nor all in pieces.
        #expect(counts.isSuperset(of: [nil, 0, 1, 2, 3]))
    }
}

/// What eight nodes or so claim of each other.
private struct TopologyGraph {
    let claims: [Set<Int>]
    let ages: [Int64]
    let versions: [UInt8]

    init(count: Int, _ generator: inout PacketTestGenerator) {
        var claims = [Set<Int>](repeating: [], count: count)
        for one in 0..<count {
            for other in (one + 1)..<count {
                let kind = Int.random(in: 0..<9, using: &generator)
                if kind < 3 || kind == 3 { claims[one].insert(other) }
                if kind < 3 || kind == 4 { claims[other].insert(one) }
            }
        }
        self.claims = claims
        ages = (0..<count).map { _ in
            [0, 0, 0, 0, 30_000, 59_999, 60_000, 61_000].randomElement(using: &generator) ?? 0
        }
        versions = (0..<count).map { _ in Int.random(in: 0..<6, using: &generator) == 0 ? 1 : 2 }
    }

    var count: Int { claims.count }

    func isFresh(_ node: Int) -> Bool { ages[node] < 60_000 }
}
