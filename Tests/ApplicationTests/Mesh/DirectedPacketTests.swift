import Domain
import InMemory
import Testing

@testable import Application

/// Edge cases 12, 14 and 15 of mesh §29, at the node.
@Suite("Packets for one peer, and packets of one moment (spec: mesh §4, §9, §11)")
struct DirectedPacketTests {
    @Test("12: two packets of one sender, type and millisecond count both when they say different things")
    func sameMoment() throws {
        let between = Between()
        let now = between.speaker.now
        for text in ["one", "two"] { between.speaker.send(between.speaker.message(text, at: now)) }
        between.world.time.run(for: 300)
        #expect(between.hub.publicTexts == ["one", "two"])
        let texts = between.heard(.message).map { Array($0.payloadSection) }
        #expect(Set(texts) == Set([Array("one".utf8), Array("two".utf8)]))
    }

    @Test(
        "14, 15: for a neighbour whose only link is the one that it came on a packet goes nowhere; a session's waits",
        arguments: [
            (.noiseEncrypted, 1), (.noiseHandshake, 1), (.courierEnvelope, 0), (.ping, 0), (.fragment, 0),
        ] as [(MessageType, UInt64)])
    func onlyIngress(type: MessageType, spooled: UInt64) throws {
        let between = Between()
        let watch = AirWatch(between.world, of: between.hub)
        let author = PeerID(rawValue: 42)
        let packet = between.packet(
            type, to: between.speaker.id, by: author, payload: SeededRandomness(seed: 4).bytes(40))
        between.speaker.send(try between.unsigned(packet))
        between.world.time.run(for: 300)
        #expect(watch.frames(type, by: author).isEmpty)
        #expect(between.hub.counter(.packetsSpooled) == spooled)
        #expect(between.hub.node?.report.spooledPackets == Int(spooled))
    }

    @Test("14: for a neighbour on another link it goes there alone")
    func otherLink() throws {
        let between = Between()
        let third = Stranger(between.world, seed: 23)
        _ = third.join(between.hub)
        between.world.time.run(for: .seconds(1))
        third.heard.removeAll()
        let packet = between.packet(.noiseEncrypted, to: between.listener.id, payload: [1, 2, 3])
        #expect(between.passesOn(try between.unsigned(packet)))
        #expect(!third.heard.contains { PacketView($0)?.type == .noiseEncrypted })
        #expect(between.hub.counter(.packetsSpooled) == 0)
    }

    @Test("15: an envelope that has no link to leave on is not kept, and whoever sends it learns so")
    func envelope() throws {
        let world = RealWorld.real()
        let node = try #require(world.addNode("alone").node)
        let packet = node.transmitter.makePacket(.courierEnvelope, to: PeerID(rawValue: 42), payload: [1, 2, 3])
        let isSent = node.transmitter.send(packet)
        #expect(!isSent)
        #expect(node.report.spooledPackets == 0)
    }
}
