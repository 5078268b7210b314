import Domain
import Testing

/// The rules of spec mesh §9, step by step and as slowly as they are written there, to compare with.
private struct FanoutModel {
    typealias Candidate = Fanout.Candidate
    let opened: [Candidate]
    let accepted: [Candidate]

    private func collapse(_ near: [Candidate], _ far: [Candidate]) -> (near: [Candidate], far: [Candidate]) {
        guard (near + far).contains(where: { $0.peer != nil }) else { return (near, far) }
        var seen: Set<PeerID> = []
        var kept: [Candidate] = []
        for link in near where link.isPreferred {
            guard let peer = link.peer, seen.insert(peer).inserted else { continue }
            kept.append(link)
        }
        for link in near {
            guard let peer = link.peer else {
                kept.append(link)
                continue
            }
            if !link.isPreferred, seen.insert(peer).inserted { kept.append(link) }
        }
        let rest = far.filter { link in link.peer.map { seen.insert($0).inserted } ?? true }
        return (kept, rest)
    }

    private func subset(_ links: [Candidate], _ seed: String) -> [String] {
        var size = links.count
        if links.count > 2 {
            var bits = 0
            while (links.count - 1) >> bits > 0 { bits += 1 }
            size = min(links.count, max(1, bits + 1))
        }
        let drawn = links.map(\.link).sorted { digest(seed, $0).lexicographicallyPrecedes(digest(seed, $1)) }
        return Array(drawn.prefix(size))
    }

    private func digest(_ seed: String, _ link: String) -> [UInt8] {
        let text = Array("\(seed)::\(link)".utf8)
        return PacketTools.cryptography.sha256(text.span).bytes
    }

    func select(_ type: MessageType, _ target: PeerID?, direct: Bool, collapses: Bool, seed: String) -> Set<String> {
        let (near, far) = (opened.filter { !$0.isExcluded }, accepted.filter { !$0.isExcluded })
        if let target {
            let own = collapse(near.filter { $0.peer == target }, far.filter { $0.peer == target })
            let result = (own.near + own.far).map(\.link)
            if !result.isEmpty { return Set(result) }
            if direct || (opened + accepted).contains(where: { $0.peer == target }) { return [] }
        }
        let left = collapses ? collapse(near, far) : (near, far)
        if target != nil || [0x20, 0x01, 0x21].contains(type.rawValue) { return Set((left.0 + left.1).map(\.link)) }
        return Set(subset(left.0, seed) + subset(left.1, seed))
    }
}

@Suite("Fanout properties")
struct FanoutPropertyTests {
    private typealias Candidate = Fanout.Candidate

    /// Links of which some are bound to a few peers, at most one of each peer's preferred.
    private func links(_ prefix: String, _ generator: inout PacketTestGenerator) -> [Candidate] {
        var withPreferred: Set<PeerID> = []
        return (0..<Int.random(in: 0...24, using: &generator)).map { number in
            let peer: PeerID? =
                Int.random(in: 0..<3, using: &generator) == 0
                ? nil : PeerID(rawValue: UInt64.random(in: 1...9, using: &generator))
            let isPreferred =
                prefix == "p" && Bool.random(using: &generator)
                && peer.map { withPreferred.insert($0).inserted } ?? false
            return Candidate(
                link: "\(prefix)\(number)", peer: peer,
                isPreferred: isPreferred, isExcluded: Int.random(in: 0..<6, using: &generator) == 0)
        }
    }

    @Test("any links and packet: what the plain rules choose", arguments: 1...8 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        let types: [MessageType] = [.message, .announce, .fragment, .requestSync, .noiseEncrypted, .voiceFrame]
        for round in 0..<300 {
            let (opened, accepted) = (links("p", &generator), links("c", &generator))
            let request = Fanout.Request(
                type: types[round % types.count],
                target: Bool.random(using: &generator)
                    ? PeerID(rawValue: UInt64.random(in: 1...12, using: &generator)) : nil,
                requiresDirect: Bool.random(using: &generator), collapses: Bool.random(using: &generator),
                seed: Array("packet-\(round)".utf8))
            let chosen = Fanout.selectLinks(
                request, opened: opened, accepted: accepted, using: PacketTools.cryptography)
            let again = Fanout.selectLinks(
                request, opened: opened, accepted: accepted, using: PacketTools.cryptography)
            #expect(chosen == again)
            #expect(Set(chosen).count == chosen.count)
            let expected = FanoutModel(opened: opened, accepted: accepted).select(
                request.type, request.target, direct: request.requiresDirect, collapses: request.collapses,
                seed: "packet-\(round)")
            #expect(Set(chosen) == expected)
            expectSplitHorizon(chosen, opened + accepted, collapsed: request.collapses)
        }
    }

    private func expectSplitHorizon(_ chosen: [String], _ candidates: [Candidate], collapsed: Bool) {
        let used = candidates.filter { chosen.contains($0.link) }
        #expect(used.count == chosen.count)
        #expect(used.allSatisfy { !$0.isExcluded })
        let peers = used.compactMap(\.peer)
        #expect(!collapsed || Set(peers).count == peers.count)
    }
}
