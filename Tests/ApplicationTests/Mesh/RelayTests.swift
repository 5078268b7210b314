import Application
import Domain
import InMemory
import Testing

/// What a relay does with other people's packets, and when (spec: mesh §7, §8, §11).
@Suite("Passing packets on")
struct RelayTests {
    private let world = RealWorld.real(seed: 6)

    /// A node in the middle and neighbours who keep no rules around it; the first one is the one that speaks.
    private func star(_ count: Int, settings: NodeSettings = NodeSettings()) -> (hub: RealMember, around: [Stranger]) {
        let hub = world.addNode("hub", settings: settings)
        let around = (0..<count).map { Stranger(world, seed: UInt64(100 + $0)) }
        for (number, stranger) in around.enumerated() {
            _ = stranger.join(hub)
            stranger.send(stranger.announce(name: "stranger\(number)"))
        }
        world.time.run(for: .seconds(2))
        for stranger in around { stranger.heard.removeAll() }
        return (hub, around)
    }

    private func copies(of text: String, at strangers: some Sequence<Stranger>) -> [PacketView] {
        strangers.flatMap(\.heard).compactMap { PacketView($0) }.filter {
            $0.type == .message && Array($0.payloadSection) == Array(text.utf8)
        }
    }

    @Test("waits for a random while of its class, and takes as many hops off as the place is dense")
    func waits() {
        let (_, around) = star(7)
        around[0].send(around[0].message("hello"))
        world.time.run(for: 1 + 79)
        #expect(copies(of: "hello", at: around).isEmpty)
        world.time.run(for: 1 + 180)
        let heard = copies(of: "hello", at: around)
        #expect(!heard.isEmpty)
        #expect(heard.allSatisfy { $0.ttl == 4 })
        // Accepted links: four of the six others, and never the one that it came from.
        #expect(heard.count == 4)
        #expect(copies(of: "hello", at: around.prefix(1)).isEmpty)
    }

    @Test(
        "is given up when a neighbour was faster, from three neighbours on, where the operator says so",
        arguments: [2, 3])
    func cancelled(neighbours: Int) {
        let (hub, around) = star(neighbours, settings: NodeSettings(cancelsRelays: true))
        let message = around[0].message("hello")
        around[0].send(message)
        world.time.run(for: 5)
        // The copy that another neighbour passes on, with its own TTL.
        var copy = message
        copy.ttl = 6
        around[1].send(copy, signingWith: around[0].keys.signing)
        world.time.run(for: 300)
        let isGivenUp = neighbours > RelayPolicy.chainDegree
        #expect(hub.counter(.relaysCancelled) == (isGivenUp ? 1 : 0))
        #expect(copies(of: "hello", at: around).isEmpty == isGivenUp)
        #expect(hub.publicTexts == ["hello"])
    }

    @Test("is not given up otherwise")
    func notCancelled() {
        let (hub, around) = star(4)
        let message = around[0].message("hello")
        around[0].send(message)
        world.time.run(for: 5)
        around[1].send(message)
        world.time.run(for: 300)
        #expect(hub.counter(.relaysCancelled) == 0)
        #expect(!copies(of: "hello", at: around).isEmpty)
    }

    @Test("goes to the recipient alone where it is a neighbour")
    func directed() {
        let (_, around) = star(4)
        let packet = Packet(
            type: .ping, ttl: 7, timestamp: around[0].now, sender: around[0].id, recipient: around[2].id,
            payload: Array(repeating: 7, count: 9))
        around[0].send(packet)
        world.time.run(for: 100)
        let heard = around.map { stranger in
            stranger.heard.compactMap { PacketView($0) }.count { $0.type == .ping }
        }
        #expect(heard == [0, 0, 1, 0])
    }

    @Test("of an unknown type goes to all like an ordinary broadcast; a sync request never")
    func types() {
        let (hub, around) = star(2)
        let unknown = Packet(
            type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: around[0].now, sender: around[0].id, payload: [1])
        around[0].send(unknown)
        let request = Packet(
            type: .requestSync, ttl: 7, timestamp: around[0].now, sender: around[0].id, payload: [1, 2, 3])
        around[0].send(request)
        world.time.run(for: 100)
        let types = around[1].heard.compactMap { PacketView($0)?.type }
        #expect(types.contains(MessageType(rawValue: 0x7E)))
        #expect(!types.contains(.requestSync))
        #expect(hub.counter(.framesRelayed) >= 1)
    }

    @Test("of a session waits up to a minute for a link when none leads on, in its order")
    func spooled() {
        let (hub, around) = star(1)
        defer { withExtendedLifetime(around) {} }
        let recipient = Stranger(world, seed: 300)
        for number in UInt8(0)..<10 {
            around[0].send(
                Packet(
                    type: .noiseEncrypted, ttl: 7, timestamp: around[0].now.adding(Milliseconds(Int64(number))),
                    sender: around[0].id, recipient: recipient.id, payload: [number, 1, 2, 3]))
        }
        world.time.run(for: .seconds(40))
        #expect(hub.counter(.packetsSpooled) == 10)
        _ = recipient.join(hub)
        recipient.send(recipient.announce(name: "recipient"))
        world.time.run(for: .seconds(12))
        let order = recipient.heard.compactMap { PacketView($0) }.filter { $0.type == .noiseEncrypted }
            .compactMap(\.payloadSection.first)
        #expect(order == Array(0..<10))
        // Nothing of it goes back to where it came from.
        #expect(!around[0].heard.contains { PacketView($0)?.type == .noiseEncrypted })
    }

    @Test("of a session is forgotten after a minute without a link")
    func spoolExpires() {
        let (hub, around) = star(1)
        defer { withExtendedLifetime(around) {} }
        let recipient = Stranger(world, seed: 300)
        around[0].send(
            Packet(
                type: .noiseHandshake, ttl: 7, timestamp: around[0].now, sender: around[0].id,
                recipient: recipient.id, payload: Array(repeating: 1, count: 32)))
        world.time.run(for: .seconds(70))
        #expect(hub.counter(.packetsSpooled) == 1)
        _ = recipient.join(hub)
        world.time.run(for: .seconds(12))
        #expect(!recipient.heard.contains { PacketView($0)?.type == .noiseHandshake })
    }

    @Test("of other kinds does not wait for a link")
    func notSpooled() {
        let (hub, around) = star(1)
        defer { withExtendedLifetime(around) {} }
        around[0].send(
            Packet(
                type: .courierEnvelope, ttl: 7, timestamp: around[0].now, sender: around[0].id,
                recipient: PeerID(rawValue: 5), payload: [1, 2, 3]))
        world.time.run(for: .seconds(1))
        #expect(hub.counter(.packetsSpooled) == 0)
    }

    @Test("a goodbye of ours concerns each neighbour: it leaves on every link")
    func goodbye() {
        let (hub, around) = star(9)
        hub.node?.stop()
        world.time.run(for: 50)
        #expect(around.allSatisfy { $0.heard.contains { PacketView($0)?.type == .leave } })
    }
}
