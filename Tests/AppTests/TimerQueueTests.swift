import Application
import Dispatch
import Domain
import Testing

@testable import App

private func time(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

@Suite("Timer queue")
struct TimerQueueTests {
    private func drain(_ queue: inout TimerQueue, at now: Int64) -> [Timer] {
        var timers: [Timer] = []
        while let timer = queue.popDue(at: time(now)) { timers.append(timer) }
        return timers
    }

    @Test("timers come out by time, those of one time in the order of asking")
    func order() {
        var queue = TimerQueue()
        for (number, due) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 30)] as [(UInt64, Int64)] {
            queue.schedule(.train(number), at: time(due))
        }
        let value1 = queue.earliest()
        #expect(value1 == time(10))
        let value2 = drain(&queue, at: 30)
        #expect(value2 == [2, 4, 3, 1, 5].map { .train($0) })
        let value3 = queue.earliest()
        #expect(value3 == nil)
    }

    @Test("nothing comes before its time")
    func early() {
        var queue = TimerQueue()
        queue.schedule(.maintenance, at: time(100))
        let value4 = queue.popDue(at: time(99))
        #expect(value4 == nil)
        let value5 = queue.popDue(at: time(100))
        #expect(value5 == .maintenance)
    }

    @Test("an equal timer replaces the one that waits, to an earlier or a later time")
    func replaced() {
        var queue = TimerQueue()
        queue.schedule(.announce, at: time(10))
        queue.schedule(.announce, at: time(50))
        #expect(queue.count == 1)
        let value6 = queue.earliest()
        #expect(value6 == time(50))
        queue.schedule(.announce, at: time(20))
        let value7 = drain(&queue, at: 100)
        #expect(value7 == [.announce])
    }

    @Test("a cancelled timer never comes, and cancelling one that does not wait changes nothing")
    func cancelled() {
        var queue = TimerQueue()
        queue.schedule(.announce, at: time(10))
        queue.schedule(.maintenance, at: time(10))
        queue.cancel(.announce)
        queue.cancel(.ping(7))
        let value8 = drain(&queue, at: 10)
        #expect(value8 == [.maintenance])
    }

    @Test("in a round only what was asked for before it comes out")
    func rounds() {
        var queue = TimerQueue()
        queue.schedule(.announce, at: time(10))
        let round = queue.lastNumber
        let value9 = queue.popDue(at: time(10), upTo: round)
        #expect(value9 == .announce)
        queue.schedule(.announce, at: time(5))
        let value10 = queue.popDue(at: time(10), upTo: round)
        #expect(value10 == nil)
        let value11 = queue.popDue(at: time(10))
        #expect(value11 == .announce)
    }

    @Test("timers that are replaced without end take no more room than those that wait")
    func bounded() {
        var queue = TimerQueue()
        for step in 0..<100_000 {
            queue.schedule(.ping(UInt64(step % 10)), at: time(Int64(1_000_000 - step)))
            if step.isMultiple(of: 3) { queue.cancel(.ping(UInt64(step % 7))) }
        }
        #expect(queue.count <= 10)
        #expect(queue.storedCount <= 128)
    }

    @Test("it agrees with a sorted list, whatever is asked for", arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) {
        var state = seed
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var queue = TimerQueue()
        var model: [(timer: Timer, due: Int64, number: Int)] = []
        var now: Int64 = 0
        for number in 0..<3000 {
            let timer = Timer.train(next(40))
            switch next(4) {
            case 0, 1:
                let due = now + Int64(next(100))
                queue.schedule(timer, at: time(due))
                model.removeAll { $0.timer == timer }
                model.append((timer, due, number))
            case 2:
                queue.cancel(timer)
                model.removeAll { $0.timer == timer }
            default:
                now += Int64(next(30))
                let due = model.filter { $0.due <= now }.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
                let value12 = drain(&queue, at: now)
                #expect(value12 == due.map(\.timer))
                model.removeAll { $0.due <= now }
            }
        }
    }
}

@Suite("Scheduler")
struct DispatchSchedulerTests {
    /// Owns a scheduler on its queue, as the host does.
    private final class Fixture: @unchecked Sendable {
        // Everything is touched on the queue only.
        let queue = DispatchQueue(label: "test")
        var fired: [Timer] = []
        var onFire: (Timer) -> Void = { _ in }
        var scheduler: DispatchScheduler?

        init() {
            scheduler = DispatchScheduler(queue: queue, clock: SystemClock()) { [unowned self] timer in
                fired.append(timer)
                onFire(timer)
            }
        }
    }

    @Test("timers fire on the queue, in order, not before their time, and a cancelled one never")
    func fires() async {
        let fixture = Fixture()
        let start = SystemClock.uptime
        let end = await withCheckedContinuation { continuation in
            fixture.queue.async {
                let now = SystemClock.uptime
                fixture.scheduler?.schedule(.train(3), at: now + 60)
                fixture.scheduler?.schedule(.train(1), at: now + 20)
                fixture.scheduler?.schedule(.train(2), at: now + 40)
                fixture.scheduler?.schedule(.announce, at: now + 30)
                fixture.scheduler?.cancel(.announce)
                fixture.onFire = { if $0 == .train(3) { continuation.resume(returning: SystemClock.uptime) } }
            }
        }
        #expect(fixture.queue.sync { fixture.fired } == [.train(1), .train(2), .train(3)])
        #expect(end - start >= 60)
    }

    @Test("a timer that an earlier one of the same round cancels does not fire")
    func cancelledInRound() async {
        let fixture = Fixture()
        await withCheckedContinuation { continuation in
            fixture.queue.async {
                let now = SystemClock.uptime
                for number in 1...3 { fixture.scheduler?.schedule(.train(UInt64(number)), at: now) }
                fixture.onFire = { timer in
                    if timer == .train(1) { fixture.scheduler?.cancel(.train(2)) }
                    if timer == .train(3) { continuation.resume() }
                }
            }
        }
        #expect(fixture.queue.sync { fixture.fired } == [.train(1), .train(3)])
    }

    @Test("a timer may ask for itself again, for a time that has come")
    func again() async {
        let fixture = Fixture()
        await withCheckedContinuation { continuation in
            fixture.queue.async {
                fixture.scheduler?.schedule(.maintenance, at: SystemClock.uptime)
                fixture.onFire = { timer in
                    guard fixture.fired.count < 5 else { return continuation.resume() }
                    fixture.scheduler?.schedule(timer, at: SystemClock.uptime)
                }
            }
        }
        #expect(fixture.queue.sync { fixture.fired.count } == 5)
    }
}
