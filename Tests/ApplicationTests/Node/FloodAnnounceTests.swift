import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("A flood of announces beside a conversation")
struct FloodAnnounceTests {
    @Test("5,000 a second of invented identities, correctly signed")
    func invented() throws {
        let siege = try Siege()
        try siege.flood(5000, seconds: 3) { siege.announce(ttl: UInt8(6 + $0 % 2)) }
        try siege.expectPeace()
        siege.expectCounted(
            .droppedFrameBudget, .droppedSignatureBudget, .droppedUnverifiedRelay, .announcesNotAnswered,
            .identitiesNotKept, .peerEventsNotLogged)
        let node = try siege.node(siege.hub)
        #expect(node.registry[siege.alice.id]?.isConnected == true && node.registry[siege.bob.id]?.isConnected == true)
        // What one link may have pinned, and the three honest ones.
        #expect(siege.hub.journal.identities().count <= 200 + 10 + 3)
    }

    @Test("5,000 a second whose signatures are noise")
    func garbage() throws {
        let siege = try Siege()
        let invented = (0..<500).map { _ in Invented(siege.dice) }
        try siege.flood(5000, seconds: 3) { number in
            invented[number % 500].announce(at: siege.hostile.now, ttl: 6).flatMap { packet in
                var packet = packet
                packet.timestamp = packet.timestamp.adding(Milliseconds(Int64(number / 500)))
                return siege.frame(packet)
            }
        }
        try siege.expectPeace()
        siege.expectCounted(
            .droppedFrameBudget, .droppedBadSignature, .droppedSignatureBudget, .droppedUnverifiedRelay,
            .announcesNotAnswered)
    }

    @Test("announces that wear a neighbour's identity under another signing key, or the neighbour's own ones replayed")
    func victims() throws {
        let siege = try Siege()
        let key = siege.hostile.cryptography.agreementPublicKey(of: siege.bob.keys.noise)
        let seed = siege.hostile.keys.signing
        let payload = try #require(
            Announce(
                nickname: "bob", noiseKey: key.bytes.bytes,
                signingKey: siege.hostile.cryptography.signingPublicKey(of: seed).bytes.bytes
            ).encoded)
        try siege.flood(1000, seconds: 3) { number in
            siege.packet(
                .announce, from: siege.bob.id, payload: payload,
                at: siege.hostile.now.adding(Milliseconds(Int64(number)))
            ).signed(with: seed, using: siege.hostile.cryptography, NoCompression()).flatMap(siege.frame)
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedKeyConflict, .droppedSignatureBudget, .droppedUnverifiedRelay)
        let alarms = siege.hub.events.count {
            if case .peer(let change) = $0 { change.kind == .keyConflict } else { false }
        }
        #expect(alarms == 1)
    }

    @Test("stolen identities by the dozen raise a few alarms, not one each")
    func alarms() throws {
        let siege = try Siege()
        let invented = (0..<40).map { _ in Invented(siege.dice) }
        for (index, identity) in (invented + invented).enumerated() {
            let packet = identity.announce(
                at: siege.hostile.now, ttl: 6, signedBy: index < 40 ? nil : siege.hostile.keys.signing)
            siege.hostile.send(try #require(packet.flatMap(siege.frame)))
            siege.world.time.run(for: 20)
        }
        siege.expectCounted(.droppedKeyConflict, .keyAlarmsNotLogged)
        let alarms = siege.hub.events.count {
            if case .peer(let change) = $0 { change.kind == .keyConflict } else { false }
        }
        #expect(alarms == 5)
    }

    @Test("a full registry of neighbours refuses a newcomer, and says so")
    func fullOfNeighbours() throws {
        let siege = try Siege()
        let registry = try siege.node(siege.hub).registry
        let template = try #require(registry[siege.bob.id])
        for number in 0..<UInt64(MeshPolicy.maximumPeers) {
            _ = registry.upsert(
                PeerEntry(
                    id: PeerID(rawValue: number), noiseKey: template.noiseKey, signingKey: template.signingKey,
                    nickname: "", isConnected: true, lastSeen: siege.world.time.now, capabilities: nil,
                    link: template.link))
        }
        siege.hostile.send(try #require(siege.announce()))
        siege.world.time.run(for: 10)
        siege.expectCounted(.droppedRegistryFull)
    }
}
