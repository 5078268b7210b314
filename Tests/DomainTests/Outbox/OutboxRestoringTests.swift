import Domain
import Testing

@Suite("Outbox: what comes back from the disk (spec: store-and-forward §1.12)")
struct OutboxRestoringTests {
    @Test("stored entries come back as they were, durable, in the order of their times, and need no writing")
    func plain() {
        let probe = OutboxProbe()
        let stored = [
            OutboxProbe.entry("m2", at: 200, attempts: 3, key: 0xB0, couriers: [1, 2], isDurable: true),
            OutboxProbe.entry("c", "carol", at: 50, isDurable: true),
            OutboxProbe.entry("m1", at: 100, isDurable: true),
            OutboxProbe.entry("m3", at: 200, isDurable: true),
        ]
        let restoration = probe.restore(stored)
        #expect(restoration.changed == [] && restoration.dropped == [])
        #expect(probe.outbox.entries(of: "bob") == [stored[2], stored[0], stored[3]])
        #expect(probe.outbox.entries(of: "carol") == [stored[1]])
        #expect(probe.outbox.count == 4)
        #expect(!probe.isMarked("m1"))
        #expect(probe.committed("m1") == nil)
        #expect(probe.outbox.deposits(with: courier, at: OutboxProbe.time(300)).map(\.id.text) == ["m2"])
    }

    private let courier = CourierCandidate(
        peer: PeerID(rawValue: 9), key: OutboxProbe.noiseKey(9), isConnected: true, isVerified: true,
        isMutualFavorite: false, isBlocked: false)

    @Test("of a message that is in both, this run's fields count, the larger attempts, and both couriers")
    func merge() throws {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", at: 300, attempts: 1, couriers: [2, 3], content: "new"))
        probe.step("m", .proven, at: 300)
        let restoration = probe.restore([
            OutboxProbe.entry("m", at: 100, attempts: 5, key: 0xB0, couriers: [1, 2], content: "old")
        ])
        let merged = try #require(probe.entry("m"))
        #expect(merged.content == "new" && merged.timestamp == OutboxProbe.time(300))
        #expect(merged.sendAttempts == 5)
        #expect(merged.couriers == [1, 2, 3].map(OutboxProbe.noiseKey))
        #expect(merged.recipientKey == OutboxProbe.noiseKey(0xB0))
        #expect(merged.isDurable)
        #expect(restoration.changed == [merged])
        #expect(probe.isMarked("m"))

        let fewer = probe.restore([OutboxProbe.entry("m", at: 100, attempts: 2)])
        #expect(fewer.changed.map(\.sendAttempts) == [5])
    }

    @Test("13: with one new message and one receipt before the disk could be read, all but the confirmed one is there")
    func deferred() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("new", at: 300))
        // A receipt for what the node does not know yet; what collides with it elsewhere is not meant.
        #expect(probe.acknowledge("seen", by: ["bob", "bob-long"]) == [])
        let restoration = probe.restore(
            [
                OutboxProbe.entry("seen", at: 100), OutboxProbe.entry("unseen", at: 200),
                OutboxProbe.entry("seen", "carol", at: 100), OutboxProbe.entry("seen", "bob-long", at: 100),
            ], acknowledged: [OutboxProbe.key("seen"), OutboxProbe.key("seen", "bob-long")])
        #expect(probe.ids() == ["unseen", "new"])
        #expect(probe.outbox.owners == ["bob", "carol"])
        #expect(restoration.dropped == [])
    }

    @Test("beyond 100 for one peer the oldest are dropped, wherever they come from")
    func cap() {
        let probe = OutboxProbe()
        for number in 0..<60 { probe.put(OutboxProbe.entry("new\(number)", at: 1000 + UInt64(number))) }
        let restoration = probe.restore(
            (0..<60).reversed().map { OutboxProbe.entry("old\($0)", at: 100 + UInt64($0)) })
        #expect(restoration.dropped.map(\.entry.id.text) == (0..<20).map { "old\($0)" })
        #expect(restoration.dropped.allSatisfy { $0.reason == .overflow })
        #expect(probe.outbox.count == 100)
        #expect(probe.ids().first == "old20" && probe.ids().last == "new59")
    }

    @Test("beyond the room for all, the oldest of all are dropped")
    func capacity() {
        let probe = OutboxProbe(capacity: 3)
        let restoration = probe.restore([
            OutboxProbe.entry("b1", "bob", at: 5), OutboxProbe.entry("c1", "carol", at: 1),
            OutboxProbe.entry("b2", "bob", at: 2), OutboxProbe.entry("c2", "carol", at: 4),
            OutboxProbe.entry("d1", "dave", at: 3),
        ])
        #expect(restoration.dropped.map(\.entry.id.text) == ["c1", "b2"])
        #expect(probe.outbox.count == 3)
        #expect(probe.outbox.owners == ["bob", "carol", "dave"])
    }

    @Test("a message that comes later goes behind what was restored, also with an earlier time")
    func afterwards() {
        let probe = OutboxProbe()
        _ = probe.restore([OutboxProbe.entry("b", at: 200), OutboxProbe.entry("a", at: 100)])
        probe.put(OutboxProbe.entry("c", at: 50))
        #expect(probe.ids() == ["a", "b", "c"])
        #expect(probe.acknowledge("a") == ["bob"])
        #expect(probe.ids() == ["b", "c"])
        #expect(probe.entry("c")?.id.text == "c")
    }

    @Test("attempts go on where they stood: a restart gives a silent peer no new ones")
    func attempts() {
        let probe = OutboxProbe()
        _ = probe.restore([OutboxProbe.entry("m", attempts: 7)])
        #expect(probe.flush(.retained) == ["m"])
        #expect(probe.flush(.retained) == [])
        #expect(probe.dropped.map(\.reason) == [.attempts])
    }
}
