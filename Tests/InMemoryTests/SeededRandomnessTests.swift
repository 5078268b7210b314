import Domain
import Testing

@testable import InMemory

@Suite("Seeded randomness")
struct SeededRandomnessTests {
    @Test("the generator is xoshiro256**: its published numbers")
    func published() {
        let source = SeededRandomness(state: (1, 2, 3, 4))
        #expect((0..<4).map { _ in source.next() } == [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240])
    }

    @Test("the seed is spread with SplitMix64: its published numbers")
    func spread() {
        var source = SplitMix64(state: 1_234_567)
        #expect((0..<2).map { _ in source.next() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973])
    }

    @Test("the same seed gives the same bytes, another seed gives others")
    func seeds() {
        #expect(SeededRandomness(seed: 7).bytes(1000) == SeededRandomness(seed: 7).bytes(1000))
        #expect(SeededRandomness(seed: 7).bytes(16) != SeededRandomness(seed: 8).bytes(16))
    }

    @Test("a fork does not depend on what was drawn before, nor shift what is drawn after")
    func forks() {
        let drawn = SeededRandomness(seed: 1)
        let fresh = SeededRandomness(seed: 1)
        _ = drawn.bytes(99)
        #expect(drawn.fork("air").bytes(64) == fresh.fork("air").bytes(64))
        #expect(fresh.next() == SeededRandomness(seed: 1).next())
    }

    @Test("forks differ by label, by seed and from their parent")
    func forksDiffer() {
        let root = SeededRandomness(seed: 1)
        let streams = [
            root.fork("a"), root.fork("b"), root.fork("ab"), root.fork("ba"), root.fork(""), root.fork("a").fork("b"),
            SeededRandomness(seed: 2).fork("a"), root,
        ]
        #expect(Set(streams.map { $0.bytes(16) }).count == streams.count)
    }

    @Test("bits are uniform enough: each is set about half of the time")
    func uniform() {
        let source = SeededRandomness(seed: 3)
        var counts = [Int](repeating: 0, count: 64)
        for _ in 0..<10_000 {
            let word = source.next()
            for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
        }
        #expect(counts.allSatisfy { (4750...5250).contains($0) })
    }

    @Test("a bounded number stays below its bound and reaches every value", arguments: [1, 2, 3, 10, 255])
    func bounded(bound: Int) {
        let source = SeededRandomness(seed: 4)
        let drawn = Set((0..<bound * 40).map { _ in source.number(below: bound) })
        #expect(drawn == Set(0..<bound))
    }

    @Test("nothing lies below a bound of zero or less", arguments: [0, -1, Int.min])
    func unbounded(bound: Int) { #expect(SeededRandomness(seed: 4).number(below: bound) == 0) }

    @Test("chances are kept: never, always, about a third")
    func chances() {
        let source = SeededRandomness(seed: 5)
        let draws = { (probability: Double) in (0..<9000).count { _ in source.chance(probability) } }
        #expect(draws(0) == 0)
        #expect(draws(1) == 9000)
        #expect((2800...3200).contains(draws(1.0 / 3)))
    }

    @Test("every byte of a buffer is filled, whatever its length", arguments: [0, 1, 7, 8, 9, 31, 32])
    func fills(count: Int) {
        var seen = [UInt8](repeating: 0, count: count)
        let source = SeededRandomness(seed: 6)
        for _ in 0..<20 { for (index, byte) in source.bytes(count).enumerated() { seen[index] |= byte } }
        #expect(seen.allSatisfy { $0 != 0 })
    }
}
