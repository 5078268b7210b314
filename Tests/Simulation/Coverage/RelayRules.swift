import Domain

/// The relay rules for an ordinary public message, written down a second time from the specification's tables, to judge
/// nodes by.
///
/// Source: spec, mesh §7 (row 7), §9.
struct RelayRules {
    let graph: MeshGraph

    /// The TTL with which a node of a given degree passes a copy on; `nil`: it does not.
    static func relayedTTL(_ ttl: UInt8, degree: Int) -> UInt8? {
        let row: [UInt8?] =
            degree <= 2
            ? [nil, nil, 1, 2, 3, 4, 5, 6] : degree <= 5 ? [nil, nil, 1, 2, 3, 4, 5, 5] : [nil, nil, 1, 2, 3, 4, 4, 4]
        return row[Int(min(ttl, 7))]
    }

    /// How many of `count` links a public message leaves on.
    static func fanout(_ count: Int) -> Int {
        switch count {
        case ...3: max(count, 0)
        case 4: 3
        case 5...8: 4
        case 9...16: 5
        case 17...32: 6
        default: 7
        }
    }

    /// The TTL with which a node sends the message on, seen from its first copy.
    private func sentTTL(of node: Int, in spread: Spread) -> UInt8? {
        if node == spread.origin { return MeshPolicy.originTTL }
        return spread.firstCopy(at: node).flatMap { Self.relayedTTL($0.ttl, degree: graph.neighbours[node].count) }
    }

    /// The nodes that must hold the message, by the rules and by what was drawn.
    ///
    /// Which copy comes first is a matter of jitter, and later copies are not relayed however far they could still go;
    /// which links a node takes is a matter of its own numbers for them. So what the TTL alone would allow on the graph
    /// is no promise. Exact is this: the writer's links carry the message; whoever got it passes its *first* copy on
    /// when the table says so, with the TTL of the table, over the links that it chose, and, where it was silent against
    /// the rules, over all of its links. A node that fails to relay, or relays with too low a TTL, leaves nodes
    /// uncovered that this set holds; one that relays what it must not covers nodes that are not in it.
    func allowed(_ spread: Spread) -> Set<Int> {
        var sent = [[Spread.Hop]](repeating: [], count: graph.count)
        for hop in spread.hops { sent[hop.sender].append(hop) }
        var allowed: Set<Int> = [spread.origin]
        var waiting = [spread.origin]
        while let node = waiting.popLast() {
            guard let ttl = sentTTL(of: node, in: spread) else { continue }
            let chosen = sent[node].filter { $0.ttl == ttl }.map(\.receiver)
            let source = spread.firstCopy(at: node)?.sender
            let next = chosen.isEmpty ? graph.neighbours[node].filter { $0 != source } : chosen
            for neighbour in next where allowed.insert(neighbour).inserted { waiting.append(neighbour) }
        }
        return allowed
    }

    /// What nodes did against the rules.
    ///
    /// - Parameter mayBeSilent: Whether a relay may have been given up because a neighbour was faster.
    func violations(_ spread: Spread, mayBeSilent: Bool = false) -> [String] {
        var sent = [[Spread.Hop]](repeating: [], count: graph.count)
        for hop in spread.hops { sent[hop.sender].append(hop) }
        return (0..<graph.count).flatMap { node in
            judge(sent[node], by: node, ttl: sentTTL(of: node, in: spread), spread, mayBeSilent: mayBeSilent)
        }
    }

    private func judge(
        _ hops: [Spread.Hop], by node: Int, ttl: UInt8?, _ spread: Spread, mayBeSilent: Bool
    ) -> [String] {
        guard let ttl else { return hops.isEmpty ? [] : ["node \(node) sent what it must not"] }
        if hops.isEmpty, mayBeSilent { return [] }
        var wrong: [String] = []
        if hops.contains(where: { $0.ttl != ttl }) { wrong.append("node \(node) sent another TTL than \(ttl)") }
        if Set(hops.map(\.receiver)).count != hops.count { wrong.append("node \(node) sent twice on one link") }
        let source = node == spread.origin ? nil : spread.firstCopy(at: node)?.sender
        if hops.contains(where: { $0.receiver == source }) { wrong.append("node \(node) sent back") }
        for isOutgoing in [true, false] {
            let links = graph.links.count {
                isOutgoing
                    ? $0.opener == node && $0.other != source : $0.other == node && $0.opener != source
            }
            let chosen = hops.count { $0.isOutgoing == isOutgoing }
            if chosen != Self.fanout(links) {
                wrong.append("node \(node) took \(chosen) of \(links) \(isOutgoing ? "opened" : "accepted") links")
            }
        }
        return wrong
    }

    // MARK: Models

    /// The nodes within reach of the TTL if every node got the copy with the most hops left first and sent on all links.
    func ball(around origin: Int) -> Set<Int> {
        var best = [UInt8](repeating: 0, count: graph.count)
        var waiting = [(node: origin, ttl: MeshPolicy.originTTL)]
        var next = 0
        while next < waiting.count {
            let (node, ttl) = waiting[next]
            next += 1
            for neighbour in graph.neighbours[node] where neighbour != origin && best[neighbour] < ttl {
                best[neighbour] = ttl
                if let onward = Self.relayedTTL(ttl, degree: graph.neighbours[neighbour].count) {
                    waiting.append((neighbour, onward))
                }
            }
        }
        return Set(best.indices.filter { best[$0] > 0 }).union([origin])
    }

    /// Naive flooding: every node sends its first copy on to all neighbours but the one that it came from, one hop less,
    /// without waiting; no frame is lost. How many nodes it covers, and how many frames are sent.
    func naiveFlood(from origin: Int) -> (covered: Int, frames: Int) {
        var ttl = [UInt8?](repeating: nil, count: graph.count)
        ttl[origin] = MeshPolicy.originTTL + 1
        var (queue, frames) = ([origin], 0)
        var next = 0
        while next < queue.count {
            let node = queue[next]
            next += 1
            guard let left = ttl[node], left > 1 else { continue }
            frames += graph.neighbours[node].count - (node == origin ? 0 : 1)
            for neighbour in graph.neighbours[node] where ttl[neighbour] == nil {
                ttl[neighbour] = left - 1
                queue.append(neighbour)
            }
        }
        return (queue.count, frames)
    }
}
