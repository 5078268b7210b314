import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

/// What no other test drops: each reason has its counter, and each counter a test.
@Suite("Every drop is counted")
struct DropCounterTests {
    private let world = RealWorld.real()

    /// Alice with a stranger, who has announced itself, on a link.
    private func scene() throws -> (alice: RealMember, node: Node<NativeCryptography>, stranger: Stranger) {
        let alice = world.addNode("alice")
        let stranger = Stranger(world)
        _ = stranger.join(alice)
        stranger.send(stranger.announce())
        world.time.run(for: .seconds(1))
        return (alice, try #require(alice.node), stranger)
    }

    private func frame(_ packet: Packet, _ stranger: Stranger) throws -> [UInt8] {
        try #require(packet.encoded(padding: false, using: stranger.compression))
    }

    @Test("a frame on a link that is gone")
    func unknownLink() throws {
        let (alice, node, _) = try scene()
        node.receive([1, 2, 3], on: LinkID(rawValue: 999))
        #expect(alice.counter(.droppedUnknownLink) == 1)
    }

    @Test("a payload that does not inflate")
    func damaged() throws {
        let (alice, _, stranger) = try scene()
        let packet = Packet(
            type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: stranger.now, sender: stranger.id,
            payload: [UInt8](repeating: 65, count: 600))
        var bytes = try frame(packet, stranger)
        bytes[bytes.count - 1] ^= 0xFF
        stranger.send(bytes)
        world.time.run(for: 10)
        #expect(alice.counter(.droppedDamagedPayload) == 1)
    }

    @Test("a signed file that is none")
    func file() throws {
        let (alice, _, stranger) = try scene()
        stranger.send(
            Packet(type: .fileTransfer, ttl: 7, timestamp: stranger.now, sender: stranger.id, payload: [1, 2, 3]))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedFile) == 1)
    }

    @Test("a handshake with a weak key")
    func handshake() throws {
        let (alice, _, stranger) = try scene()
        let packet = Packet(
            type: .noiseHandshake, ttl: 7, timestamp: stranger.now, sender: stranger.id, recipient: alice.id,
            payload: [UInt8](repeating: 0, count: 32))
        stranger.send(try frame(packet, stranger))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedHandshake) == 1)
    }

    @Test("a public message for one person, and voice from half a minute ago")
    func publicPackets() throws {
        let (alice, _, stranger) = try scene()
        var packet = stranger.message("for you")
        packet.recipient = alice.id
        stranger.send(packet)
        let past = WallTime(milliseconds: stranger.now.milliseconds - 31_000)
        stranger.send(Packet(type: .voiceFrame, ttl: 7, timestamp: past, sender: stranger.id, payload: [1]))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedNotBroadcast) == 1)
        #expect(alice.counter(.droppedStale) == 1)
    }

    @Test("public messages faster than anybody types")
    func publicRate() throws {
        let (alice, _, stranger) = try scene()
        for number in 0..<9 { stranger.send(stranger.message("text \(number)")) }
        world.time.run(for: 10)
        #expect(alice.counter(.droppedPublicRateLimit) == 4)
        #expect(alice.publicTexts.count == 5)
    }

    @Test("packets to be passed on that come at once, from several links; each keeps its share")
    func scheduledRelays() throws {
        let (alice, node, stranger) = try scene()
        let (second, honest) = (Stranger(world, seed: 5), Stranger(world, seed: 6))
        for other in [second, honest] { _ = other.join(alice) }
        func send(_ count: Int, by sender: Stranger) throws {
            for number in 0..<count {
                sender.send(
                    try frame(
                        Packet(
                            type: .groupMessage, ttl: 7, timestamp: stranger.now, sender: sender.id,
                            payload: [UInt8(number & 255), UInt8(number >> 8)]), sender))
            }
        }
        try send(450, by: stranger)
        try send(450, by: second)
        try send(100, by: honest)
        world.time.run(for: 1)
        #expect(node.relays.count == RelayPolicy.maximumScheduled)
        #expect(alice.counter(.droppedRelay) == 1000 - UInt64(RelayPolicy.maximumScheduled))
        stranger.heard.removeAll()
        world.time.run(for: .seconds(1))
        #expect(stranger.heard.count { PacketView($0)?.sender == honest.id } == 100)
    }

    @Test("more packets for one absent neighbour than are kept for it")
    func spool() throws {
        let (alice, _, stranger) = try scene()
        for number in 0..<UInt8(70) {
            let packet = Packet(
                type: .noiseEncrypted, ttl: 7, timestamp: stranger.now, sender: PeerID(rawValue: 7),
                recipient: stranger.id, payload: [number])
            stranger.send(try frame(packet, stranger))
        }
        world.time.run(for: .seconds(1))
        #expect(alice.counter(.droppedSpool) == 6)
    }

    @Test("a private message while too much waits for the disk")
    func stalledDisk() throws {
        let (alice, node, _) = try scene()
        let bob = world.addNode("bob")
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        for number in 0..<ChatPolicy.heldOutcomes {
            node.outcomes.hold(
                .acknowledge(PeerID(rawValue: 1), MessageID(String(number))), until: CommitID(rawValue: .max))
        }
        _ = try #require(bob.node).sendPrivate("too much", to: alice.id)
        world.time.run(for: .seconds(3))
        #expect(alice.counter(.droppedWhileDiskStalls) > 0)
        #expect(alice.privateTexts.isEmpty)
    }

    @Test("a peer that makes room in a full registry")
    func displaced() throws {
        let (alice, node, stranger) = try scene()
        let template = try #require(node.registry[stranger.id])
        for number in 1..<UInt64(MeshPolicy.maximumPeers) {
            _ = node.registry.upsert(
                PeerEntry(
                    id: PeerID(rawValue: number), noiseKey: template.noiseKey, signingKey: template.signingKey,
                    nickname: "", isConnected: false, lastSeen: world.time.now, capabilities: nil, link: template.link))
        }
        #expect(alice.counter(.peersDisplaced) == 0)
        let packet = try #require(Invented(SeededRandomness(seed: 3)).announce(at: stranger.now, ttl: 6))
        stranger.send(try frame(packet, stranger))
        world.time.run(for: 10)
        #expect(alice.counter(.peersDisplaced) == 1)
        #expect(node.registry[PeerID(rawValue: 1)] == nil)
    }

    @Test("frames that a slow link has no room for, or that no link takes")
    func sending() throws {
        let (alice, node, stranger) = try scene()
        let slow = world.addNode("slow")
        _ = world.connect(alice, slow, LinkProfile(bytesPerSecond: 1000, queueLimit: 1000))
        world.time.run(for: .seconds(1))
        for number in 0..<20 as Range<UInt8> {
            stranger.send(
                try frame(
                    Packet(
                        type: .groupMessage, ttl: 7, timestamp: stranger.now, sender: stranger.id,
                        payload: SeededRandomness(seed: UInt64(number)).bytes(60_000)), stranger))
        }
        world.time.run(for: .seconds(1))
        #expect(alice.counter(.sendLinkFull) > 0)
        #expect(node.transmitter.queues.byteCount <= RelayPolicy.queueBytes)
        node.linkUp(
            LinkDescription(
                id: LinkID(rawValue: 999), frameLimit: 512, isOutgoing: true, name: "nowhere"))
        world.time.run(for: .seconds(1))
        #expect(alice.counter(.sendRefusedByLink) > 0)
        let alone = try #require(world.addNode("alone").node)
        #expect(!alone.transmitter.send(alone.transmitter.makePacket(.pong, to: alice.id, payload: [])))
        #expect(alone.counters[.sendNoLink] == 1)
    }
}
