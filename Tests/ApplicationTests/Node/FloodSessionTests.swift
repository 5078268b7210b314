import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("A flood of Noise packets beside a conversation")
struct FloodSessionTests {
    @Test("handshakes of invented senders leave room for a neighbour who has just come")
    func handshakes() throws {
        let siege = try Siege()
        let dave = siege.world.addNode("dave")
        try siege.flood(500, seconds: 2) { _ in
            siege.frame(siege.packet(.noiseHandshake, to: siege.hub.id, payload: siege.dice.bytes(32)))
        }
        _ = siege.world.connect(dave, siege.hub, Siege.radio)
        try siege.flood(500, seconds: 3) { _ in
            siege.frame(siege.packet(.noiseHandshake, to: siege.hub.id, payload: siege.dice.bytes(32)))
        }
        _ = try siege.node(dave).sendPrivate("may I come in?", to: siege.hub.id)
        try siege.flood(500, seconds: 3) { _ in
            siege.frame(siege.packet(.noiseHandshake, to: siege.hub.id, payload: siege.dice.bytes(32)))
        }
        siege.expectCounted(.droppedHandshakeLinkBudget)
        #expect(siege.hub.privateTexts.contains("may I come in?"))
        #expect(siege.hub.counter(.droppedHandshakeRateLimit) == 0)
    }

    @Test("announced identities that send what cannot be opened provoke a few handshakes of ours, and then none")
    func provoked() throws {
        let siege = try Siege()
        let invented = (0..<60).map { _ in Invented(siege.dice) }
        for identity in invented {
            let packet = identity.announce(at: siege.hostile.now, ttl: 6)
            siege.hostile.send(try #require(packet.flatMap(siege.frame)))
        }
        siege.hostile.heard.removeAll()
        try siege.flood(200, seconds: 3) { number in
            siege.frame(
                siege.packet(
                    .noiseEncrypted, from: invented[number % 60].id, to: siege.hub.id, payload: siege.dice.bytes(60)))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedCiphertext, .droppedHandshakeLinkBudget)
        let provoked = siege.hostile.heard.count { PacketView($0)?.type == .noiseHandshake }
        #expect(provoked > 0 && provoked <= SessionPolicy.handshakesPerLink)
    }

    @Test("ciphertexts forged under a friend's name do not use up what the friend may send")
    func ciphertexts() throws {
        let siege = try Siege()
        try siege.flood(2000, seconds: 4) { _ in
            siege.frame(
                siege.packet(.noiseEncrypted, from: siege.alice.id, to: siege.hub.id, payload: siege.dice.bytes(60)))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedCiphertext, .droppedCiphertextBudget)
        #expect(siege.hub.counter(.droppedMessageRateLimit) == 0)
    }

    @Test("ciphertexts that came too early are kept for other links too")
    func early() throws {
        let siege = try Siege()
        let senders = (0..<7).map { _ in PeerID(rawValue: siege.dice.next()) }
        for sender in senders {
            let first = siege.packet(.noiseHandshake, from: sender, to: siege.hub.id, payload: siege.dice.bytes(32))
            siege.hostile.send(try #require(siege.frame(first)))
            for _ in 0..<4 {
                let packet = siege.packet(
                    .noiseEncrypted, from: sender, to: siege.hub.id, payload: siege.dice.bytes(60))
                siege.hostile.send(try #require(siege.frame(packet)))
            }
            siege.world.time.run(for: 10)
        }
        siege.expectCounted(.droppedEarlyCiphertext)
        #expect(try siege.node(siege.hub).noise.earlyCount == SessionPolicy.earlyPerLink)
    }
}
