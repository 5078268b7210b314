import Application
import Domain
import InMemory
import Testing

/// A node between a neighbour who speaks by hand and one who only listens; both have announced themselves.
final class Between {
    let world: RealWorld
    let hub: RealMember
    let speaker: Stranger
    let listener: Stranger

    init(seed: UInt64 = 1, listening profile: LinkProfile = LinkProfile(latency: 1...1)) {
        world = RealWorld.real(seed: seed)
        hub = world.addNode("hub")
        (speaker, listener) = (Stranger(world, seed: 21), Stranger(world, seed: 22))
        _ = speaker.join(hub)
        _ = listener.join(hub, profile)
        speaker.send(speaker.announce(name: "speaker"))
        listener.send(listener.announce(name: "listener"))
        world.time.run(for: .seconds(2))
        listener.heard.removeAll()
    }

    /// A packet of the speaker's, for everyone if nobody is named.
    func packet(
        _ type: MessageType, to recipient: PeerID? = nil, by sender: PeerID? = nil, payload: [UInt8],
        at time: WallTime? = nil
    ) -> Packet {
        Packet(
            type: type, ttl: 7, timestamp: time ?? speaker.now, sender: sender ?? speaker.id, recipient: recipient,
            payload: payload)
    }

    /// The packet's frame, without a signature.
    func unsigned(_ packet: Packet) throws -> [UInt8] {
        try #require(packet.encoded(padding: false, using: speaker.compression))
    }

    /// Whether the listener gets what the speaker sends, with one hop less and else as it was.
    func passesOn(_ frame: [UInt8]) -> Bool {
        var expected = frame
        expected[2] -= 1
        speaker.send(frame)
        world.time.run(for: 300)
        return listener.heard.contains(expected)
    }

    /// The same for a packet that is signed first, by the speaker unless somebody else is named.
    func passesOn(_ packet: Packet, signedBy author: Stranger? = nil) throws -> Bool {
        passesOn(try #require((author ?? speaker).frame(packet)))
    }

    /// What the listener heard of a type.
    func heard(_ type: MessageType) -> [PacketView] {
        listener.heard.compactMap { PacketView($0) }.filter { $0.type == type }
    }
}
