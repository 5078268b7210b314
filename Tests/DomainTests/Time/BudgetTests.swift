import Domain
import Testing

@Suite("Budgets over time")
struct BudgetTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

    @Test("a bucket gives its capacity at once, then what comes back")
    func bucket() {
        var bucket = TokenBucket(capacity: 5, perSecond: 1, at: at(0))
        let burst = (0..<6).map { _ in bucket.spend(1, at: at(0)) }
        #expect(burst == [true, true, true, true, true, false])
        let tooEarly = bucket.spend(1, at: at(999))
        let inTime = bucket.spend(1, at: at(1000))
        #expect(!tooEarly && inTime)
    }

    @Test("a refused price costs nothing; a clock that goes back gives nothing; the capacity is the most")
    func edges() {
        var bucket = TokenBucket(capacity: 10, perSecond: 1000, at: at(1000))
        let (tooMuch, all) = (bucket.spend(11, at: at(1000)), bucket.spend(10, at: at(1000)))
        #expect(!tooMuch && all)
        let back = bucket.spend(1, at: at(0))
        #expect(!back)
        let (full, more) = (bucket.spend(10, at: at(1_000_000)), bucket.spend(1, at: at(1_000_000)))
        #expect(full && !more)
    }

    @Test("less than one token a second comes back without loss, and looking takes nothing")
    func slow() {
        var bucket = TokenBucket(Allowance(burst: 2, refill: 1, per: .seconds(10)), at: at(0))
        let burst = (0..<3).map { _ in bucket.spend(1, at: at(0)) }
        #expect(burst == [true, true, false])
        let looks = stride(from: 1, to: 10_000, by: 7).map { bucket.holds(1, at: at(Int64($0))) }
        #expect(!looks.contains(true))
        #expect(bucket.holds(1, at: at(10_000)))
        let later = [10_000, 10_000, 19_999, 20_000].map { bucket.spend(1, at: at($0)) }
        #expect(later == [true, false, false, true])
    }

    @Test("prices and times at the ends of their ranges do not trap")
    func extremes() {
        var bucket = TokenBucket(capacity: 10, perSecond: 1_000_000_000, at: at(0))
        let (huge, negative) = (bucket.spend(.max, at: at(0)), bucket.spend(-1, at: at(0)))
        #expect(!huge && !negative)
        let late = bucket.spend(10, at: at(.max))
        #expect(late)
    }

    @Test("a window counts what is younger than it, and refused events do not count")
    func window() {
        var window = RateWindow(limit: 2, window: .seconds(1))
        var granted: [Bool] = []
        for time in [0, 10, 20, 999, 1000, 1001, 1010] as [Int64] {
            let isAllowed = window.allows(at: at(time))
            if isAllowed { window.record(at: at(time)) }
            granted.append(isAllowed)
        }
        #expect(granted == [true, true, false, false, true, false, true])
        #expect(!window.isIdle(at: at(2009)))
        #expect(window.isIdle(at: at(2010)))
    }
}

@Suite("Freshness (spec: mesh §6)")
struct FreshnessTests {
    @Test(
        "the age itself still counts; near the origin nothing is stale",
        arguments: [
            (1_000_000, 100_000, false), (1_000_000, 99_999, true), (900_000, 0, false), (899_999, 0, false),
            (0, UInt64.max, false),
        ] as [(UInt64, UInt64, Bool)])
    func stale(now: UInt64, timestamp: UInt64, isStale: Bool) {
        let time = WallTime(milliseconds: timestamp)
        #expect(time.isStale(at: WallTime(milliseconds: now), maximumAge: .seconds(900)) == isStale)
    }

    @Test("distances and sums do not overflow")
    func overflow() {
        let (first, last) = (WallTime(milliseconds: 0), WallTime(milliseconds: .max))
        #expect(first.distance(to: last) == .max)
        #expect(last.distance(to: first) == .max)
        #expect(last.adding(.seconds(1)) == last)
    }
}
