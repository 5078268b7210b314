import Domain
import Support
import Testing

/// The set by reference, so that expectations can call what changes it.
private final class Seen {
    private var packets: SeenPackets

    init(seed: UInt64, lifetime: Milliseconds = 300_000, capacity: Int = 1000) {
        packets = SeenPackets(seed: seed, lifetime: lifetime, capacity: capacity)
    }

    var count: Int { packets.count }
    func checkAndInsert(_ key: DedupKey, on link: UInt64 = 0, at now: Uptime) -> Bool {
        packets.checkAndInsert(key, on: link, at: now)
    }
    func mark(_ key: DedupKey, at now: Uptime) { packets.mark(key, at: now) }
    func contains(_ key: DedupKey) -> Bool { packets.contains(key) }
    func cleanUp(at now: Uptime) { packets.cleanUp(at: now) }
    func reset() { packets.reset() }
}

@Suite("Seen packets")
struct SeenPacketsTests {
    private func key(_ number: UInt64) -> DedupKey {
        DedupKey(type: .message, sender: PeerID(rawValue: number), timestamp: WallTime(milliseconds: 1), digest: 0)
    }

    @Test("vectors", arguments: Vectors.cases("dedup", op: "sequence"))
    func vectors(vector: VectorCase) throws {
        let age = try #require(vector.input.member("max_age_s").double)
        let capacity = try #require(vector.input.member("max_count").unsigned)
        let seen = Seen(
            seed: 1, lifetime: Milliseconds(Int64((age * 1000).rounded())), capacity: Int(truncatingIfNeeded: capacity))
        let operations = try #require(vector.input.member("ops").array)
        let results = try #require(vector.output.member("results").array)
        try #require(operations.count == results.count)
        for (index, operation) in operations.enumerated() {
            let fields = try #require(operation.array)
            let seconds = try #require(fields[0].double)
            let now = Uptime(milliseconds: Int64((seconds * 1000).rounded()))
            let number = try #require(UInt64("0" + (fields[2].string ?? ""), radix: 16))
            let id = key(number)
            var answer: Bool?
            switch fields[1].string {
            case "check": answer = seen.checkAndInsert(id, at: now)
            case "contains": answer = seen.contains(id)
            case "mark": seen.mark(id, at: now)
            case "cleanup": seen.cleanUp(at: now)
            case "reset": seen.reset()
            default: Issue.record("unknown operation in \(vector.label)")
            }
            #expect(answer == results[index].bool, "step \(index)")
        }
    }

