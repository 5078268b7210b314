import Domain
import Testing

@Suite("Clock check at ingress")
struct IngressClockTests {
    @Test(
        "120 s on either side are accepted, a millisecond more is not",
        arguments: [
            (0, true), (119_999, true), (120_000, true), (120_001, false), (121_000, false), (UInt64(1) << 60, false),
        ] as [(UInt64, Bool)])
    func skew(distance: UInt64, accepted: Bool) {
        let now = WallTime(milliseconds: 1 << 62)
        #expect(IngressGuard.isFresh(WallTime(milliseconds: now.milliseconds - distance), at: now) == accepted)
        #expect(IngressGuard.isFresh(WallTime(milliseconds: now.milliseconds + distance), at: now) == accepted)
    }

    @Test("the ends of the clock do not overflow", arguments: [0, .max] as [UInt64])
    func extremes(timestamp: UInt64) {
        let now = WallTime(milliseconds: 1_750_000_000_000)
        #expect(!IngressGuard.isFresh(WallTime(milliseconds: timestamp), at: now))
        #expect(IngressGuard.isFresh(WallTime(milliseconds: timestamp), at: WallTime(milliseconds: timestamp)))
    }

    @Test("answers are accepted for 30 s after we asked, and never unasked")
    func syncResponses() {
        let asked = Uptime(milliseconds: 5000)
        #expect(IngressGuard.isSolicited(requestedAt: asked, at: asked + .seconds(10)))
        #expect(IngressGuard.isSolicited(requestedAt: asked, at: asked + .seconds(30)))
        #expect(!IngressGuard.isSolicited(requestedAt: asked, at: asked + 30_001))
        #expect(!IngressGuard.isSolicited(requestedAt: nil, at: asked))
    }
}
