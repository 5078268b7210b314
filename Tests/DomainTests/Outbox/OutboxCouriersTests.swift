import Domain
import Testing

@Suite("Couriers for our mail (spec: store-and-forward §1.4)")
struct OutboxCouriersTests {
    private static let recipient = OutboxProbe.noiseKey(0xB0)

    private static func peer(
        _ byte: UInt8, isConnected: Bool = true, isVerified: Bool = true, isMutual: Bool = false,
        isBlocked: Bool = false, capabilities: Capabilities? = nil
    ) -> CourierCandidate {
        CourierCandidate(
            peer: PeerID(rawValue: UInt64(byte)), key: OutboxProbe.noiseKey(byte), isConnected: isConnected,
            isVerified: isVerified, isMutualFavorite: isMutual, isBlocked: isBlocked, capabilities: capabilities)
    }

    private func chosen(
        _ candidates: [CourierCandidate], for message: String = "m", heldBy: [UInt8] = []
    ) -> [UInt64] {
        CourierChoice.couriers(
            among: candidates, for: MessageID(message), to: Self.recipient, heldBy: heldBy.map(OutboxProbe.noiseKey)
        ).map(\.peer.rawValue)
    }

    @Test("blocked peers get nothing, favorites or not")
    func blocked() {
        // The reference gives them a copy, and so tells them that there is mail.
        #expect(chosen([Self.peer(1, isMutual: true, isBlocked: true), Self.peer(2, isBlocked: true)]) == [])
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", key: 0xB0))
        let time = OutboxProbe.time(OutboxProbe.now)
        #expect(probe.outbox.deposits(with: Self.peer(1, isMutual: true, isBlocked: true), at: time) == [])
        #expect(probe.outbox.deposits(with: Self.peer(1, isMutual: true), at: time).count == 1)
    }

    @Test("among equals those come first that speak of prekeys or vouching; a favorite comes before them still")
    func capable() {
        let android = Self.peer(1, capabilities: .privateMedia)
        let silent = Self.peer(2)
        let phones = [Self.peer(3, capabilities: .prekeys), Self.peer(4, capabilities: [.vouch, .groups])]
        #expect(Set(chosen([android, silent] + phones).prefix(2)) == [3, 4])
        let favorite = Self.peer(5, isMutual: true, capabilities: .privateMedia)
        #expect(chosen([android, silent] + phones + [favorite]).first == 5)
    }

    @Test("the choice does not depend on the order in which the peers are named")
    func order() {
        let peers = (1...20).map { Self.peer($0) }
        #expect(chosen(peers) == chosen(peers.reversed()))
        #expect(chosen(peers).count == 3)
    }

    @Test("many messages are spread over the couriers, since each takes only some")
    func spread() {
        let peers = (1...10).map { Self.peer($0) }
        var loads: [UInt64: Int] = [:]
        for number in 0..<100 {
            for peer in chosen(peers, for: "message \(number)") { loads[peer, default: 0] += 1 }
        }
        #expect(loads.count == 10)
        #expect(loads.values.allSatisfy { (10...60).contains($0) })
    }

    @Test("a key that two peers show gets one copy")
    func sameKey() {
        let twin = CourierCandidate(
            peer: PeerID(rawValue: 99), key: OutboxProbe.noiseKey(1), isConnected: true, isVerified: true,
            isMutualFavorite: true, isBlocked: false)
        #expect(chosen([Self.peer(1), twin, Self.peer(2)]).count == 2)
    }

