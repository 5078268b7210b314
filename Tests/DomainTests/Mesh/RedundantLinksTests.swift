import Domain
import Testing

@Suite("Several links that we opened to one peer (spec: mesh §13.3)")
struct RedundantLinksTests {
    /// Links as (number, writable, time it came up).
    private func survivor(
        _ links: [(Int, Bool, Int64?)], ingress: Int? = nil, preferred: Int? = nil, retiredAt: Int64? = nil,
        at now: Int64 = 1_000_000
    ) -> Int? {
        RedundantLinks.survivor(
            among: links.map {
                RedundantLinks.Candidate(
                    link: $0.0, isWritable: $0.1, connectedAt: $0.2.map { Uptime(milliseconds: $0) })
            }, ingress: ingress, preferred: preferred, retiredAt: retiredAt.map { Uptime(milliseconds: $0) },
            at: Uptime(milliseconds: now))
    }

    @Test("1: fewer than two links, nothing to do")
    func few() {
        #expect(survivor([]) == nil)
        #expect(survivor([(1, true, 10)], ingress: 1, preferred: 1) == nil)
    }

    @Test("2: only writable links can stay, as long as there is one")
    func writable() {
        #expect(survivor([(1, true, 20), (2, false, 10)], ingress: 2, preferred: 2) == 1)
        #expect(survivor([(1, false, 10), (2, false, 20)], ingress: 1) == 2)
    }

    @Test("3: the newest is not writable yet: nobody goes (case 32)")
    func discovering() {
        #expect(survivor([(1, true, 10), (2, false, 20)], ingress: 1, preferred: 1) == nil)
        #expect(survivor([(1, true, 10), (2, true, 15), (3, false, 20)], ingress: 1, preferred: 1) == nil)
        #expect(survivor([(1, true, nil), (2, false, 20)], ingress: 1, preferred: 1) == nil)
    }

    @Test("3: a newest that shares its time with a writable one does not hold the decision up")
    func discoveringTogether() { #expect(survivor([(1, true, 20), (2, false, 20)], ingress: 2) == 1) }

    @Test("4: the newest stays, whatever the announce came in on")
    func newest() {
        #expect(survivor([(1, true, 10), (2, true, 20), (3, true, 15)], ingress: 1, preferred: 3) == 2)
        #expect(survivor([(1, true, nil), (2, true, 20)], ingress: 1, preferred: 1) == 2)
    }

    @Test("4: of several newest ones the ingress link stays, then the preferred one, then the lowest")
    func ties() {
        let links: [(Int, Bool, Int64?)] = [(4, true, 20), (3, true, 20), (2, true, 20), (1, true, 10)]
        #expect(survivor(links, ingress: 4, preferred: 3) == 4)
        #expect(survivor(links, ingress: 1, preferred: 3) == 3)
        #expect(survivor(links, ingress: 9, preferred: 1) == 2)
        #expect(survivor(links) == 2)
    }

    @Test("5: without times the ingress link stays, then the preferred one, else nobody goes")
    func timeless() {
        let links: [(Int, Bool, Int64?)] = [(1, true, nil), (2, true, nil), (3, false, nil)]
        #expect(survivor(links, ingress: 2, preferred: 1) == 2)
        #expect(survivor(links, ingress: 3, preferred: 1) == 1)
        #expect(survivor(links, ingress: 3, preferred: 3) == nil)
        #expect(survivor(links) == nil)
    }

    @Test("6: once a minute at most for one peer")
    func cooldown() {
        let links: [(Int, Bool, Int64?)] = [(1, true, 10), (2, true, 20)]
        #expect(survivor(links, retiredAt: 940_001) == nil)
        #expect(survivor(links, retiredAt: 940_000) == 2)
    }

    @Test("the order in which the links are given does not matter")
    func order() {
        let links: [(Int, Bool, Int64?)] = [(1, true, 10), (2, true, 20), (3, true, 20), (4, false, 20)]
        #expect(survivor(links) == 2)
        #expect(survivor(links.reversed()) == 2)
    }
}
