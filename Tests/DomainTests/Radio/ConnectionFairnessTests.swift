import Domain
import Testing

/// How a device goes wrong.
enum BadManner: CaseIterable {
    case refusesEveryLink, dropsEveryLink, neverAnswers
}

/// A radio that makes one attempt at a time, hears nothing meanwhile, and has good and bad neighbours who advertise ten
/// times a second.
private struct Neighbourhood {
    let radio = Scheduling()
    let bad: (device: Int, signal: Int8, manner: BadManner)
    let good: (devices: ClosedRange<Int>, signal: Int8)
    private(set) var linked: [Int: Int64] = [:]
    private(set) var attempts: [Int: Int] = [:]
    private var attempt: (device: Int, since: Int64)?
    private var upSince: Int64?
    private var retryAt: Int64?

    init(bad signal: Int8, _ manner: BadManner, good: ClosedRange<Int>, at goodSignal: Int8) {
        bad = (0, signal, manner)
        self.good = (good, goodSignal)
    }

    mutating func run(until end: Int64) {
        for time in stride(from: Int64(0), to: end, by: 10) {
            step(at: time)
            if time.isMultiple(of: 15_000) { radio.cleanUp(at: time) }
        }
    }

    private mutating func step(at time: Int64) {
        if let upSince, time >= upSince + 50 {
            self.upSince = nil
            radio.disconnected(bad.device, isError: true, at: time)
            runQueue(at: time)
        }
        if let attempt {
            finish(attempt, at: time)
        } else if time.isMultiple(of: 5000) || retryAt.map({ $0 <= time }) == true {
            runQueue(at: time)
        } else {
            let place = Int(time / 10 % 10)
            if place == bad.device { see(bad.device, bad.signal, at: time) }
            if good.devices.contains(place), linked[place] == nil { see(place, good.signal, at: time) }
        }
    }

    private mutating func see(_ device: Int, _ signal: Int8, at time: Int64) {
        switch radio.sighted(device, signal, at: time) {
        case .connect: begin(device, at: time)
        case .enqueued(let retryAfter?): retryAt = time + retryAfter.count
        case .enqueued, .ignore, .cancel: break
        }
    }

    private mutating func runQueue(at time: Int64) {
        retryAt = nil
        guard attempt == nil else { return }
        switch radio.next(at: time) {
        case .connect(let device): begin(device, at: time)
        case .retry(let after): retryAt = time + after.count
        case .idle: break
        }
    }

    private mutating func begin(_ device: Int, at time: Int64) {
        attempt = (device, time)
        attempts[device, default: 0] += 1
    }

    private mutating func finish(_ attempt: (device: Int, since: Int64), at time: Int64) {
        switch (attempt.device == bad.device, bad.manner) {
        case (false, _) where time >= attempt.since + 100:
            radio.succeeded(attempt.device, at: time)
            linked[attempt.device] = time
        case (true, .dropsEveryLink) where time >= attempt.since + 50:
            radio.succeeded(attempt.device, at: time)
            upSince = time
        case (true, .refusesEveryLink) where time >= attempt.since + 50: radio.failed(attempt.device, at: time)
        case (true, .neverAnswers) where radio.overdue(at: time) == [attempt.device]:
            radio.timedOut(attempt.device, at: time)
        default: return
        }
        self.attempt = nil
        runQueue(at: time)
    }
}

@Suite("A bad neighbour does not keep the good ones waiting (spec: mesh §21; ours)")
struct ConnectionFairnessTests {
    private let radio = Scheduling()

    private func enqueue(_ device: Int, _ signal: Int8, at time: Int64) {
        #expect(radio.sighted(device, signal, at: time) == .enqueued(retryAfter: nil))
    }

    /// A link that breaks `life` after it came up; begun on sight.
    private func breakLink(_ device: Int, at time: Int64, after life: Int64) {
        #expect(radio.sighted(device, at: time) == .connect)
        radio.succeeded(device, at: time)
        radio.disconnected(device, isError: true, at: time + life)
    }

