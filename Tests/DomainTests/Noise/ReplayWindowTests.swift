import Domain
import Testing

@Suite("Replay window")
struct ReplayWindowTests {
    /// The rule as the specification words it, with a set instead of bits.
    private struct Model {
        var highest: UInt64 = 0
        var seen: Set<UInt64> = []

        func accepts(_ counter: UInt64) -> Bool {
            if highest >= 1024, counter <= highest - 1024 { return false }
            return counter > highest || !seen.contains(counter)
        }

        mutating func record(_ counter: UInt64) {
            highest = max(highest, counter)
            seen.insert(counter)
        }
    }

    @Test("answers as the rule does, for counters near and far", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func model(seed: UInt64) {
        var (window, model) = (ReplayWindow(), Model())
        var state = seed
        for _ in 0..<20_000 {
            // A small linear generator: the same counters in every run.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let (kind, step) = (state >> 60, state >> 33 % 1500)
            let counter = kind < 3 ? model.highest &+ step / 20 : model.highest - min(model.highest, step)
            #expect(window.accepts(counter) == model.accepts(counter))
            if window.accepts(counter) {
                window.record(counter)
                model.record(counter)
            }
            #expect(window.highest == model.highest)
        }
    }

    @Test("the first counter may be 0, once")
    func zero() {
        var window = ReplayWindow()
        #expect(window.accepts(0))
        window.record(0)
        #expect(!window.accepts(0))
        #expect(window.accepts(1))
    }

    @Test(
        "the lower edge is 1,023 behind the highest",
        arguments: [1023, 1024, 1087, 1088, 4096, 1 << 32, .max] as [UInt64])
    func edge(highest: UInt64) {
        var window = ReplayWindow()
        window.record(highest)
        #expect(window.accepts(highest - 1023))
        #expect(highest == 1023 || !window.accepts(highest - min(highest, 1024)))
        #expect(!window.accepts(highest))
        window.record(highest - 1023)
        #expect(!window.accepts(highest - 1023))
        for behind in 1..<1023 as Range<UInt64> { #expect(window.accepts(highest - behind)) }
    }

    @Test(
        "a jump forgets everything, however far it goes", arguments: [1024, 1025, 1088, 1_000_000, 1 << 40] as [UInt64])
    func jump(distance: UInt64) {
        var window = ReplayWindow()
        for counter in 0..<1024 as Range<UInt64> { window.record(counter) }
        window.record(1023 + distance)
        for behind in 1..<1024 as Range<UInt64> { #expect(window.accepts(1023 + distance - behind)) }
        #expect(!window.accepts(1023))
    }

    @Test("recording a counter behind the window changes nothing")
    func behind() {
        var window = ReplayWindow()
        window.record(5000)
        window.record(5000 - 1088)
        window.record(5000 - 1024)
        #expect(window.highest == 5000)
        for behind in 1..<1024 as Range<UInt64> { #expect(window.accepts(5000 - behind)) }
    }
}
