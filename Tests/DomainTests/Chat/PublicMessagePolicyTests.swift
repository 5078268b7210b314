import Domain
import Support
import Testing

@Suite("Which public messages are looked at (spec: mesh §6)")
struct PublicMessagePolicyTests {
    @Test("vectors", arguments: Vectors.cases("ingress-policy", op: "public_message"))
    func vectors(vector: VectorCase) throws {
        let packet = try #require(PacketVector(vector.input.member("packet")).packet)
        let verdict = PublicMessagePolicy.judge(
            packet, localPeer: try #require(vector.input.member("local_peer").string.flatMap { PeerID(hex: $0) }),
            at: WallTime(milliseconds: try #require(vector.input.member("now_ms").unsigned)))
        switch verdict {
        case .accept(let trackForSync):
            #expect(vector.output.member("verdict").string == "accept")
            #expect(vector.output.member("track_for_sync").bool == trackForSync)
        case .selfEcho: #expect(vector.output.member("verdict").string == "self-echo")
        case .stale: #expect(vector.output.member("verdict").string == "stale")
        }
    }

    @Test("near the clock's origin nothing is stale; the ends of the clock do not overflow")
    func extremes() {
        func verdict(_ timestamp: UInt64, at now: UInt64) -> PublicMessageVerdict {
            PublicMessagePolicy.judge(
                Packet(
                    type: .message, ttl: 7, timestamp: WallTime(milliseconds: timestamp),
                    sender: PeerID(rawValue: 1), payload: []),
                localPeer: PeerID(rawValue: 2), at: WallTime(milliseconds: now))
        }
        #expect(verdict(0, at: 21_599_999) == .accept(trackForSync: true))
        #expect(verdict(0, at: 21_600_000) == .accept(trackForSync: true))
        #expect(verdict(0, at: 21_600_001) == .stale)
        #expect(verdict(.max, at: 0) == .accept(trackForSync: true))
        #expect(verdict(0, at: .max) == .stale)
    }

    @Test(
        "the windows of the freshness table: inclusive, and the future is not looked at",
        arguments: [
            (AnnounceReading.maximumAge, 900_000), (MeshPolicy.publicMessageMaximumAge, 21_600_000),
            (MeshPolicy.voiceMaximumAge, 30_000),
        ] as [(Milliseconds, UInt64)])
    func windows(window: Milliseconds, milliseconds: UInt64) {
        let now = WallTime(milliseconds: 1_770_000_000_000)
        func isStale(_ timestamp: UInt64) -> Bool {
            WallTime(milliseconds: timestamp).isStale(at: now, maximumAge: window)
        }
        #expect(!isStale(now.milliseconds - milliseconds))
        #expect(isStale(now.milliseconds - milliseconds - 1))
        #expect(!isStale(now.milliseconds + 1))
        #expect(!isStale(.max))
    }
}