    @Test(
        "whatever a strong one does, four weak ones are linked within half a minute",
        arguments: BadManner.allCases, [-30, -91] as [Int8])
    func goodOnesGetTheirTurn(manner: BadManner, signal: Int8) {
        var room = Neighbourhood(bad: signal, manner, good: 1...4, at: -92)
        room.run(until: 120_000)
        #expect(room.linked.keys.sorted() == [1, 2, 3, 4])
        #expect(room.linked.values.max() ?? .max <= 30_000, "\(room.linked)")
        // And it is not given up.
        #expect(room.attempts[0] ?? 0 >= 3)
        #expect(room.attempts[0] ?? 0 <= 62)
    }

    @Test("a link that breaks within 10 s counts as a failure, on top of those before the success")
    func earlyBreak() {
        radio.failed(1, at: 0)
        radio.failed(1, at: 0)
        breakLink(1, at: 10_000, after: 9999)
        #expect(radio.scheduler[1].failures == 3)
        breakLink(1, at: 30_000, after: 0)
        #expect(radio.scheduler[1].failures == 4)
        breakLink(1, at: 60_000, after: 10_000)
        #expect(radio.scheduler[1].failures == 0)
        #expect(radio.scheduler[1].brokeAt == Uptime(milliseconds: 70_000))
    }

    @Test("a link that never was of use counts as a failure, however long it took and whoever ended it")
    func useless() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.succeeded(1, at: 0)
        radio.disconnected(1, isError: false, wasOfUse: false, at: 30_000)
        #expect(radio.scheduler[1].failures == 1)
    }

    @Test("a link that we close does not count")
    func closed() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.succeeded(1, at: 0)
        radio.disconnected(1, isError: false, at: 10)
        #expect(radio.scheduler[1].failures == 0)
        #expect(radio.scheduler[1].brokeAt == nil)
    }

    @Test("after links in a row that broke at once a device is left alone for 3, 6, 12, 24, and 24 s")
    func longerAndLonger() {
        var time: Int64 = 0
        for wait in [3000, 6000, 12_000, 24_000, 24_000] as [Int64] {
            breakLink(1, at: time, after: 100)
            let broke = time + 100
            #expect(radio.sighted(1, at: broke + wait - 1) == .ignore)
            time = broke + wait
        }
        breakLink(1, at: time, after: 10_000)
        breakLink(1, at: time + 13_000, after: 100)
        #expect(radio.sighted(1, at: time + 16_100) == .connect)
    }

    @Test("attempts that fail do not make it longer")
    func failuresAlone() {
        for _ in 0..<4 { radio.failed(1, at: 0) }
        radio.disconnected(1, isError: true, at: 0)
        #expect(radio.sighted(1, at: 3000) == .connect)
    }

    @Test("who has to wait is passed over; with nobody else the queue waits for who is free first")
    func passedOver() {
        for device in 1...2 { breakLink(device, at: Int64(device) * 1000, after: 500) }
        enqueue(1, -91, at: 2600)
        enqueue(2, -90, at: 2600)
        enqueue(3, -99, at: 2600)
        #expect(radio.next(at: 2700) == .connect(3))
        #expect(radio.next(at: 3300) == .retry(after: 1250))
        #expect(radio.next(at: 4550) == .connect(1))
        #expect(radio.queued == [2])
    }

    @Test("who was tried less than 2 s ago is passed over as well")
    func triedLately() {
        enqueue(1, -91, at: 0)
        #expect(radio.next(at: 0) == .connect(1))
        radio.failed(1, at: 50)
        enqueue(1, -91, at: 100)
        #expect(radio.next(at: 600) == .retry(after: 1450))
        enqueue(2, -99, at: 700)
        #expect(radio.next(at: 700) == .connect(2))
        #expect(radio.next(at: 2000) == .connect(1))
    }

    @Test("who timed out less than 30 s ago goes when there is nobody else")
    func timedOutLately() {
        enqueue(1, -90, at: 0)
        #expect(radio.next(at: 0) == .connect(1))
        radio.timedOut(1, at: 8000)
        // Near now.
        #expect(radio.sighted(9, at: 8000) == .connect)
        #expect(radio.sighted(1, -40, at: 8100) == .enqueued(retryAfter: 450))
        enqueue(2, -99, at: 8100)
        #expect(radio.next(at: 9000) == .connect(2))
        #expect(radio.next(at: 10_000) == .connect(1))
    }

    @Test("an attempt that was withdrawn is nobody's failure")
    func withdrawn() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.withdrawn(1)
        #expect(radio.scheduler.outgoingCount == 0)
        #expect(radio.scheduler[1].failures == 0)
        #expect(radio.sighted(1, at: 1999) == .ignore)
        #expect(radio.sighted(1, at: 2000) == .connect)
    }

    @Test("marks are bounded even if nobody ever cleans up; who was silent longest is forgotten")
    func boundedMarks() {
        for device in 0..<1000 { radio.failed(device, at: Int64(device)) }
        #expect(radio.scheduler.markCount == RadioPolicy.maximumMarks)
        #expect(radio.scheduler[999].failures == 1)
        #expect(radio.scheduler[1000 - RadioPolicy.maximumMarks].failures == 1)
        #expect(radio.scheduler[999 - RadioPolicy.maximumMarks].failures == 0)
        for device in 10_000..<10_500 {
            radio.succeeded(device, at: 10_000)
            radio.disconnected(device, isError: true, at: 10_001)
        }
        #expect(radio.scheduler.markCount == RadioPolicy.maximumMarks)
    }
}

