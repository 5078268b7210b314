import Domain
import Testing

@Suite("When the scanner listens (spec: mesh §22)")
struct ScanDutyTests {
    private func duty(
        savesPower: Bool = true, isActive: Bool = true, degree: Int, traffic: Int64? = nil
    ) -> ScanDuty {
        ScanDuty.choose(
            savesPower: savesPower, isActive: isActive, degree: degree,
            sinceTraffic: traffic.map { Milliseconds($0) })
    }

    @Test("always, when resting is not wanted or the app is not active")
    func off() {
        #expect(duty(savesPower: false, degree: 20) == .continuous)
        #expect(duty(isActive: false, degree: 20) == .continuous)
    }

    @Test(
        "always with up to two neighbours; 5 s of 15 with three to five; 3 s of 18 from six on",
        arguments: [
            (0, .continuous), (2, .continuous), (3, .cycle(on: .seconds(5), off: .seconds(10))),
            (5, .cycle(on: .seconds(5), off: .seconds(10))), (6, .cycle(on: .seconds(3), off: .seconds(15))),
            (60, .cycle(on: .seconds(3), off: .seconds(15))),
        ] as [(Int, ScanDuty)])
    func neighbours(degree: Int, expected: ScanDuty) { #expect(duty(degree: degree) == expected) }

    @Test("always while there is traffic: within 10 s, inclusive")
    func traffic() {
        #expect(duty(degree: 6, traffic: 0) == .continuous)
        #expect(duty(degree: 6, traffic: 10_000) == .continuous)
        #expect(duty(degree: 6, traffic: 10_001) == RadioPolicy.denseDuty)
        #expect(duty(degree: 3, traffic: 10_001) == RadioPolicy.sparseDuty)
    }
}

@Suite("Traffic tracker (spec: mesh §22)")
struct TrafficTrackerTests {
    @Test("silence is not busy")
    func silence() {
        let tracker = TrafficTracker()
        #expect(tracker.last == nil)
        #expect(!tracker.isBusy(within: .seconds(1000), at: Uptime(milliseconds: 0)))
        #expect(tracker.count(at: Uptime(milliseconds: 0)) == 0)
    }

    @Test("a packet counts for 30 s, and as recent for the span asked for, both inclusive")
    func window() {
        var tracker = TrafficTracker()
        tracker.record(at: Uptime(milliseconds: 1000))
        #expect(tracker.count(at: Uptime(milliseconds: 31_000)) == 1)
        #expect(tracker.count(at: Uptime(milliseconds: 31_001)) == 0)
        #expect(tracker.isBusy(within: .seconds(10), at: Uptime(milliseconds: 11_000)))
        #expect(!tracker.isBusy(within: .seconds(10), at: Uptime(milliseconds: 11_001)))
        #expect(tracker.last == Uptime(milliseconds: 1000))
    }

    @Test("a hundred are remembered, the newest ones")
    func bound() {
        var tracker = TrafficTracker()
        for time in 0..<250 { tracker.record(at: Uptime(milliseconds: Int64(time) * 100)) }
        #expect(tracker.count(at: Uptime(milliseconds: 24_900)) == 100)
        // Those from 15.0 s on are left; at 50.0 s the ones from 20.0 s on are young enough.
        #expect(tracker.count(at: Uptime(milliseconds: 45_000)) == 100)
        #expect(tracker.count(at: Uptime(milliseconds: 50_000)) == 50)
        tracker.reset()
        #expect(tracker.count(at: Uptime(milliseconds: 24_900)) == 0)
    }
}
