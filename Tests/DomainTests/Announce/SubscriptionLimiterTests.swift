import Domain
import Testing

@Suite("Announces for devices that come back (spec: mesh §12.2)")
struct SubscriptionLimiterTests {
    /// Verdicts for one device at these times, in milliseconds.
    private func verdicts(_ times: [Int64], device: String = "a") -> [SubscriptionVerdict] {
        var limiter = SubscriptionLimiter<String>()
        return times.map { limiter.judge(device, at: Uptime(milliseconds: $0)) }
    }

    @Test("the vector: at 0, 1, 2, 3 and 4 s")
    func vector() {
        #expect(verdicts([0, 1000, 2000, 3000, 4000]) == [.allow, .limited, .limited, .limited, .suppress])
    }

    @Test("after 2 s a device starts anew, not a millisecond sooner")
    func firstBackoff() {
        #expect(verdicts([0, 1999]) == [.allow, .limited])
        #expect(verdicts([0, 2000]) == [.allow, .allow])
        #expect(verdicts([0, 2000, 4000, 6000, 8000, 10_000]) == Array(repeating: .allow, count: 6))
    }

    @Test("each refused attempt starts the wait again, and doubles it to 30 s at most")
    func doubling() {
        #expect(verdicts([0, 1000, 4999]) == [.allow, .limited, .limited])
        #expect(verdicts([0, 1000, 5000]) == [.allow, .limited, .allow])
        #expect(verdicts([0, 1, 2, 8001]) == [.allow, .limited, .limited, .limited])
        #expect(verdicts([0, 1, 2, 8002]) == [.allow, .limited, .limited, .allow])
        #expect(verdicts([0, 1, 2, 3, 16_003]) == [.allow, .limited, .limited, .limited, .allow])
        #expect(verdicts([0, 1, 2, 3, 4, 5, 30_004]).suffix(3) == [.suppress, .suppress, .suppress])
        #expect(verdicts([0, 1, 2, 3, 4, 5, 30_005]).suffix(3) == [.suppress, .suppress, .allow])
    }

    @Test("after it was allowed again a device counts from one")
    func counter() {
        #expect(
            verdicts([0, 1, 2, 3, 4, 30_004, 30_005, 30_006, 30_007, 30_008])
                == [
                    .allow, .limited, .limited, .limited, .suppress, .allow, .limited, .limited, .limited, .suppress,
                ])
    }

    @Test("a device is forgotten after a minute, which any attempt of anybody may notice")
    func forgetting() {
        var limiter = SubscriptionLimiter<String>()
        _ = limiter.judge("a", at: Uptime(milliseconds: 0))
        _ = limiter.judge("b", at: Uptime(milliseconds: 59_999))
        #expect(limiter.count == 2)
        _ = limiter.judge("b", at: Uptime(milliseconds: 60_000))
        #expect(limiter.count == 1)
    }

    @Test("devices do not count for each other")
    func separate() {
        var limiter = SubscriptionLimiter<Int>()
        for device in 0..<50 {
            let verdict = limiter.judge(device, at: Uptime(milliseconds: Int64(device)))
            #expect(verdict == .allow)
        }
    }

    @Test("a full table forgets the device that tried longest ago, and keeps its size")
    func bound() {
        var limiter = SubscriptionLimiter<Int>(capacity: 3)
        let now = Uptime(milliseconds: 5)
        for device in [1, 2, 3] { _ = limiter.judge(device, at: now) }
        // The first one tries again, so the second is the oldest.
        let verdicts = [1, 4, 1, 3, 2].map { limiter.judge($0, at: now) }
        #expect(verdicts == [.limited, .allow, .limited, .limited, .allow])
        #expect(limiter.count == 3)
    }

    @Test("a reset forgets everybody")
    func reset() {
        var limiter = SubscriptionLimiter<Int>()
        _ = limiter.judge(1, at: Uptime(milliseconds: 0))
        limiter.reset()
        #expect(limiter.count == 0)
        let verdict = limiter.judge(1, at: Uptime(milliseconds: 1))
        #expect(verdict == .allow)
    }
}