@Suite("How many links the controller carries (spec: ble-gatt §18; ours)")
struct LearnedLinksTests {
    @Test("ten are assumed; a refusal shows that what is open is all, and more links that there is more")
    func learned() {
        let radio = Scheduling(controllerLinks: RadioPolicy.assumedControllerLinks)
        #expect(radio.scheduler.budget == LinkBudget())
        radio.connect(1...3)
        radio.limitReached(links: 3, at: 10_000)
        #expect(radio.scheduler.budget.controllerLinks == 3)
        #expect(radio.sighted(4, at: 10_000) == .enqueued(retryAfter: nil))
        for device in 11...14 { radio.accepted(device) }
        #expect(radio.scheduler.budget.controllerLinks == 7)
        for device in 11...14 { radio.released(device) }
        #expect(radio.sighted(4, at: 10_000) == .connect)
    }

    @Test("a minute later one link more is tried for, and so on, up to what was assumed")
    func relaxed() {
        var budget = LinkBudget(controllerLinks: 7)
        budget.limitReached(links: 4, at: Uptime(milliseconds: 0))
        var learned: [Int] = []
        for second in stride(from: Int64(15), through: 300, by: 15) {
            budget.relax(at: Uptime(milliseconds: second * 1000))
            learned.append(budget.controllerLinks)
        }
        #expect(learned == [4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7])
    }

    @Test("refused again, it starts anew; refused with nothing open, one link is still tried for")
    func refusedAgain() {
        var budget = LinkBudget(controllerLinks: 7)
        budget.limitReached(links: 4, at: Uptime(milliseconds: 0))
        budget.relax(at: Uptime(milliseconds: 60_000))
        budget.limitReached(links: 4, at: Uptime(milliseconds: 61_000))
        budget.relax(at: Uptime(milliseconds: 120_000))
        #expect(budget.controllerLinks == 4)
        budget.relax(at: Uptime(milliseconds: 121_000))
        #expect(budget.controllerLinks == 5)
        budget.limitReached(links: 0, at: Uptime(milliseconds: 122_000))
        #expect(budget.allowsOutgoing(outgoing: 0, incoming: 0))
        #expect(!budget.allowsOutgoing(outgoing: 1, incoming: 0))
    }

    @Test("the cleanup relaxes it")
    func cleanUp() {
        let radio = Scheduling(controllerLinks: 10)
        radio.limitReached(links: 5, at: 0)
        radio.cleanUp(at: 59_999)
        #expect(radio.scheduler.budget.controllerLinks == 5)
        radio.cleanUp(at: 60_000)
        #expect(radio.scheduler.budget.controllerLinks == 6)
    }
}
