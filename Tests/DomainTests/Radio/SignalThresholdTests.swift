import Domain
import Testing

@Suite("How near a device must be (spec: mesh §21)")
struct SignalThresholdTests {
    @Test("-90 dBm at first, exclusive")
    func initial() {
        let threshold = SignalThreshold()
        #expect(threshold.decibels == -90)
        #expect(threshold.passes(-89))
        #expect(!threshold.passes(-90))
    }

    @Test(
        "with neighbours -90, or -85 with six links or a hundred candidates",
        arguments: [(5, 99, -90), (6, 0, -85), (0, 100, -85), (6, 100, -85), (0, 0, -90)] as [(Int, Int, Int8)])
    func neighbours(links: Int, candidates: Int, expected: Int8) {
        var threshold = SignalThreshold()
        threshold.adapt(degree: 1, outgoingLinks: links, candidates: candidates, at: Uptime(milliseconds: 0))
        #expect(threshold.decibels == expected)
    }

    @Test("alone -95, and -100 once alone for more than 30 s, however full the queue is")
    func alone() {
        var threshold = SignalThreshold()
        for (time, expected) in [(1000, -95), (31_000, -95), (31_001, -100), (90_000, -100)] as [(Int64, Int8)] {
            threshold.adapt(degree: 0, outgoingLinks: 6, candidates: 100, at: Uptime(milliseconds: time))
            #expect(threshold.decibels == expected)
        }
    }

    @Test("company ends the isolation, and the wait starts anew after it")
    func company() {
        var threshold = SignalThreshold()
        for (time, degree, expected) in [
            (0, 0, -95), (40_000, 0, -100), (41_000, 1, -90), (42_000, 0, -95), (72_000, 0, -95), (72_001, 0, -100),
        ] as [(Int64, Int, Int8)] {
            threshold.adapt(degree: degree, outgoingLinks: 0, candidates: 0, at: Uptime(milliseconds: time))
            #expect(threshold.decibels == expected)
        }
    }
}

@Suite("Links that we may open (spec: mesh §21, ble-gatt §5)")
struct LinkBudgetTests {
    @Test("six at most, however many the controller carries")
    func phones() {
        let budget = LinkBudget(controllerLinks: 32)
        #expect(budget.allowsOutgoing(outgoing: 5, incoming: 0))
        #expect(!budget.allowsOutgoing(outgoing: 6, incoming: 0))
        #expect(budget.allowsOutgoing(outgoing: 5, incoming: 26))
        #expect(!budget.allowsOutgoing(outgoing: 5, incoming: 27))
    }

    @Test("two links stay free for neighbours; those that they opened use them up")
    func reserve() {
        let budget = LinkBudget(controllerLinks: 7)
        #expect(budget.reserved == 2)
        #expect(budget.allowsOutgoing(outgoing: 4, incoming: 0))
        #expect(!budget.allowsOutgoing(outgoing: 5, incoming: 0))
        #expect(budget.allowsOutgoing(outgoing: 4, incoming: 2))
        #expect(!budget.allowsOutgoing(outgoing: 4, incoming: 3))
    }

    @Test(
        "a small controller reserves half at most, so that it can reach out",
        arguments: [(0, 0, false), (1, 0, true), (2, 1, true), (3, 1, true), (4, 2, true), (-1, 0, false)]
            as [(Int, Int, Bool)])
    func small(links: Int, reserved: Int, canReachOut: Bool) {
        let budget = LinkBudget(controllerLinks: links)
        #expect(budget.reserved == reserved)
        #expect(budget.allowsOutgoing(outgoing: 0, incoming: 0) == canReachOut)
    }
}
