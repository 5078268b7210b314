import Domain
import Testing

@Suite("Fanout")
struct FanoutTests {
    private typealias Candidate = Fanout.Candidate

    private static let alice = PeerID(rawValue: 0xA)
    private static let bob = PeerID(rawValue: 0xB)

    private func link(
        _ name: String, _ peer: PeerID? = nil, preferred: Bool = false, excluded: Bool = false
    ) -> Candidate {
        Candidate(link: name, peer: peer, isPreferred: preferred, isExcluded: excluded)
    }

    private func links(_ prefix: String, _ numbers: ClosedRange<Int>) -> [Candidate] {
        numbers.map { link("\(prefix)\($0)") }
    }

    private func select(
        _ type: MessageType = .message, to target: PeerID? = nil, direct: Bool = false, collapses: Bool = true,
        seed: String = "message-1", opened: [Candidate] = [], accepted: [Candidate] = []
    ) -> [String] {
        let request = Fanout.Request(
            type: type, target: target, requiresDirect: direct, collapses: collapses, seed: Array(seed.utf8))
        return Fanout.selectLinks(request, opened: opened, accepted: accepted, using: PacketTools.cryptography)
    }

    // MARK: Step 1

    @Test("no link that is excluded is used, whoever the packet is for", arguments: [nil, alice, bob] as [PeerID?])
    func splitHorizon(target: PeerID?) {
        let opened = [link("p1", Self.alice, excluded: true), link("p2", excluded: true), link("p3")]
        let accepted = [link("c1", Self.alice, excluded: true), link("c2", excluded: true)]
        let isHeldBack = target == Self.alice
        #expect(select(to: target, opened: opened, accepted: accepted) == (isHeldBack ? [] : ["p3"]))
        let announce = select(.announce, to: target, collapses: false, opened: opened, accepted: accepted)
        #expect(announce == (isHeldBack ? [] : ["p3"]))
    }

    // MARK: Steps 2 to 4

    @Test("what is for a neighbour goes to the neighbour alone, on one link")
    func neighbour() {
        let opened = [link("p1", Self.bob), link("p2", Self.alice), link("p3", Self.alice), link("p4")]
        let accepted = [link("c1", Self.alice), link("c2", Self.bob), link("c3")]
        for type in [MessageType.noiseEncrypted, .courierEnvelope, .fragment, .message] {
            #expect(select(type, to: Self.alice, opened: opened, accepted: accepted) == ["p2"])
        }
        // Even where a broadcast would not be collapsed.
        #expect(select(to: Self.alice, collapses: false, opened: opened, accepted: accepted) == ["p2"])
        #expect(select(to: Self.alice, direct: true, opened: opened, accepted: accepted) == ["p2"])
        #expect(select(to: Self.alice, accepted: accepted) == ["c1"])
    }

    @Test("a neighbour's other link serves when its first may not be used")
    func secondLink() {
        let opened = [link("p1", Self.alice, preferred: true, excluded: true), link("p2", Self.alice)]
        let accepted = [link("c1", Self.alice)]
        #expect(select(to: Self.alice, opened: opened, accepted: accepted) == ["p2"])
        #expect(select(to: Self.alice, opened: [opened[0]], accepted: accepted) == ["c1"])
    }

    @Test("what must be direct and cannot be goes nowhere")
    func requiredDirect() {
        let opened = [link("p1", Self.bob), link("p2")]
        #expect(select(to: Self.alice, direct: true, opened: opened) == [])
        #expect(select(to: Self.alice, opened: opened) == ["p1", "p2"])
    }

