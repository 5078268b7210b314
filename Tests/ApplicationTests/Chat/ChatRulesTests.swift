import Domain
import Testing

@testable import Application

@Suite("Public flood control (spec: app §5.5, §19 cases 17 to 20)")
struct PublicRateLimiterTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }
    private func peer(_ number: Int) -> PeerID { PeerID(rawValue: UInt64(number)) }

    @Test("17: five at once from one sender, one more a second later")
    func sender() {
        var limiter = PublicRateLimiter()
        let burst = (0..<6).map { limiter.allows("text \($0)", from: peer(1), at: at(0)) }
        #expect(burst == [true, true, true, true, true, false])
        let later = [
            limiter.allows("a", from: peer(1), at: at(1000)), limiter.allows("b", from: peer(1), at: at(1000)),
        ]
        #expect(later == [true, false])
    }

    @Test("18: the same text from four senders at once: the fourth is dropped; it comes back after two seconds")
    func text() {
        var limiter = PublicRateLimiter()
        let burst = (0..<4).map { limiter.allows("Buy  now", from: peer($0), at: at(0)) }
        #expect(burst == [true, true, true, false])
        let later = [
            limiter.allows("buy now", from: peer(5), at: at(1999)),
            limiter.allows("buy now", from: peer(6), at: at(2000)),
        ]
        #expect(later == [false, true])
    }

    @Test("20: ten thousand invented senders do not grow it, and the newest still gets through")
    func bounded() {
        var limiter = PublicRateLimiter()
        let allowed = (0..<10_000).count { limiter.allows("text \($0)", from: peer($0), at: at(Int64($0))) }
        #expect(allowed == 10_000)
        #expect(limiter.bucketCount <= 4000)
    }
}

@Suite("Texts that came twice (spec: app §5.3, §19 case 22)")
struct RecentTextsTests {
    @Test("within a second of each other they are one row, at a second two")
    func window() {
        var texts = RecentTexts()
        let times: [UInt64] = [10_000, 10_999, 11_000, 9_001]
        let shown = times.map { texts.insert("hello", sentAt: WallTime(milliseconds: $0)) }
        #expect(shown == [true, false, true, true])
    }
}

@Suite("What is remembered, and no longer")
struct MemoryTests {
    @Test("a peer is noted once in its time")
    func recentPeers() {
        var peers = RecentPeers(lifetime: .seconds(300))
        let peer = PeerID(rawValue: 1)
        let noted = [0, 299_999, 300_000].map { peers.insert(peer, at: Uptime(milliseconds: $0)) }
        #expect(noted == [true, false, true])
    }

    @Test("of too many peers the oldest are forgotten")
    func manyPeers() {
        var peers = RecentPeers(lifetime: .seconds(300), capacity: 100)
        for number in 0..<10_000 { _ = peers.insert(PeerID(rawValue: UInt64(number)), at: Uptime(milliseconds: 0)) }
        let (newest, oldest) = (
            peers.insert(PeerID(rawValue: 9999), at: Uptime(milliseconds: 1)),
            peers.insert(PeerID(rawValue: 0), at: Uptime(milliseconds: 1))
        )
        #expect(!newest && oldest)
    }

    @Test("identifiers are compared byte by byte, and the newest stay")
    func recentIDs() {
        var ids = RecentIDs()
        let (composed, decomposed) = (ids.insert(MessageID("\u{E9}")), ids.insert(MessageID("e\u{301}")))
        #expect(composed && decomposed)
        for number in 0..<5000 { _ = ids.insert(MessageID(String(number))) }
        let (old, new) = (ids.insert(MessageID("0")), ids.insert(MessageID("4999")))
        #expect(old && !new)
    }

    @Test("a receipt counts only for a message of ours, and its content is kept until it is confirmed")
    func sentMessages() {
        var sent = SentMessages()
        let (id, peer) = (MessageID("m"), PeerID(rawValue: 7))
        sent.begin(id, to: peer)
        #expect(sent.recipient(of: id) == peer)
        #expect(sent.recipient(of: MessageID("other")) == nil)
        sent.keep(PrivateMessagePayload(id: id, content: "text"), of: id, leftAt: Uptime(milliseconds: 0))
        #expect(sent.unconfirmed(for: peer).count == 1)
        let applied = sent.apply(.delivered, to: id)
        #expect(applied == peer)
        #expect(sent.unconfirmed(for: peer).isEmpty)
        let again = sent.apply(.sent, to: id)
        #expect(again == nil)
    }

    @Test("outcomes wait for their commit, in order, and are taken back with it")
    func outcomes() {
        let outcomes = PendingOutcomes()
        let peer = PeerID(rawValue: 1)
        let messages = (1...3).map { Outcome.acknowledge(peer, MessageID(String($0))) }
        for (index, outcome) in messages.enumerated() {
            outcomes.hold(outcome, until: CommitID(rawValue: UInt64(index + 1)))
        }
        #expect(outcomes.fail(CommitID(rawValue: 2)) == [messages[1]])
        #expect(outcomes.isHeld(messages[0]) && !outcomes.isHeld(messages[1]))
        #expect(outcomes.release(upTo: CommitID(rawValue: 3)) == [messages[0], messages[2]])
        #expect(outcomes.release(upTo: CommitID(rawValue: 9)).isEmpty)
    }
}
