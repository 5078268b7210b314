import Application
import Domain
import InMemory
import Testing

private func uptime(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

@Suite("Virtual time")
struct VirtualTimeTests {
    @Test("events run in order of time, and those of one time in order of insertion")
    func order() {
        let time = VirtualTime()
        var ran: [String] = []
        for (moment, name) in [(5, "c"), (1, "a"), (5, "d"), (3, "b"), (5, "e")] as [(Int64, String)] {
            time.at(uptime(moment)) { ran.append("\(name)@\(time.now.milliseconds)") }
        }
        #expect(time.runUntilIdle())
        #expect(ran == ["a@1", "b@3", "c@5", "d@5", "e@5"])
    }

    @Test("a thousand random events with cancellations run as a sorted list would")
    func heap() {
        let source = SeededRandomness(seed: 1)
        let time = VirtualTime()
        var ran: [Int] = []
        var planned: [(due: Int, name: Int, token: VirtualTime.Token)] = []
        for name in 0..<1000 {
            let due = source.number(below: 200)
            planned.append((due, name, time.at(uptime(Int64(due))) { ran.append(name) }))
        }
        let cancelled = Set((0..<400).map { _ in source.number(below: 1000) })
        for name in cancelled.sorted() {
            let (first, second) = (time.cancel(planned[name].token), time.cancel(planned[name].token))
            #expect(first && !second)
        }
        #expect(time.pendingCount == 1000 - cancelled.count)
        time.runUntilIdle()
        let kept = planned.filter { !cancelled.contains($0.name) }
        #expect(ran == kept.sorted { ($0.due, $0.name) < ($1.due, $1.name) }.map(\.name))
    }

    @Test("running until a time includes it, and the clock stands there afterwards")
    func until() {
        let time = VirtualTime()
        var ran: [Int64] = []
        for moment in [9, 10, 11] as [Int64] { time.at(uptime(moment)) { ran.append(moment) } }
        time.run(until: uptime(10))
        #expect(ran == [9, 10])
        #expect(time.now == uptime(10))
        #expect(time.nextTime == uptime(11))
        time.run(for: 1)
        #expect(ran == [9, 10, 11])
        #expect(time.isIdle)
    }

    @Test("what is asked for in the past runs now, behind what waits for now")
    func past() {
        let time = VirtualTime(now: uptime(100))
        var ran: [String] = []
        time.at(uptime(100)) { ran.append("first") }
        time.at(uptime(3)) { ran.append("late@\(time.now.milliseconds)") }
        time.runUntilIdle()
        #expect(ran == ["first", "late@100"])
    }

    @Test("time never runs backwards")
    func backwards() {
        let time = VirtualTime(now: uptime(100))
        time.run(until: uptime(50))
        #expect(time.now == uptime(100))
    }

    @Test("an event may add others, and an endless chain is stopped by the limit")
    func chains() {
        let time = VirtualTime()
        var count = 0
        func again() {
            count += 1
            time.after(1, again)
        }
        again()
        #expect(!time.runUntilIdle(limit: 50))
        #expect(count == 51)
        #expect(time.now == uptime(50))
    }

    @Test("a token of an event that ran cancels nothing, even when its place was taken again")
    func staleToken() {
        let time = VirtualTime()
        let old = time.at(uptime(1)) {}
        time.step()
        var ran = false
        time.at(uptime(2)) { ran = true }
        #expect(!time.cancel(old))
        time.step()
        #expect(ran)
    }

    @Test("an idle world takes no step")
    func idle() { #expect(!VirtualTime().step()) }
}

@Suite("Node scheduler")
struct NodeSchedulerTests {
    private let time = VirtualTime()

    @Test("a timer fires once, at its time")
    func fires() {
        var fired: [(Timer, Int64)] = []
        let scheduler = NodeScheduler(time)
        scheduler.fire = { fired.append(($0, time.now.milliseconds)) }
        scheduler.schedule(.announce, at: uptime(20))
        scheduler.schedule(.maintenance, at: uptime(10))
        time.runUntilIdle()
        #expect(fired.map(\.0) == [.maintenance, .announce])
        #expect(fired.map(\.1) == [10, 20])
        #expect(scheduler.count == 0)
    }

    @Test("an equal timer replaces the one that waits, earlier or later; others stay")
    func replaces() {
        var fired: [String] = []
        let scheduler = NodeScheduler(time) { fired.append("\($0)@\(time.now.milliseconds)") }
        scheduler.schedule(.train(1), at: uptime(10))
        scheduler.schedule(.train(2), at: uptime(15))
        scheduler.schedule(.train(1), at: uptime(20))
        scheduler.schedule(.ping(1), at: uptime(30))
        scheduler.schedule(.ping(1), at: uptime(5))
        #expect(scheduler.count == 3)
        time.runUntilIdle()
        #expect(fired == ["ping(1)@5", "train(2)@15", "train(1)@20"])
    }

    @Test("a cancelled timer does not fire, and cancelling what does not wait changes nothing")
    func cancels() {
        let scheduler = NodeScheduler(time) { _ in Issue.record("must not fire") }
        scheduler.cancel(.announce)
        scheduler.schedule(.announce, at: uptime(1))
        #expect(scheduler.isWaiting(.announce))
        scheduler.cancel(.announce)
        #expect(!scheduler.isWaiting(.announce))
        #expect(time.isIdle)
    }

    @Test("a timer may schedule itself again while it fires")
    func repeats() {
        var count = 0
        let scheduler = NodeScheduler(time)
        scheduler.fire = { [unowned scheduler] timer in
            count += 1
            if count < 3 { scheduler.schedule(timer, at: time.now + 10) }
        }
        scheduler.schedule(.maintenance, at: uptime(10))
        time.runUntilIdle()
        #expect(count == 3)
        #expect(time.now == uptime(30))
    }

    @Test("after a crash nothing fires and nothing is left in the queue")
    func crash() {
        let scheduler = NodeScheduler(time) { _ in Issue.record("must not fire") }
        for number in 0..<10 { scheduler.schedule(.train(UInt64(number)), at: uptime(1)) }
        scheduler.cancelAll()
        #expect(scheduler.count == 0)
        #expect(time.isIdle)
    }

    @Test("replacing a timer a hundred thousand times leaves one entry in the queue")
    func replacedOften() {
        let scheduler = NodeScheduler(time)
        for index in 0..<100_000 { scheduler.schedule(.maintenance, at: uptime(Int64(index))) }
        #expect(time.pendingCount == 1)
    }
}

@Suite("Node clock")
struct NodeClockTests {
    @Test("the wall shows base, uptime and skew; a jump moves the wall only")
    func jumps() {
        let time = VirtualTime()
        let clock = NodeClock(time, base: WallTime(milliseconds: 1_000_000), skew: -300)
        time.run(until: uptime(500))
        #expect(clock.wall == WallTime(milliseconds: 1_000_200))
        clock.jump(by: 10_000)
        #expect(clock.wall == WallTime(milliseconds: 1_010_200))
        #expect(clock.uptime == uptime(500))
    }

    @Test("a skew beyond the range is kept at its ends")
    func range() {
        let time = VirtualTime(now: uptime(5))
        #expect(NodeClock(time, base: WallTime(milliseconds: 10), skew: -100).wall.milliseconds == 0)
        #expect(NodeClock(time, base: WallTime(milliseconds: .max - 10), skew: 100).wall.milliseconds == .max)
    }
}
