import Domain
import InMemory
import Testing

@testable import Application

/// A node with one hostile neighbour, which sends whatever it likes.
private final class Siege {
    let world = World(seed: 1, cryptography: ModelCryptography())
    let victim: Member<ModelCryptography>
    private let attacker: Endpoint
    private let dice: SeededRandomness
    private let cryptography = ModelCryptography()

    init() {
        victim = world.addNode("victim")
        attacker = world.air.makeEndpoint("attacker")
        world.air.connect(attacker, victim.endpoint, LinkProfile(frameLimit: 65_536))
        dice = world.randomness.fork("attack")
        world.time.run(for: .seconds(5))
    }

    /// Sends `count` packets, one after the other, over a span of virtual time.
    func send(_ count: Int, over span: Milliseconds, _ make: (Int) -> Packet?) throws {
        let start = world.time.now
        for number in 0..<count {
            world.time.run(until: start + Milliseconds(span.count * Int64(number) / Int64(count)))
            let packet = try #require(make(number))
            let frame = try #require(packet.encoded(padding: false, using: NoCompression()))
            let link = try #require(attacker.openLinks.first)
            _ = attacker.send(frame, on: link)
        }
        world.time.run(until: start + span)
    }

    /// A packet under an invented name, that nobody has seen before.
    func packet(_ type: MessageType, to recipient: PeerID? = nil, payload: [UInt8]) -> Packet {
        Packet(
            type: type, ttl: 5, timestamp: victim.clock.wall, sender: PeerID(rawValue: dice.next()),
            recipient: recipient, payload: payload)
    }

    /// A valid announce of an identity that is made up for it.
    func announce(_ number: Int) -> Packet? {
        let (noise, signing) = (
            cryptography.makeSecret(count: 32, from: dice), cryptography.makeSecret(count: 32, from: dice)
        )
        let key = cryptography.agreementPublicKey(of: noise)
        let announce = Announce(
            nickname: "n\(number)", noiseKey: key.bytes.bytes,
            signingKey: cryptography.signingPublicKey(of: signing).bytes.bytes)
        guard let payload = announce.encoded else { return nil }
        let packet = Packet(
            type: .announce, ttl: 5, timestamp: victim.clock.wall, sender: PeerID(of: key, using: cryptography),
            payload: payload)
        return packet.signed(with: signing, using: cryptography, NoCompression())
    }

    func bytes(_ count: Int) -> [UInt8] { dice.bytes(count) }
}

/// Claimed identities are free to invent, so nothing that grows with them may grow for ever.
@Suite("Flood")
struct FloodTests {
    @Test("invented identities fill the registry up to its bound, and are forgotten when they fall silent")
    func identities() throws {
        let siege = Siege()
        let node = try #require(siege.victim.node)
        try siege.send(2600, over: .seconds(40), siege.announce)
        #expect(node.counters[.announcesAccepted] > UInt64(MeshPolicy.maximumPeers))
        #expect(node.registry.count == MeshPolicy.maximumPeers)
        #expect(node.counters[.peersDisplaced] > 0)
        siege.world.time.run(for: .seconds(120))
        #expect(node.registry.count == 0)
    }

    @Test("packets under invented names fill the memory of seen packets up to its bound, and pass")
    func packets() throws {
        let siege = Siege()
        let node = try #require(siege.victim.node)
        try siege.send(20_000, over: .seconds(20)) { _ in siege.packet(.message, payload: siege.bytes(20)) }
        #expect(node.counters[.framesReceived] == 20_000)
        #expect((DedupPolicy.processedAfterTrim...DedupPolicy.processedCapacity).contains(node.seen.count))
        #expect(node.ingress.count <= DedupPolicy.maximumIngressRecords)
        siege.world.time.run(for: .seconds(600))
        #expect(node.seen.count == 0)
        #expect(node.ingress.count == 0)
    }

    @Test("beginnings of trains that never end fill the assemblies up to their bound, and are swept")
    func fragments() throws {
        let siege = Siege()
        let node = try #require(siege.victim.node)
        try siege.send(1000, over: .seconds(20)) { number in
            let chunk = siege.bytes(400)
            let id = FragmentID(rawValue: UInt64(number))
            return FragmentHeader(id: id, index: 0, total: 100, originalType: .message, chunk: chunk[...])
                .map { siege.packet(.fragment, payload: $0.encoded) }
        }
        #expect(node.counters[.fragmentsReceived] == 1000)
        #expect(node.assemblies.count == FragmentPolicy.maximumAssemblies)
        siege.world.time.run(for: .seconds(60))
        #expect(node.assemblies.count == 0)
    }

    @Test("handshakes under invented names are limited, and no timers or sessions stay behind")
    func handshakes() throws {
        let siege = Siege()
        let node = try #require(siege.victim.node)
        let quiet = siege.world.time.pendingCount
        try siege.send(1000, over: .seconds(20)) { _ in
            siege.packet(.noiseHandshake, to: node.id, payload: siege.bytes(32))
        }
        #expect(node.counters[.droppedHandshakeLinkBudget] > 900)
        #expect(node.sessions.slots.count <= SessionPolicy.handshakesPerLink)
        siege.world.time.run(for: .seconds(300))
        #expect(node.sessions.slots.isEmpty)
        #expect(siege.world.time.pendingCount <= quiet)
    }

    @Test("noise of every type leaves a node that works", arguments: [1, 2, 3] as [UInt64])
    func garbage(seed: UInt64) throws {
        let siege = Siege()
        let dice = SeededRandomness(seed: seed)
        let node = try #require(siege.victim.node)
        let quiet = siege.world.time.pendingCount
        try siege.send(1500, over: .seconds(30)) { _ in
            let recipient = dice.chance(0.5) ? node.id : nil
            let type = MessageType(rawValue: UInt8(dice.number(below: 0x30)))
            return siege.packet(type, to: recipient, payload: dice.bytes(dice.number(below: 300)))
        }
        #expect(node.counters[.framesReceived] == 1500)
        let friend = siege.world.addNode("friend")
        _ = siege.world.connect(friend, siege.victim)
        siege.world.time.run(for: .seconds(200))
        let message = try friend.node?.sendPrivate("still there?", to: node.id)
        siege.world.time.run(for: .seconds(20))
        #expect(message?.count == 1)
        #expect(
            siege.victim.events.contains {
                if case .privateMessage(let received) = $0 { received.text == "still there?" } else { false }
            })
        #expect(node.assemblies.count == 0)
        #expect(siege.world.time.pendingCount <= quiet + 4)
    }
}