    @Test("a neighbour whose only link may not be used gets nothing, and strangers neither")
    func onlyLinkIsIngress() {
        let strangers = [link("p1", Self.bob), link("p2")]
        #expect(
            select(.noiseEncrypted, to: Self.alice, opened: strangers + [link("p3", Self.alice, excluded: true)]) == [])
        let accepted = [link("c1", Self.alice, excluded: true)]
        #expect(select(.noiseEncrypted, to: Self.alice, opened: strangers, accepted: accepted) == [])
    }

    @Test("what is for somebody far goes on all links, never on a part", arguments: [bob, .broadcast])
    func far(target: PeerID) {
        let chosen = select(.noiseEncrypted, to: target, opened: links("p", 1...20), accepted: links("c", 1...20))
        #expect(chosen == (links("p", 1...20) + links("c", 1...20)).map(\.link))
    }

    @Test("with no link there is nothing to choose")
    func none() {
        #expect(select() == [])
        #expect(select(to: Self.alice) == [])
        #expect(select(.announce, collapses: false) == [])
    }

    // MARK: Step 5

    @Test("a peer's preferred link is used, wherever it stands")
    func preferred() {
        let opened = [link("p1", Self.alice), link("p2", Self.bob), link("p3", Self.alice, preferred: true)]
        #expect(select(opened: opened) == ["p2", "p3"])
    }

    @Test("without a preferred link the first that we opened is used")
    func first() {
        let opened = [link("p1", Self.alice), link("p2", Self.alice), link("p3", Self.bob)]
        #expect(select(opened: opened, accepted: [link("c1", Self.bob)]) == ["p1", "p3"])
        // The preferred one may be the one that must not be used.
        let excluded = [link("p1", Self.alice), link("p2", Self.alice, preferred: true, excluded: true)]
        #expect(select(opened: excluded) == ["p1"])
    }

    @Test("of the links that a peer opened the oldest is used, if we opened none")
    func oldest() {
        let accepted = [link("c1", Self.alice), link("c2", Self.alice), link("c3", Self.bob)]
        #expect(select(accepted: accepted) == ["c1", "c3"])
        #expect(select(opened: [link("p1", Self.alice)], accepted: accepted) == ["p1", "c3"])
    }

    @Test("unbound links always stay")
    func unbound() {
        let opened = [link("p1"), link("p2", Self.alice), link("p3")]
        let accepted = [link("c1"), link("c2", Self.alice), link("c3")]
        #expect(select(.announce, opened: opened, accepted: accepted) == ["p1", "p2", "p3", "c1", "c3"])
    }

    @Test("a stale, a preferred and a server link: one for what is broadcast, all for a direct announce")
    func announces() {
        let opened = [link("p1", Self.alice), link("p2", Self.alice, preferred: true)]
        let accepted = [link("c1", Self.alice)]
        #expect(select(opened: opened, accepted: accepted) == ["p2"])
        #expect(select(.announce, collapses: false, opened: opened, accepted: accepted) == ["p1", "p2", "c1"])
        #expect(select(.announce, opened: opened, accepted: accepted) == ["p2"])
    }

    // MARK: Steps 6 and 7

    @Test(
        "how many of n links are used",
        arguments: [
            (-1, 0), (0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (16, 5), (17, 6), (32, 6), (33, 7),
            (64, 7), (65, 8), (256, 9),
        ])
    func subsetSize(count: Int, expected: Int) { #expect(Fanout.subsetSize(of: count) == expected) }

    @Test("never more links than there are, and one more than the logarithm")
    func subsetFormula() {
        for count in 1...2000 {
            var logarithm = 0
            while 1 << logarithm < count { logarithm += 1 }
            #expect(Fanout.subsetSize(of: count) == min(count, logarithm + 1))
        }
    }

    @Test(
        "the published draws",
        arguments: [
            ("message-1", "p1 p2 p3 p5 p6 p7 p8", "p5 p8 p3 p2"),
            ("message-1", "c1 c2 c3 c4 c5 c6 c7 c8", "c6 c3 c8 c5"),
            ("1122334455667788-1-2-2cf24dba", "aa bb cc dd ee", "ee aa dd cc"),
        ])
    func draws(seed: String, names: String, expected: String) {
        let candidates = names.split(separator: " ").map { link(String($0)) }
        #expect(select(seed: seed, opened: candidates).joined(separator: " ") == expected)
        #expect(select(seed: seed, accepted: candidates).joined(separator: " ") == expected)
        // The draw is by name, not by place.
        #expect(select(seed: seed, opened: candidates.reversed()).joined(separator: " ") == expected)
    }

    @Test("links that we opened and others are drawn apart")
    func bothRoles() {
        let chosen = select(
            opened: ["p1", "p2", "p3", "p5", "p6", "p7", "p8"].map { link($0) }, accepted: links("c", 1...8))
        #expect(chosen == ["p5", "p8", "p3", "p2", "c6", "c3", "c8", "c5"])
    }

    @Test("fragments, announces and sync requests go on every link, all else on some")
    func subsetTypes() {
        for number in 0...255 {
            let type = MessageType(rawValue: UInt8(number))
            let takesAll = [.fragment, .announce, .requestSync].contains(type)
            #expect(select(type, opened: links("p", 1...7)).count == (takesAll ? 7 : 4))
        }
    }

    @Test("one packet takes the same links each time, another takes others")
    func stability() {
        let opened = links("p", 1...7)
        let chosen = (0..<50).map { select(seed: "message-\($0)", opened: opened) }
        #expect(chosen == (0..<50).map { select(seed: "message-\($0)", opened: opened) })
        #expect(Set(chosen.map { Set($0) }).count > 10)
        #expect(chosen.allSatisfy { $0.count == 4 })
        #expect(Set(chosen.joined()).count == 7)
    }

    @Test("the part is taken of what is left after exclusion and collapse")
    func subsetLast() {
        let opened = (1...10).map { link("p\($0)", PeerID(rawValue: UInt64($0 % 5)), excluded: $0 == 5) }
        // Five peers, of which the fifth has lost one of its two links.
        #expect(select(opened: opened).count == 4)
        #expect(Set(select(opened: opened)).isSubset(of: ["p1", "p2", "p3", "p4", "p10"]))
    }
}
