import Domain
import Support
import Testing

/// Packets for the sync suites, from vectors and made up.
enum SyncPackets {
    /// When the made-up packets are made, unless a test says otherwise.
    static let now = WallTime(milliseconds: 1_750_000_000_000)

    /// A packet that differs from all others of the suites by its number.
    static func packet(
        _ type: MessageType = .message, _ number: Int = 0, from sender: UInt64 = 0xA, age: Int64 = 0,
        payload: [UInt8] = [], recipient: PeerID? = nil
    ) -> Packet {
        Packet(
            type: type, ttl: 7, timestamp: now(-age), sender: PeerID(rawValue: sender), recipient: recipient,
            payload: payload.isEmpty ? PacketBytes.of(UInt64(number)) : payload)
    }

    /// What a store keeps of such a packet.
    static func made(
        _ type: MessageType = .message, _ number: Int = 0, from sender: UInt64 = 0xA, age: Int64 = 0,
        payload: [UInt8] = []
    ) throws -> GossipPacket {
        try #require(try kept(packet(type, number, from: sender, age: age, payload: payload)))
    }

    /// A bundle of one prekey.
    static func bundle(owner: UInt8, from sender: UInt64, age: Int64 = 0) throws -> GossipPacket {
        func key(_ byte: UInt8) throws -> AgreementPublicKey {
            AgreementPublicKey(try #require(Bytes32([UInt8](repeating: byte, count: 32))))
        }
        let offer = try #require(
            PrekeyOffer(owner: try key(owner), prekeys: [Prekey(id: 1, key: try key(9))], generatedAt: now))
        let signature = try #require(Signature([UInt8](repeating: 1, count: 64)))
        let payload = try #require(PrekeyBundle(offer: offer, signature: signature).encoded)
        return try made(.prekeyBundle, from: sender, age: age, payload: payload)
    }

    /// A point in time relative to ``now``, in milliseconds.
    static func now(_ offset: Int64) -> WallTime {
        WallTime(milliseconds: UInt64(Int64(now.milliseconds) + offset))
    }

    /// What a store keeps of a packet; `nil` when gossip does not carry it.
    static func kept(_ packet: Packet) throws -> GossipPacket? {
        GossipPacket(frame: try packet.plainFrame(), using: PacketTools.cryptography, PacketTools.compression)
    }

    /// Everything that an answer sends, decoded; each frame must be marked as an answer and go no further.
    static func served(_ answer: SyncAnswer, from store: GossipStore) throws -> [Packet] {
        var answer = answer
        var packets: [Packet] = []
        while let frame = answer.next(from: store) {
            let packet = try #require(Packet.decode(frame, using: PacketTools.compression))
            #expect(packet.ttl == 0 && packet.isSyncResponse)
            packets.append(packet)
        }
        return packets
    }

    // MARK: Vectors

    static func packet(_ json: JSONValue) throws -> Packet {
        Packet(
            type: MessageType(rawValue: try json.number("type")), ttl: 7, timestamp: try json.time("timestamp"),
            sender: PeerID(rawValue: try json.identifier("sender")),
            recipient: json["recipient"]?.hex.flatMap { PeerID($0) }, payload: try json.bytes("payload"))
    }

    /// The packets of a vector, and those of its series behind them.
    static func packets(_ input: JSONValue) throws -> [Packet] {
        var packets = try input.list("packets").map { try packet($0) }
        for series in try input.list("series") {
            let (first, step): (UInt64, UInt64) = (try series.number("first_timestamp"), try series.number("step_ms"))
            let count: UInt32 = try series.number("count")
            for index in 0..<count {
                packets.append(
                    Packet(
                        type: MessageType(rawValue: try series.number("type")), ttl: 7,
                        timestamp: WallTime(milliseconds: first + UInt64(index) * step),
                        sender: PeerID(rawValue: try series.identifier("sender")), payload: PacketBytes.of(index)))
            }
        }
        return packets
    }

    /// A store with a vector's packets, and what is on its board.
    static func store(_ input: JSONValue) throws -> (GossipStore, board: [Packet]) {
        var store = GossipStore()
        let storedAt = try input.time("stored_at_ms")
        for packet in try packets(input) {
            if let kept = try kept(packet) { _ = store.insert(kept, at: storedAt) }
        }
        return (store, try input.list("board").map { try packet($0) })
    }
}
