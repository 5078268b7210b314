import Domain
import Testing

/// What changes with each call, by reference.
private final class Held<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension Held<SyncSchedule> {
    fileprivate func due(at seconds: Double, hasBoard: Bool = true) -> [[UInt8]] {
        value.takeDue(at: Uptime(milliseconds: Int64(seconds * 1000)), hasBoard: hasBoard).map {
            $0.types.encoded ?? []
        }
    }
}

extension Held<SyncResponseLimiter> {
    fileprivate func admit(_ peer: UInt64, at milliseconds: Int64) -> Bool {
        value.admit(PeerID(rawValue: peer), at: Uptime(milliseconds: milliseconds))
    }
}

@Suite("Sync schedule")
struct SyncScheduleTests {
    private static let all: [[UInt8]] = [[0x03, 0x04], [0x20], [0x80], [0x00, 0x02], [0x00, 0x01]]

    @Test("all rows at the first tick, the rows of a minute at every second one")
    func rows() {
        let schedule = Held(SyncSchedule())
        #expect(schedule.due(at: 30) == Self.all)
        #expect(schedule.due(at: 60) == Array(Self.all.prefix(2)))
        #expect(schedule.due(at: 90) == Self.all)
        #expect(SyncPolicy.initialTypes.encoded == [0xA3, 0x07])
        #expect(SyncPolicy.rows.count <= SyncPolicy.responsesPerWindow, "a neighbour answers them all")
    }

    @Test("who has no board asks for none, and asks at once when it has one")
    func board() {
        let schedule = Held(SyncSchedule())
        #expect(schedule.due(at: 30, hasBoard: false) == Array(Self.all.prefix(4)))
        #expect(schedule.due(at: 60) == Array(Self.all.prefix(2)) + [Self.all[4]])
    }

    @Test("a tick that comes early passes over the rows whose interval it falls short of")
    func jitter() {
        let schedule = Held(SyncSchedule())
        #expect(schedule.due(at: 30) == Self.all)
        #expect(schedule.due(at: 59.999) == [Self.all[0]])
        #expect(schedule.due(at: 89.999) == Array(Self.all.prefix(2)))
        #expect(schedule.due(at: 90) == Array(Self.all.dropFirst(2)))
        #expect(schedule.due(at: 104.998) == [])
    }

    @Test("each row counts for itself")
    func numbers() {
        var schedule = SyncSchedule()
        var numbers: [[UInt32]] = []
        for tick in 1...3 {
            numbers.append(
                schedule.takeDue(at: Uptime(milliseconds: Int64(tick) * 30_000), hasBoard: true).map(\.number))
        }
        #expect(numbers == [[0, 0, 0, 0, 0], [1, 1], [2, 2, 1, 1, 1]])
    }
}

@Suite("Sync limits")
struct SyncLimitTests {
    @Test("eight answers in 30 s for each peer, the last moment included; what is refused does not count")
    func limiter() {
        let limiter = Held(SyncResponseLimiter())
        for index in 0..<8 as Range<Int64> { #expect(limiter.admit(1, at: index * 10)) }
        for time in [80, 30_000] as [Int64] { #expect(!limiter.admit(1, at: time)) }
        #expect(limiter.admit(2, at: 80))
        #expect(limiter.admit(1, at: 30_001))
        #expect(!limiter.admit(1, at: 30_002))
        #expect(limiter.admit(1, at: 30_011))
        limiter.value.prune(at: Uptime(milliseconds: 30_080))
        #expect(limiter.value.count == 2)
        limiter.value.prune(at: Uptime(milliseconds: 30_081))
        #expect(limiter.value.count == 1)
    }

    @Test("a flood of identities is bounded, and takes nobody's turn")
    func flood() {
        let limiter = Held(SyncResponseLimiter())
        for peer in 0..<5000 as Range<UInt64> { #expect(limiter.admit(peer, at: 0)) }
        #expect(limiter.value.count == 1024)
        #expect(limiter.admit(9999, at: 1))
        for _ in 0..<7 { #expect(limiter.admit(4999, at: 1)) }
        #expect(!limiter.admit(4999, at: 1))
    }

    @Test("answers are due for 30 s after a request, inclusive, from whom it went to")
    func requests() {
        var requests = SyncRequests()
        let (asked, other) = (PeerID(rawValue: 1), PeerID(rawValue: 2))
        func time(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }
        #expect(!requests.isAnswerDue(from: asked, at: time(0)))
        requests.record(asked, at: time(0))
        #expect(requests.isAnswerDue(from: asked, at: time(30_000)))
        #expect(!requests.isAnswerDue(from: asked, at: time(30_001)))
        #expect(!requests.isAnswerDue(from: other, at: time(0)))
        requests.record(asked, at: time(20_000))
        #expect(requests.isAnswerDue(from: asked, at: time(50_000)))
        requests.prune(at: time(50_000))
        #expect(requests.count == 1)
        requests.prune(at: time(50_001))
        #expect(requests.count == 0 && !requests.isAnswerDue(from: asked, at: time(50_000)))
    }

    @Test("requests to very many are remembered for the latest")
    func manyRequests() {
        var requests = SyncRequests()
        for peer in 0..<3000 as Range<UInt64> { requests.record(PeerID(rawValue: peer), at: Uptime(milliseconds: 0)) }
        #expect(requests.count == 1024)
        #expect(requests.isAnswerDue(from: PeerID(rawValue: 2999), at: Uptime(milliseconds: 0)))
        #expect(!requests.isAnswerDue(from: PeerID(rawValue: 0), at: Uptime(milliseconds: 0)))
    }

    @Test("an answer of a peer that was asked may be of any age, 30 s on, and no longer")
    func acceptance() {
        var requests = SyncRequests()
        let (asked, author) = (PeerID(rawValue: 1), PeerID(rawValue: 2))
        requests.record(asked, at: Uptime(milliseconds: 0))
        func verdict(isAnswer: Bool, age: Int64, after milliseconds: Int64) -> IngressVerdict {
            var packet = SyncPackets.packet(from: author.rawValue, age: age)
            (packet.ttl, packet.isSyncResponse) = (0, isAnswer)
            return IngressGuard.judge(
                packet, boundPeer: asked, localPeer: PeerID(rawValue: 3), at: SyncPackets.now
            ) { requests.isAnswerDue(from: $0, at: Uptime(milliseconds: milliseconds)) }
        }
        #expect(verdict(isAnswer: true, age: 800_000, after: 30_000) == .accept(from: asked, validation: asked))
        #expect(verdict(isAnswer: true, age: 0, after: 30_001) == .unsolicitedSyncResponse(from: asked))
        #expect(verdict(isAnswer: false, age: 121_000, after: 0) == .timestampSkew(121_000))
    }
}