    @Test("2: a message whose recipient is known by key finds its couriers once; without a key, or when gone, none")
    func forAMessage() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", key: 0xB0))
        probe.put(OutboxProbe.entry("unknown"))
        let peers = [Self.peer(1), Self.peer(0xB0)]
        let key = OutboxProbe.key("m")
        #expect(probe.outbox.couriers(for: key, among: peers).map(\.peer.rawValue) == [1])
        #expect(probe.deposited("m", with: [1])?.couriers == [OutboxProbe.noiseKey(1)])
        #expect(probe.outbox.couriers(for: key, among: peers).isEmpty)
        #expect(probe.outbox.couriers(for: OutboxProbe.key("unknown"), among: peers).isEmpty)
        #expect(probe.outbox.couriers(for: OutboxProbe.key("gone"), among: peers).isEmpty)
        #expect(probe.deposited("gone", with: [1]) == nil)
    }

    @Test("never more than three hold a message, and each is noted once")
    func slots() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", key: 0xB0))
        let time = OutboxProbe.time(OutboxProbe.now)
        for held in 0..<2 {
            #expect(probe.outbox.deposits(with: Self.peer(5), at: time).first?.couriers.count == held)
            probe.deposited("m", with: Array([1, 2].prefix(held + 1)))
        }
        #expect(probe.entry("m")?.courierSlots == 1)
        #expect(probe.deposited("m", with: [1, 1, 2])?.courierSlots == 1)
        #expect(probe.deposited("m", with: [3, 4])?.couriers == [1, 2, 3].map(OutboxProbe.noiseKey))
        #expect(probe.outbox.couriers(for: OutboxProbe.key("m"), among: [Self.peer(5)]).isEmpty)
    }

    @Test("9: a message put in again is not given to a courier that holds it")
    func again() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", key: 0xB0))
        probe.deposited("m", with: [1])
        probe.put(OutboxProbe.entry("m", key: 0xB0))
        let key = OutboxProbe.key("m")
        #expect(probe.outbox.couriers(for: key, among: [Self.peer(1), Self.peer(2)]).map(\.peer.rawValue) == [2])
        #expect(probe.outbox.deposits(with: Self.peer(1), at: OutboxProbe.time(OutboxProbe.now)) == [])
    }

    @Test("a key that becomes known later opens the way, for that peer's messages alone")
    func learned() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m1"))
        probe.put(OutboxProbe.entry("m2", key: 0xB0))
        probe.put(OutboxProbe.entry("m3", "carol"))
        let time = OutboxProbe.time(OutboxProbe.now)
        #expect(probe.outbox.deposits(with: Self.peer(1), at: time).map(\.id.text) == ["m2"])
        #expect(probe.learn(0xB0, of: "bob") == ["m1"])
        #expect(probe.learn(0xB0, of: "bob") == [])
        #expect(probe.learn(0xB0, of: "nobody") == [])
        #expect(probe.outbox.owners == ["bob", "carol"])
        #expect(probe.outbox.deposits(with: Self.peer(1), at: time).map(\.id.text) == ["m1", "m2"])
    }

    @Test("a courier that arrives gets first what fewest carry, then the oldest, in an order that never varies")
    func arrives() {
        let probe = OutboxProbe()
        let now = OutboxProbe.now
        probe.put(OutboxProbe.entry("two", "anna", at: now - 50, key: 0xA0, couriers: [7, 8]))
        probe.put(OutboxProbe.entry("none", "bob", at: now - 10, key: 0xB0))
        probe.put(OutboxProbe.entry("older", "zoe", at: now - 20, key: 0xD0))
        probe.put(OutboxProbe.entry("one", "anna", at: now - 60, key: 0xA0, couriers: [7]))
        probe.put(OutboxProbe.entry("equal", "anna", at: now - 20, key: 0xA0))
        let given = probe.outbox.deposits(with: Self.peer(1), at: OutboxProbe.time(now))
        #expect(given.map(\.id.text) == ["equal", "older", "none", "one", "two"])
    }

    @Test("what is full, confirmed or dropped is offered no more, and what lost its courier's place is not forgotten")
    func afterChanges() {
        let probe = OutboxProbe()
        let time = OutboxProbe.time(OutboxProbe.now)
        for id in ["m1", "m2", "m3"] { probe.put(OutboxProbe.entry(id, key: 0xB0)) }
        func offered() -> [String] { probe.outbox.deposits(with: Self.peer(9), at: time).map(\.id.text) }
        #expect(offered() == ["m1", "m2", "m3"])
        probe.deposited("m1", with: [1, 2, 3])
        #expect(probe.acknowledge("m2") == ["bob"])
        #expect(offered() == ["m3"])
        #expect(probe.expire(at: OutboxProbe.now + 86_401).count == 2)
        #expect(offered() == [])
        probe.put(OutboxProbe.entry("m4", key: 0xB0))
        #expect(offered() == ["m4"])
    }
}
