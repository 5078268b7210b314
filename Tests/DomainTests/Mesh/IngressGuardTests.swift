import Domain
import Support
import Testing

@Suite("Ingress guard (spec: mesh §3)")
struct IngressGuardTests {
    private let local = PeerID(rawValue: 1)
    private let bound = PeerID(rawValue: 2)
    private let other = PeerID(rawValue: 3)
    private let now = WallTime(milliseconds: 1_770_000_000_000)

    private func judge(
        _ type: MessageType = .message, ttl: UInt8 = 7, from sender: PeerID, isAnswer: Bool = false,
        at timestamp: WallTime? = nil, boundPeer: PeerID? = nil, isSolicited: (PeerID) -> Bool = { _ in false }
    ) -> IngressVerdict {
        IngressGuard.judge(
            Packet(
                type: type, ttl: ttl, timestamp: timestamp ?? now, sender: sender, payload: [],
                isSyncResponse: isAnswer),
            boundPeer: boundPeer, localPeer: local, at: now, isSolicited: isSolicited)
    }

    @Test("vectors", arguments: Vectors.cases("ingress-policy", op: "ingress"))
    func vectors(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        let isExpected = vector.input.member("sync_response_expected").bool == true
        let verdict = IngressGuard.judge(
            packet, boundPeer: vector.input.member("bound_peer").string.flatMap { PeerID(hex: $0) },
            localPeer: try #require(vector.input.member("local_peer").string.flatMap { PeerID(hex: $0) }),
            at: WallTime(milliseconds: try #require(vector.input.member("now_ms").unsigned)),
            isSolicited: { _ in isExpected })
        let output = vector.output
        func peer(_ name: String) throws -> PeerID {
            try #require(output.member(name).string.flatMap { PeerID(hex: $0) })
        }
        switch output.member("verdict").string {
        case "accept":
            let expected = IngressVerdict.accept(
                from: try peer("received_from"), validation: try peer("validation_peer"))
            #expect(verdict == expected)
        case "self-loopback": #expect(verdict == .selfLoop)
        case "sender-mismatch": #expect(verdict == .senderMismatch)
        case "unsolicited-sync-response":
            let validated = try peer("peer")
            #expect(verdict == .unsolicitedSyncResponse(from: validated))
        case "timestamp-skew":
            let skew = try #require(output.member("skew_ms").unsigned)
            #expect(verdict == .timestampSkew(skew))
            #expect(output.member("max_ms").unsigned == MeshPolicy.maximumSkew)
        default: Issue.record("unknown verdict in \(vector.label)")
        }
    }

    @Test("row 1: our own packet passes only as an answer with TTL 0")
    func selfLoop() {
        #expect(judge(from: local) == .selfLoop)
        #expect(judge(ttl: 0, from: local) == .selfLoop)
        #expect(judge(ttl: 1, from: local, isAnswer: true, isSolicited: { _ in true }) == .selfLoop)
        #expect(judge(.requestSync, ttl: 0, from: local, boundPeer: bound) == .selfLoop)
        #expect(
            judge(ttl: 0, from: local, isAnswer: true, boundPeer: bound, isSolicited: { $0 == bound })
                == .accept(from: bound, validation: bound))
    }

    @Test("row 2: a sync request of another sender than the link's peer is refused, not so on a free link")
    func syncRequest() {
        #expect(judge(.requestSync, ttl: 0, from: other, boundPeer: bound) == .senderMismatch)
        #expect(judge(.requestSync, ttl: 0, from: bound, boundPeer: bound) == .accept(from: bound, validation: bound))
        #expect(judge(.requestSync, ttl: 0, from: other) == .accept(from: other, validation: other))
    }

    @Test("row 3: a direct announce is attributed to its sender, whoever the link belongs to")
    func directAnnounce() {
        #expect(judge(.announce, from: other, boundPeer: bound) == .accept(from: other, validation: other))
    }

    @Test("row 4: a bound link carries the packets of others", arguments: [0, 6, 8, 255] as [UInt8])
    func relayed(ttl: UInt8) {
        #expect(judge(.announce, ttl: ttl, from: other, boundPeer: bound) == .accept(from: bound, validation: other))
        #expect(judge(.message, ttl: ttl, from: other) == .accept(from: other, validation: other))
    }

    @Test("an answer is checked against the peer of its link, and its age does not matter")
    func answers() {
        let old = WallTime(milliseconds: 1)
        var asked: [PeerID] = []
        let verdict = judge(from: other, isAnswer: true, at: old, boundPeer: bound) {
            asked.append($0)
            return true
        }
        #expect(verdict == .accept(from: bound, validation: bound))
        #expect(asked == [bound])
        #expect(judge(from: other, isAnswer: true, boundPeer: bound) == .unsolicitedSyncResponse(from: bound))
        #expect(judge(from: other, isAnswer: true) == .unsolicitedSyncResponse(from: other))
        #expect(
            judge(.announce, from: other, isAnswer: true, boundPeer: bound) == .unsolicitedSyncResponse(from: other))
    }

    @Test("nobody is asked about a packet that is no answer, nor about one that is refused anyway")
    func cheap() {
        var count = 0
        let isSolicited: (PeerID) -> Bool = { _ in
            count += 1
            return true
        }
        _ = judge(from: other, isSolicited: isSolicited)
        _ = judge(.requestSync, from: other, isAnswer: true, boundPeer: bound, isSolicited: isSolicited)
        #expect(count == 0)
    }

    @Test(
        "a wrong clock is refused, by how much is told",
        arguments: [
            (1_770_000_120_001, 120_001), (1_769_999_879_999, 120_001), (0, 1_770_000_000_000),
            (UInt64.max, UInt64.max - 1_770_000_000_000),
        ] as [(UInt64, UInt64)])
    func skew(timestamp: UInt64, distance: UInt64) {
        #expect(judge(from: other, at: WallTime(milliseconds: timestamp)) == .timestampSkew(distance))
    }
}
