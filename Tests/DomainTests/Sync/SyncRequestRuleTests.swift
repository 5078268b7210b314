import Domain
import Testing

@Suite("Who gets an answer")
struct SyncRequestRuleTests {
    private let asker = PeerID(rawValue: 7)

    private func refusal(
        ttl: UInt8 = 0, _ arrival: SyncRequestRule.Arrival = .whole, boundPeer: PeerID? = nil, age: Int64 = 0,
        isVerified: Bool = true
    ) -> SyncRequestRefusal? {
        var packet = SyncPackets.packet(.requestSync, from: asker.rawValue, age: age, recipient: PeerID(rawValue: 1))
        packet.ttl = ttl
        return SyncRequestRule.refusal(
            of: packet, arriving: arrival, boundPeer: boundPeer, at: SyncPackets.now, isVerified: { isVerified })
    }

    @Test("a verified neighbour, on its own link or one that nobody is bound to")
    func answered() {
        #expect(refusal() == nil)
        #expect(refusal(boundPeer: asker) == nil)
        #expect(refusal(age: 120_000) == nil && refusal(age: -120_000) == nil)
    }

    @Test("nobody on another's link, of another time, further off, or unknown")
    func refused() {
        #expect(refusal(boundPeer: PeerID(rawValue: 8)) == .foreignLink)
        #expect(refusal(age: 120_001) == .timestampSkew(120_001))
        for ttl in [1, 7, 255] as [UInt8] { #expect(refusal(ttl: ttl) == .relayed) }
        #expect(refusal(isVerified: false) == .unverified)
    }

    @Test("the first reason counts, and no signature is checked for a request that is refused anyway")
    func order() {
        #expect(refusal(ttl: 1, boundPeer: PeerID(rawValue: 8), age: 200_000, isVerified: false) == .foreignLink)
        #expect(refusal(ttl: 1, age: 200_000, isVerified: false) == .timestampSkew(200_000))
        var checks = 0
        let relayed = SyncPackets.packet(.requestSync)
        let verdict = SyncRequestRule.refusal(
            of: relayed, arriving: .whole, boundPeer: nil, at: SyncPackets.now,
            isVerified: {
                checks += 1
                return true
            })
        #expect(verdict == .relayed && checks == 0)
    }

    @Test("a request in fragments is a neighbour's only when none of them can have been passed on")
    func rebuilt() {
        #expect(refusal(.rebuilt(isFromOneNeighbour: true)) == nil)
        #expect(refusal(.rebuilt(isFromOneNeighbour: false)) == .relayed)
        // The reference forces the rebuilt packet's TTL to 0 and asks nothing else.
        #expect(refusal(ttl: 7, .rebuilt(isFromOneNeighbour: true)) == nil)
        #expect(refusal(.rebuilt(isFromOneNeighbour: true), boundPeer: PeerID(rawValue: 8)) == .foreignLink)
    }
}

@Suite("Answers in fragments")
struct RebuiltAnswerTests {
    private let author = PeerID(rawValue: 0xA)

    private func refusal(
        fragmentsSolicited: Bool, isAnswer: Bool, age: Int64, asked: PeerID? = nil
    ) -> IngressVerdict? {
        var packet = SyncPackets.packet(from: author.rawValue, age: age)
        packet.isSyncResponse = isAnswer
        return IngressGuard.refusalOfRebuilt(
            packet, fragmentsSolicited: fragmentsSolicited, at: SyncPackets.now, isSolicited: { $0 == asked })
    }

    @Test(
        "a third author's packet passes at any age when every fragment was an answer to us, with or without a flag inside"
    )
    func solicited() {
        for isAnswer in [true, false] {
            #expect(refusal(fragmentsSolicited: true, isAnswer: isAnswer, age: 800_000) == nil)
        }
    }

    @Test("otherwise its own flag and time decide")
    func unsolicited() {
        #expect(refusal(fragmentsSolicited: false, isAnswer: false, age: 120_000) == nil)
        #expect(refusal(fragmentsSolicited: false, isAnswer: false, age: 120_001) == .timestampSkew(120_001))
        #expect(refusal(fragmentsSolicited: false, isAnswer: true, age: 0) == .unsolicitedSyncResponse(from: author))
        #expect(refusal(fragmentsSolicited: false, isAnswer: true, age: 800_000, asked: author) == nil)
    }
}
