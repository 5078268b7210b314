import Domain
import Support
import Testing

@Suite("Relay vectors")
struct RelayVectorTests {
    private static let localPeer = PeerID(rawValue: 0x1111_1111_1111_1111)
    private static let otherPeer = PeerID(rawValue: 0x2222_2222_2222_2222)

    /// What the kinds of the table stand for.
    private static let kinds: [String: (type: MessageType, isDirected: Bool, payload: [UInt8])] = [
        "plain": (.message, false, []), "announce": (.announce, false, []), "handshake": (.noiseHandshake, true, []),
        "directed_encrypted": (.noiseEncrypted, true, []), "encrypted_broadcast": (.noiseEncrypted, false, []),
        "fragment_directed": (.fragment, true, []), "fragment_broadcast": (.fragment, false, []),
        "voice_frame": (.voiceFrame, false, []), "request_sync": (.requestSync, false, []),
        "urgent_board_post": (.boardPost, false, [0x09, 0, 1, 1]),
    ]

    @Test("every row of the table", arguments: kinds.keys.sorted())
    func table(kind: String) throws {
        let (type, isDirected, payload) = try #require(Self.kinds[kind])
        let rows = Vectors.cases("relay-table").compactMap(\.json.array).filter { $0[0].string == kind }
        #expect(rows.count == 360)
        for row in rows {
            let recipient = row[3].bool == true ? Self.localPeer : isDirected ? Self.otherPeer : nil
            let packet = Packet.sample(
                type: type, ttl: UInt8(try #require(row[1].unsigned)),
                sender: row[2].bool == true ? Self.localPeer : PeerID(rawValue: 3), recipient: recipient,
                payload: payload)
            let degree = Int(try #require(row[4].integer))
            let decision = RelayDecision(
                of: packet, payload: packet.payload[...], localPeer: Self.localPeer, degree: degree)
            let isRelayed = try #require(row[5].bool as Bool?)
            #expect((decision != nil) == isRelayed, "\(row)")
            guard let decision, isRelayed else { continue }
            #expect(UInt64(decision.ttl) == row[6].unsigned, "\(row)")
            #expect(decision.delay.lowerBound == row[7].integer, "\(row)")
            #expect(decision.delay.upperBound == row[8].integer, "\(row)")
        }
    }

    @Test("the table names no kind that is not run")
    func complete() {
        #expect(Set(Vectors.cases("relay-table").compactMap { $0.json.array?[0].string }) == Set(Self.kinds.keys))
    }

    @Test("packets", arguments: Vectors.cases("relay-packets", op: "relay_packet"))
    func packets(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        let decision = RelayDecision(
            of: packet, payload: packet.payload[...],
            localPeer: try #require(PeerID(hex: vector.input.member("local_peer").string ?? "")),
            degree: Int(try #require(vector.input.member("degree").integer)))
        guard try #require(vector.output.member("relay").bool as Bool?) else {
            #expect(decision == nil)
            return
        }
        #expect((decision?.ttl).map { UInt64($0) } == vector.output.member("new_ttl").unsigned)
        #expect(decision?.delay.lowerBound == vector.output.member("delay_min_ms").integer)
        #expect(decision?.delay.upperBound == vector.output.member("delay_max_ms").integer)
    }

    @Test("routes forwarded", arguments: Vectors.cases("relay-packets", op: "route_forward"))
    func forwarding(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        let connected = try #require(vector.input.member("connected").array).map { PeerID(hex: $0.string ?? "") }
        let answer = RouteForwarding(
            of: packet, route: packet.route,
            localPeer: try #require(PeerID(hex: vector.input.member("local_peer").string ?? "")),
            isConnected: { connected.contains($0) })
        if let next = vector.output.member("next_hop").string {
            #expect(answer == PeerID(hex: next).map { .forward(to: $0) })
            #expect(vector.output.member("suppress_flood").bool == true)
            // One hop less than received, whatever was received: no clamp to 7.
            #expect(UInt64(packet.ttl - 1) == vector.output.member("forward_ttl").unsigned)
        } else {
            #expect(answer == (vector.output.member("suppress_flood").bool == true ? .suppress : .flood))
        }
    }

    @Test("padding on the air", arguments: Vectors.cases("relay-packets", op: "pads_frame"))
    func padding(vector: VectorCase) throws {
        let type = MessageType(rawValue: UInt8(try #require(vector.input.member("type").unsigned)))
        #expect(type.isPaddedOnAir == vector.output.member("pads").bool)
    }

    /// The phones reserve 42 bytes where a directed fragment needs 43 (mesh §10.4), so that their frames are a byte longer
    /// than the link takes; ours fit.
    @Test(
        "chunks are a byte smaller than the phones'",
        arguments: Vectors.cases("relay-packets", op: "fragment_chunk_for_link"))
    func chunk(vector: VectorCase) throws {
        let limit = Int(try #require(vector.input.member("link_limit").integer))
        let theirs = Int(try #require(vector.output.member("chunk").integer))
        let ours = FragmentPlan.chunkSize(forLinkLimit: limit, isDirected: true)
        #expect(theirs == max(64, limit - 42))
        #expect(ours == max(64, limit - 43))
        let frame = FragmentPolicy.directedOverhead + ours
        #expect(frame == limit || ours == FragmentPolicy.minimumChunk)
    }

    @Test("cancelled by a duplicate", arguments: Vectors.cases("relay-packets", op: "cancel_relay_on_duplicate"))
    func cancelling(vector: VectorCase) throws {
        let degree = Int(try #require(vector.input.member("connected_peers").integer))
        #expect(RelayDecision.duplicateCancels(degree: degree) == vector.output.member("cancel").bool)
    }
}