    @Test("the 1001st packet leaves the newest 750")
    func trim() {
        let seen = Seen(seed: 2)
        for number in 0..<1000 { #expect(!seen.checkAndInsert(key(UInt64(number)), at: Uptime(milliseconds: 0))) }
        #expect(seen.count == 1000)
        #expect(!seen.checkAndInsert(key(1000), at: Uptime(milliseconds: 0)))
        #expect(seen.count == 750)
        #expect(!seen.contains(key(250)))
        #expect(seen.contains(key(251)))
        #expect(seen.contains(key(1000)))
    }

    @Test("a flood on one link does not make the set forget what came on others")
    func linkShare() {
        let seen = Seen(seed: 5)
        for number in 0..<300 as Range<UInt64> {
            _ = seen.checkAndInsert(key(number), on: 1 + number % 3, at: Uptime(milliseconds: 0))
        }
        for number in 1000..<21_000 as Range<UInt64> {
            let isKnown = seen.checkAndInsert(key(number), on: 9, at: Uptime(milliseconds: 1))
            #expect(!isKnown)
        }
        #expect(seen.count <= 1000)
        for number in 0..<300 as Range<UInt64> { #expect(seen.contains(key(number))) }
        #expect(seen.contains(key(20_999)))
    }

    @Test("links that fill the set alike keep equal parts, the newest of each")
    func equalParts() {
        let seen = Seen(seed: 6, capacity: 400)
        for number in 0...400 as ClosedRange<UInt64> {
            _ = seen.checkAndInsert(key(number), on: number % 2, at: Uptime(milliseconds: 0))
        }
        #expect(seen.count == 300)
        #expect(!seen.contains(key(100)))
        for number in 101...400 as ClosedRange<UInt64> { #expect(seen.contains(key(number))) }
    }

    @Test("exactly 300 s are a duplicate, a millisecond more is not")
    func lifetime() {
        let seen = Seen(seed: 3)
        #expect(!seen.checkAndInsert(key(1), at: Uptime(milliseconds: 0)))
        #expect(seen.checkAndInsert(key(1), at: Uptime(milliseconds: 300_000)))
        #expect(!seen.checkAndInsert(key(1), at: Uptime(milliseconds: 300_001)))
    }

    /// The rules in the plainest form, to compare with.
    private struct Model {
        var entries: [(key: DedupKey, time: Int64)] = []
        mutating func expire(_ now: Int64) { entries.removeAll { now - $0.time > 300_000 } }
        func contains(_ key: DedupKey) -> Bool { entries.contains { $0.key == key } }
        mutating func mark(_ key: DedupKey, _ now: Int64) { if !contains(key) { entries.append((key, now)) } }
        mutating func check(_ key: DedupKey, _ now: Int64) -> Bool {
            expire(now)
            if contains(key) { return true }
            entries.append((key, now))
            if entries.count > 40 { entries.removeFirst(entries.count - 30) }
            return false
        }
    }

    @Test("any sequence of operations does what the plain rules do", arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        let seen = Seen(seed: seed, capacity: 40)
        var model = Model()
        var now: Int64 = 0
        for _ in 0..<4000 {
            now += Int64.random(in: 0...9000, using: &generator)
            let key = key(UInt64.random(in: 0..<120, using: &generator))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                seen.cleanUp(at: Uptime(milliseconds: now))
                model.expire(now)
            case 1...6:
                seen.mark(key, at: Uptime(milliseconds: now))
                model.mark(key, now)
            case 7...10: #expect(seen.contains(key) == model.contains(key))
            default:
                let expected = model.check(key, now)
                #expect(seen.checkAndInsert(key, at: Uptime(milliseconds: now)) == expected)
            }
            #expect(seen.count == model.entries.count)
        }
    }
}

@Suite("Ingress registry")
struct IngressRegistryTests {
    private func key(_ number: UInt64) -> DedupKey {
        DedupKey(type: .message, sender: PeerID(rawValue: number), timestamp: WallTime(milliseconds: 1), digest: 0)
    }
    private let alice = PeerID(rawValue: 1)
    private let bob = PeerID(rawValue: 2)

    @Test("a copy within 3 s is stopped and changes nothing; a later one takes over")
    func gate() {
        var registry = IngressRegistry<Int>()
        let first = registry.recordIfNew(key(1), link: 7, peer: alice, at: Uptime(milliseconds: 0))
        let copy = registry.recordIfNew(key(1), link: 8, peer: bob, at: Uptime(milliseconds: 3000))
        #expect(first && !copy)
        #expect(registry[key(1)]?.link == 7)
        let late = registry.recordIfNew(key(1), link: 8, peer: bob, at: Uptime(milliseconds: 3001))
        #expect(late)
        #expect(registry[key(1)]?.link == 8)
        #expect(registry[key(1)]?.peer == bob)
    }

    @Test("lookups ignore age until the cleanup")
    func cleanup() {
        var registry = IngressRegistry<Int>()
        _ = registry.recordIfNew(key(1), link: 7, peer: alice, at: Uptime(milliseconds: 0))
        _ = registry.recordIfNew(key(2), link: 7, peer: alice, at: Uptime(milliseconds: 12_000))
        #expect(registry[key(1)] != nil)
        registry.cleanUp(at: Uptime(milliseconds: 15_000))
        #expect(registry[key(1)] == nil)
        #expect(registry[key(2)] != nil)
        registry.cleanUp(at: Uptime(milliseconds: 15_001))
        #expect(registry.count == 0)
    }

    @Test("a renewed record outlives its first life")
    func renewed() {
        var registry = IngressRegistry<Int>()
        _ = registry.recordIfNew(key(1), link: 7, peer: alice, at: Uptime(milliseconds: 0))
        _ = registry.recordIfNew(key(1), link: 8, peer: alice, at: Uptime(milliseconds: 4000))
        registry.cleanUp(at: Uptime(milliseconds: 5000))
        #expect(registry[key(1)]?.link == 8)
        registry.reset()
        #expect(registry.count == 0)
    }

    @Test("beyond the capacity the oldest go")
    func capacity() {
        var registry = IngressRegistry<Int>(capacity: 100)
        for number in 0..<1000 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 1, peer: alice, at: Uptime(milliseconds: 0))
        }
        #expect(registry.count == 100)
        #expect(registry[key(899)] == nil)
        #expect(registry[key(900)] != nil)
    }

    @Test("a flood on one link pushes out its own records, not those of others")
    func linkShare() {
        var registry = IngressRegistry<Int>(capacity: 100)
        for number in 0..<40 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 1, peer: alice, at: Uptime(milliseconds: 0))
        }
        for number in 1000..<3000 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 2, peer: bob, at: Uptime(milliseconds: 1))
        }
        #expect(registry.count == 100)
        for number in 0..<40 as Range<UInt64> { #expect(registry[key(number)]?.link == 1) }
        // A third link takes from the one that has the most.
        for number in 5000..<5030 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 3, peer: bob, at: Uptime(milliseconds: 2))
        }
        for number in 0..<33 as Range<UInt64> { #expect(registry[key(number + 7)] != nil) }
        for number in 5000..<5030 as Range<UInt64> { #expect(registry[key(number)] != nil) }
        #expect(registry.count == 100)
    }

    @Test("a record that another link renewed counts for that link alone")
    func renewedElsewhere() {
        var registry = IngressRegistry<Int>(capacity: 4)
        for number in 0..<4 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 1, peer: alice, at: Uptime(milliseconds: 0))
        }
        for number in 0..<2 as Range<UInt64> {
            _ = registry.recordIfNew(key(number), link: 2, peer: alice, at: Uptime(milliseconds: 4000))
        }
        _ = registry.recordIfNew(key(9), link: 2, peer: alice, at: Uptime(milliseconds: 4001))
        #expect(registry.count == 4)
        #expect(registry[key(0)] == nil)
        #expect(registry[key(1)]?.link == 2)
        registry.cleanUp(at: Uptime(milliseconds: 7000))
        #expect([1, 9, 2].map { registry[key($0)] != nil } == [true, true, false])
        registry.cleanUp(at: Uptime(milliseconds: 9000))
        #expect(registry.count == 0)
    }
}
