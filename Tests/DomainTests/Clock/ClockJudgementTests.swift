import Domain
import Testing

@Suite("Judgement on the wall clock")
struct ClockJudgementTests {
    private static let uptime = Uptime(milliseconds: 1_000_000)
    private static let truth = WallTime(milliseconds: 1_800_000_000_000)
    private static let year: Int64 = 365 * 86_400_000

    /// One row: our clock's error, the neighbours' errors, the kernel, the floor's distance from the truth, trust.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var own: Int64 = 0
        var neighbours: [Int64] = []
        var kernel: Bool?
        var floor: Int64 = -ClockJudgementTests.year
        var isTrusted = false
        let state: ClockJudgement.State
        let reason: ClockJudgement.Reason
        var offset: Int64?
        var testDescription: String { name }
    }

    private static func wall(_ error: Int64) -> WallTime {
        WallTime(milliseconds: UInt64(clamping: Int64(truth.milliseconds) + error))
    }

    private static func clocks(_ errors: [Int64]) -> NeighbourClocks {
        let heard = errors.enumerated().compactMap { number, error in
            NeighbourClock(
                peer: PeerID(rawValue: UInt64(number) + 1), timestamp: wall(error), at: uptime)
        }
        return NeighbourClocks(heard, at: uptime)
    }

    static let rows: [Row] = [
        Row(name: "nobody knows", state: .unproven, reason: .noWitness),
        Row(name: "nobody knows, the kernel says no", kernel: false, state: .unproven, reason: .noWitness),
        Row(name: "the kernel vouches", kernel: true, state: .right, reason: .synchronised),
        Row(
            name: "three neighbours agree with us", neighbours: [0, 100, -200], state: .right, reason: .neighboursAgree,
            offset: 0),
        Row(
            name: "three neighbours agree on another time", own: -year, neighbours: [0, 1000, -1000], state: .wrong,
            reason: .neighboursDisagree, offset: year),
        Row(
            name: "we are ahead", own: year, neighbours: [0, 0, 0], kernel: false, state: .wrong,
            reason: .neighboursDisagree, offset: -year),
        Row(
            name: "two neighbours are not enough", own: -year, neighbours: [0, 0], state: .unproven, reason: .noWitness),
        Row(
            name: "60 s off is near enough", own: -60_000, neighbours: [0, 0, 0], state: .right,
            reason: .neighboursAgree, offset: 60_000),
        Row(
            name: "60.001 s off is wrong", own: -60_001, neighbours: [0, 0, 0], state: .wrong,
            reason: .neighboursDisagree, offset: 60_001),
        Row(
            name: "neighbours 120 s apart agree", own: -year, neighbours: [-60_000, 0, 60_000], state: .wrong,
            reason: .neighboursDisagree, offset: year),
        Row(
            name: "neighbours 120.001 s apart do not", own: -year, neighbours: [-60_001, 0, 60_000], state: .unproven,
            reason: .noWitness),
        Row(name: "one liar among three", neighbours: [0, 0, year], state: .unproven, reason: .noWitness),
        Row(
            name: "one liar among four changes nothing", neighbours: [0, 10, 20, year], state: .right,
            reason: .neighboursAgree, offset: 10),
        Row(
            name: "three liars among six are no majority", neighbours: [0, 0, 0, year, year, year], state: .unproven,
            reason: .noWitness),
        Row(
            name: "three liars among five are one", neighbours: [0, 0, year, year, year], state: .wrong,
            reason: .neighboursDisagree, offset: year),
        Row(
            name: "the kernel is not outvoted", neighbours: [year, year, year], kernel: true, state: .right,
            reason: .synchronised, offset: year),
        Row(name: "before the floor", own: -year, floor: 0, state: .wrong, reason: .beforeFloor),
        Row(
            name: "before the floor, the kernel says no", own: -year, kernel: false, floor: 0, state: .wrong,
            reason: .beforeFloor),
        Row(
            name: "60 s before the floor is a correction", own: -60_000, floor: 0, state: .unproven, reason: .noWitness),
        Row(name: "60.001 s before it is not", own: -60_001, floor: 0, state: .wrong, reason: .beforeFloor),
        Row(
            name: "two neighbours do not overrule the floor", neighbours: [0, 0], floor: year, state: .wrong,
            reason: .beforeFloor),
        Row(
            name: "a floor from a clock that was ahead: the kernel overrules it", kernel: true, floor: year,
            state: .right, reason: .synchronised),
        Row(
            name: "a floor from a clock that was ahead: neighbours overrule it", neighbours: [0, 0, 0], floor: year,
            state: .right, reason: .neighboursAgree, offset: 0),
        Row(
            name: "a floor from a clock that was ahead: the operator overrules it", floor: year, isTrusted: true,
            state: .right, reason: .trusted),
        Row(
            name: "neighbours that confirm the floor name the offset", own: -year, neighbours: [0, 0, 0], floor: 0,
            state: .wrong, reason: .neighboursDisagree, offset: year),
        Row(
            name: "the operator overrules neighbours", neighbours: [year, year, year], kernel: false, isTrusted: true,
            state: .right, reason: .trusted, offset: year),
    ]

    @Test("the strongest witness decides", arguments: rows)
    func table(row: Row) {
        let judgement = ClockJudgement(
            ClockEvidence(
                wall: Self.wall(row.own), uptime: Self.uptime, floor: Self.wall(row.floor), isSynchronised: row.kernel,
                neighbours: Self.clocks(row.neighbours), isTrusted: row.isTrusted))
        #expect(judgement.state == row.state)
        #expect(judgement.reason == row.reason)
        #expect(judgement.offset?.count == row.offset)
        #expect(judgement.isWrong == (row.state == .wrong))
    }

    @Test("a clock that the kernel vouches for is disputed, not wrong", arguments: [(0, false), (61_000, true)])
    func disputed(error: Int64, isDisputed: Bool) {
        let judgement = ClockJudgement(
            ClockEvidence(
                wall: Self.truth, uptime: Self.uptime, floor: Self.wall(-1), isSynchronised: true,
                neighbours: Self.clocks([error, error, error])))
        #expect(judgement.isDisputed == isDisputed)
    }

    @Test("a peer with several links is one voice, and its latest time counts")
    func severalLinks() throws {
        let early = try #require(
            NeighbourClock(peer: PeerID(rawValue: 1), timestamp: Self.wall(-5000), at: Self.uptime))
        let late = try #require(NeighbourClock(peer: PeerID(rawValue: 1), timestamp: Self.wall(0), at: Self.uptime))
        let second = try #require(NeighbourClock(peer: PeerID(rawValue: 2), timestamp: Self.wall(0), at: Self.uptime))
        let third = try #require(NeighbourClock(peer: PeerID(rawValue: 3), timestamp: Self.wall(0), at: Self.uptime))
        #expect(NeighbourClocks([early, late, second], at: Self.uptime).agreedEpoch == nil)
        let agreed = try #require(NeighbourClocks([late, early, second, third], at: Self.uptime).agreedEpoch)
        #expect(agreed == late.epoch)
    }

    @Test("a word counts for five minutes", arguments: [(300_000, true), (300_001, false)])
    func expiry(age: Int64, counts: Bool) {
        let heard = (1...3).compactMap {
            NeighbourClock(peer: PeerID(rawValue: $0), timestamp: Self.truth, at: Self.uptime)
        }
        let clocks = NeighbourClocks(heard, at: Self.uptime + Milliseconds(age))
        #expect((clocks.agreedEpoch != nil) == counts)
    }

    @Test("a corrected clock clears the judgement without new words")
    func corrected() {
        let clocks = Self.clocks([0, 0, 0])
        let later = Self.uptime + 10_000
        func judge(_ wall: WallTime) -> ClockJudgement.State {
            ClockJudgement(
                ClockEvidence(wall: wall, uptime: later, floor: Self.wall(-1), isSynchronised: nil, neighbours: clocks)
            ).state
        }
        #expect(judge(Self.wall(10_000 - Self.year)) == .wrong)
        #expect(judge(Self.wall(10_000)) == .right)
    }

    @Test(
        "times beyond any calendar do not trap", arguments: [0, UInt64.max, UInt64(Int64.max), UInt64(Int64.max / 3)])
    func extremes(milliseconds: UInt64) throws {
        let wild = WallTime(milliseconds: milliseconds)
        let clock = NeighbourClock(peer: PeerID(rawValue: 9), timestamp: wild, at: Self.uptime)
        #expect((clock == nil) == (milliseconds > UInt64(Int64.max / 3)))
        let liars = [clock].compactMap(\.self)
        #expect(NeighbourClocks(liars, at: Self.uptime).agreedEpoch == nil)
        let judgement = ClockJudgement(
            ClockEvidence(
                wall: wild, uptime: Self.uptime, floor: wild, isSynchronised: nil, neighbours: Self.clocks([0, 0, 0])))
        #expect(judgement.reason == .neighboursDisagree)
    }
}
