import Domain
import Support
import Testing

@Suite("Packet identity")
struct PacketIdentityTests {
    private let cryptography = PacketTools.cryptography

    @Test("vectors: identifiers", arguments: Vectors.cases("ids", op: "packet_ids"))
    func identifiers(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        #expect(SyncID(of: packet, using: cryptography).hex == vector.output.member("sync_id").string)
        let key = DedupKey(of: packet, using: cryptography)
        #expect(key.text == vector.output.member("dedup_key").string)
        #expect(key.text == vector.output.member("link_message_id").string)
        let own = DedupKey.ownBroadcast(type: packet.type, sender: packet.sender, timestamp: packet.timestamp)
        #expect(own.text == vector.output.member("self_broadcast_key").string)
        #expect(own != key)
    }

    @Test("vectors: what is deduplicated", arguments: Vectors.cases("ids", op: "dedup_applies"))
    func applies(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        let local = try #require(vector.input.member("local_peer").string.flatMap { PeerID(hex: $0) })
        let applies = DedupKey.applies(type: packet.type, sender: packet.sender, ttl: packet.ttl, localPeer: local)
        #expect(applies == vector.output.member("deduplicate").bool)
        #expect(DedupKey(of: packet, using: cryptography).text == vector.output.member("key").string)
    }

    @Test("the specification's values")
    func published() {
        let packet = Packet.sample()
        #expect(SyncID(of: packet, using: cryptography).hex == "705a1599f09d4b63f6833d9c58dd0c82")
        #expect(DedupKey(of: packet, using: cryptography).text == "0011223344556677-1750000000123-2-0d86592c")
        let hello = Packet.sample(
            timestamp: WallTime(milliseconds: 1), sender: PeerID(rawValue: 0x1122_3344_5566_7788),
            payload: Array("hello".utf8))
        #expect(DedupKey(of: hello, using: cryptography).text == "1122334455667788-1-2-2cf24dba")
    }

    @Test("what changes on the way changes no identifier; what does not, does")
    func stable() {
        let original = Packet.sample()
        var relayed = original
        relayed.version = 2
        relayed.ttl = 1
        relayed.recipient = .broadcast
        relayed.route = [PeerID(rawValue: 1)]
        relayed.signature = Signature([UInt8](repeating: 1, count: 64))
        relayed.isSyncResponse = true
        #expect(SyncID(of: relayed, using: cryptography) == SyncID(of: original, using: cryptography))
        #expect(DedupKey(of: relayed, using: cryptography) == DedupKey(of: original, using: cryptography))
        // Two receipts in one millisecond differ by their content alone.
        var other = original
        other.payload.append(0)
        #expect(DedupKey(of: other, using: cryptography) != DedupKey(of: original, using: cryptography))
        #expect(SyncID(of: other, using: cryptography) != SyncID(of: original, using: cryptography))
    }

    @Test("announce-back keys name the peer and meet no other key")
    func announceBack() {
        let key = DedupKey.announceBack(to: PeerID(rawValue: 0xAB))
        #expect(key.text == "announce-back-00000000000000ab")
        let zero = WallTime(milliseconds: 0)
        let alike = DedupKey(type: MessageType(rawValue: 0), sender: PeerID(rawValue: 0xAB), timestamp: zero, digest: 0)
        #expect(key != alike)
    }
}
