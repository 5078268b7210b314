import Domain
import Testing

private func at(_ time: Int64) -> Uptime { Uptime(milliseconds: time) }

@Suite("Whether the scanner listens (spec: mesh §19, §21, §22)")
struct ScanPlanTests {
    /// The times, to the millisecond, at which the answer changes.
    private func changes(of plan: ScanPlan, from first: Int64, to last: Int64) -> [Int64] {
        (first + 1...last).filter { plan.isListening(at: at($0)) != plan.isListening(at: at($0 - 1)) }
    }

    @Test("always, at first")
    func continuous() {
        let plan = ScanPlan()
        #expect(plan.isListening(at: at(0)))
        #expect(plan.nextChange(after: at(0)) == nil)
    }

    @Test("a cycle listens first, then rests, and so on")
    func cycle() {
        var plan = ScanPlan()
        plan.set(.cycle(on: 300, off: 1500), at: at(1000))
        #expect(plan.isListening(at: at(1000)))
        #expect(changes(of: plan, from: 1000, to: 5000) == [1300, 2800, 3100, 4600, 4900])
        #expect(plan.nextChange(after: at(1000)) == at(1300))
        #expect(plan.nextChange(after: at(1299)) == at(1300))
        #expect(plan.nextChange(after: at(1300)) == at(2800))
    }

    @Test("the duty set again goes on; another one begins anew; back to always is at once")
    func changeOfDuty() {
        var plan = ScanPlan()
        plan.set(.cycle(on: 300, off: 1500), at: at(0))
        plan.set(.cycle(on: 300, off: 1500), at: at(400))
        #expect(!plan.isListening(at: at(400)))
        plan.set(.cycle(on: 500, off: 1000), at: at(600))
        #expect(changes(of: plan, from: 600, to: 2500) == [1100, 2100])
        plan.set(.continuous, at: at(2700))
        #expect(plan.isListening(at: at(2700)))
        #expect(plan.nextChange(after: at(2700)) == nil)
    }

    @Test("a cycle without listening or without rest is none", arguments: [(0, 1000), (1000, 0), (-5, 5)])
    func senselessCycle(on: Int64, off: Int64) {
        var plan = ScanPlan()
        plan.set(.cycle(on: Milliseconds(on), off: Milliseconds(off)), at: at(0))
        for time in stride(from: Int64(0), to: 3000, by: 100) { #expect(plan.isListening(at: at(time))) }
    }

    @Test(
        "a train of more than four fragments silences it for 20 ms each, 5 s at most",
        arguments: [(0, 0), (4, 0), (5, 100), (249, 4980), (250, 5000), (10_000, 5000), (Int.max >> 8, 5000)]
            as [(Int, Int64)])
    func train(count: Int, pause: Int64) {
        var plan = ScanPlan()
        plan.trainStarts(of: count, at: at(1000))
        #expect(plan.isListening(at: at(1000)) == (pause == 0))
        #expect(plan.isListening(at: at(1000 + pause)))
        if pause > 0 {
            #expect(!plan.isListening(at: at(999 + pause)))
            #expect(plan.nextChange(after: at(1000)) == at(1000 + pause))
        }
    }

    @Test("the end of a link silences it for 0.1 s; a shorter pause does not end a longer one")
    func linkEnded() {
        var plan = ScanPlan()
        plan.linkEnded(at: at(0))
        #expect(changes(of: plan, from: 0, to: 1000) == [100])
        plan.trainStarts(of: 100, at: at(50))
        plan.linkEnded(at: at(60))
        #expect(changes(of: plan, from: 60, to: 5000) == [2050])
    }

    @Test("a pause ends in the cycle's phase, not in a phase of its own")
    func pauseInCycle() {
        var plan = ScanPlan()
        plan.set(.cycle(on: 1000, off: 2000), at: at(0))
        plan.pause(for: 500, at: at(200))
        #expect(changes(of: plan, from: 200, to: 4000) == [700, 1000, 3000, 4000])
        plan.pause(for: 500, at: at(3800))
        #expect(changes(of: plan, from: 3800, to: 7000) == [6000, 7000])
    }

    @Test("a thousand links that end each minute leave it a second of listening after ten")
    func churn() {
        var plan = ScanPlan()
        var (heard, longestDeafness, deaf) = (0, 0, 0)
        for time in 0..<60_000 {
            if time.isMultiple(of: 60) { plan.linkEnded(at: at(Int64(time))) }
            let listens = plan.isListening(at: at(Int64(time)))
            heard += listens ? 1 : 0
            deaf = listens ? 0 : deaf + 1
            longestDeafness = max(longestDeafness, deaf)
        }
        #expect(longestDeafness <= 10_000)
        #expect(heard >= 5000)
    }

    @Test("train after train leaves it as much")
    func trains() {
        var plan = ScanPlan()
        var heard = 0
        for time in 0..<60_000 {
            if time.isMultiple(of: 4000) { plan.trainStarts(of: 1000, at: at(Int64(time))) }
            heard += plan.isListening(at: at(Int64(time))) ? 1 : 0
        }
        #expect(heard >= 5000)
    }

    @Test("until the next change the answers stay as they are", arguments: 0..<40)
    func nextChange(seed: Int) {
        var plan = ScanPlan()
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func roll(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        var now = at(roll(1000))
        plan.started(at: now)
        for _ in 0..<60 {
            switch roll(5) {
            case 0: plan.set(.cycle(on: Milliseconds(1 + roll(400)), off: Milliseconds(1 + roll(900))), at: now)
            case 1: plan.set(.continuous, at: now)
            case 2: plan.pause(for: Milliseconds(roll(700)), at: now)
            case 3: plan.heard(at: now)
            default: break
            }
            let end = plan.nextChange(after: now) ?? now + 500
            #expect(end > now)
            let (listens, restarts) = (plan.isListening(at: now), plan.needsRestart(at: now))
            for time in now.milliseconds..<min(end.milliseconds, now.milliseconds + 2000) {
                #expect(plan.isListening(at: at(time)) == listens)
                #expect(plan.needsRestart(at: at(time)) == restarts)
            }
            now = now + Milliseconds(roll(2) == 0 ? (end - now).count : roll(1500))
        }
    }
}

@Suite("A scanner that went deaf (spec: ble-gatt §4)")
struct ScanWatchdogTests {
    @Test("it is started anew after 120 s without a report, counted from its start or the last report")
    func restart() {
        var plan = ScanPlan()
        #expect(!plan.needsRestart(at: at(500_000)))
        plan.started(at: at(1000))
        #expect(plan.nextChange(after: at(1000)) == at(121_000))
        #expect(!plan.needsRestart(at: at(120_999)))
        #expect(plan.needsRestart(at: at(121_000)))
        plan.heard(at: at(121_000))
        #expect(!plan.needsRestart(at: at(240_999)))
        #expect(plan.needsRestart(at: at(241_000)))
        plan.started(at: at(241_000))
        #expect(!plan.needsRestart(at: at(241_000)))
    }

    @Test("not while it is to be silent")
    func silent() {
        var plan = ScanPlan()
        plan.started(at: at(0))
        plan.pause(for: 1000, at: at(119_500))
        #expect(!plan.needsRestart(at: at(120_400)))
        #expect(plan.nextChange(after: at(120_400)) == at(120_500))
        #expect(plan.needsRestart(at: at(120_500)))
    }
}
