import Domain
import Testing

@Suite("When our prekeys are published")
struct BundleThrottleTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

    @Test("the first time at once, then once an hour; refused attempts do not put it off")
    func hourly() {
        var throttle = BundleThrottle()
        var passed: [Int64] = []
        for time in [0, 1, 3_599_999, 3_600_000, 3_600_001, 7_199_999, 7_200_000] as [Int64]
        where throttle.admits(at: at(time)) { passed.append(time) }
        #expect(passed == [0, 3_600_000, 7_200_000])
    }

    @Test("a forced one passes at any time, and the hour runs from it")
    func forced() {
        var throttle = BundleThrottle()
        let passes = [
            throttle.admits(at: at(0)), throttle.admits(forced: true, at: at(10)),
            throttle.admits(forced: true, at: at(10)), throttle.admits(at: at(3_600_000)),
            throttle.admits(at: at(3_600_010)),
        ]
        #expect(passes == [true, true, true, false, true])
    }

    @Test("a new identity begins anew")
    func reset() {
        var throttle = BundleThrottle()
        _ = throttle.admits(at: at(0))
        throttle.reset()
        let passes = throttle.admits(at: at(1))
        #expect(passes)
    }
}
