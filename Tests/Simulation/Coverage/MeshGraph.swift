import InMemory

/// Who is linked to whom, and who opened the link.
struct MeshGraph {
    /// How many nodes there are; they are numbered from 0.
    let count: Int
    /// The links, the opener first; no two join the same nodes.
    let links: [Link]
    /// The neighbours of each node, in ascending order.
    let neighbours: [[Int]]

    struct Link: Hashable {
        let opener: Int
        let other: Int
    }

    init(count: Int, links: [Link]) {
        self.count = count
        self.links = links
        var neighbours = [[Int]](repeating: [], count: count)
        for link in links {
            neighbours[link.opener].append(link.other)
            neighbours[link.other].append(link.opener)
        }
        self.neighbours = neighbours.map { $0.sorted() }
    }

    // MARK: Shapes

    /// A line; each node opens the link to the next one.
    static func chain(_ count: Int) -> MeshGraph {
        MeshGraph(count: count, links: (1..<count).map { Link(opener: $0 - 1, other: $0) })
    }

    /// A connected simple graph in which every node has `degree` links (an even number), half of them opened by it: a
    /// place where all hear all and everybody has as many links as the radio allows.
    ///
    /// Drawn by joining random free ends (Steger and Wormald), which is as good as uniform for degrees this small.
    static func randomRegular(_ count: Int, degree: Int, _ dice: SeededRandomness) -> MeshGraph {
        while true {
            guard let edges = joinFreeEnds(count, degree: degree, dice) else { continue }
            let graph = MeshGraph(count: count, links: oriented(edges, count: count))
            if graph.isConnected { return graph }
        }
    }

    /// Nodes strewn over a square hall, linked to whom they hear: the radius is the one that gives just the mean degree.
    /// Who opens a link is drawn. Connected.
    static func room(_ count: Int, meanDegree: Int, _ dice: SeededRandomness) -> MeshGraph {
        while true {
            let places = (0..<count).map { _ in (x: dice.fraction(), y: dice.fraction()) }
            var pairs: [(distance: Double, first: Int, second: Int)] = []
            for first in 0..<count {
                for second in first + 1..<count {
                    let (across, along) = (places[first].x - places[second].x, places[first].y - places[second].y)
                    pairs.append((across * across + along * along, first, second))
                }
            }
            pairs.sort { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
            let links = pairs.prefix(count * meanDegree / 2).map { pair in
                dice.chance(0.5)
                    ? Link(opener: pair.first, other: pair.second) : Link(opener: pair.second, other: pair.first)
            }
            let graph = MeshGraph(count: count, links: links)
            if graph.isConnected { return graph }
        }
    }

    /// Two random regular graphs and between them one node, the last one, with `doorLinks` links into each (an even
    /// number, half of them opened by it).
    static func twoRooms(of count: Int, degree: Int, doorLinks: Int, _ dice: SeededRandomness) -> MeshGraph {
        let door = 2 * count
        var links: [Link] = []
        for start in [0, count] {
            links += randomRegular(count, degree: degree, dice).links.map {
                Link(opener: $0.opener + start, other: $0.other + start)
            }
            let beside = dice.shuffled(Array(start..<start + count)).prefix(doorLinks)
            for (index, node) in beside.enumerated() {
                links.append(
                    index < doorLinks / 2 ? Link(opener: door, other: node) : Link(opener: node, other: door))
            }
        }
        return MeshGraph(count: door + 1, links: links)
    }

    // MARK: Questions

    /// Whether every node is reached from every other.
    var isConnected: Bool { reaches(without: []) }

    /// Whether any two nodes are joined by at least three paths that share nothing between their ends: no two nodes cut
    /// the graph (Menger).
    var hasThreeDisjointPaths: Bool {
        guard count > 3, neighbours.allSatisfy({ $0.count >= 3 }) else { return false }
        for first in 0..<count {
            for second in first + 1..<count where !reaches(without: [first, second]) { return false }
        }
        return true
    }

    private func reaches(without removed: [Int]) -> Bool {
        var isKnown = [Bool](repeating: false, count: count)
        for node in removed { isKnown[node] = true }
        guard let start = isKnown.firstIndex(of: false) else { return true }
        isKnown[start] = true
        var (stack, left) = ([start], count - removed.count)
        while let node = stack.popLast() {
            left -= 1
            for neighbour in neighbours[node] where !isKnown[neighbour] {
                isKnown[neighbour] = true
                stack.append(neighbour)
            }
        }
        return left == 0
    }

    // MARK: Drawing

    /// Pairs of nodes, each node in `degree` of them; `nil` when the last free ends do not fit together.
    private static func joinFreeEnds(_ count: Int, degree: Int, _ dice: SeededRandomness) -> [(Int, Int)]? {
        var ends = (0..<count * degree).map { $0 / degree }
        var joined: Set<[Int]> = []
        var edges: [(Int, Int)] = []
        var failures = 0
        while !ends.isEmpty {
            let (first, second) = (dice.number(below: ends.count), dice.number(below: ends.count))
            let pair = [ends[first], ends[second]].sorted()
            guard first != second, pair[0] != pair[1], joined.insert(pair).inserted else {
                failures += 1
                if failures > 1000 { return nil }
                continue
            }
            failures = 0
            edges.append((pair[0], pair[1]))
            for place in [first, second].sorted(by: >) {
                ends.swapAt(place, ends.count - 1)
                ends.removeLast()
            }
        }
        return edges
    }

    /// Directs edges along closed walks, so that each node of even degree opens half of its links.
    private static func oriented(_ edges: [(Int, Int)], count: Int) -> [Link] {
        var waiting = [[Int]](repeating: [], count: count)
        for (index, edge) in edges.enumerated() {
            waiting[edge.0].append(index)
            waiting[edge.1].append(index)
        }
        var openers = [Int?](repeating: nil, count: edges.count)
        for start in 0..<count {
            var node = start
            while let edge = waiting[node].popLast() {
                guard openers[edge] == nil else { continue }
                openers[edge] = node
                node = edges[edge].0 == node ? edges[edge].1 : edges[edge].0
            }
        }
        return zip(edges, openers).map { edge, opener in
            opener == edge.1 ? Link(opener: edge.1, other: edge.0) : Link(opener: edge.0, other: edge.1)
        }
    }
}

extension SeededRandomness {
    /// The elements in a random order (Fisher and Yates).
    func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var shuffled = elements
        for last in stride(from: shuffled.count - 1, to: 0, by: -1) { shuffled.swapAt(last, number(below: last + 1)) }
        return shuffled
    }
}
