import Domain
import Testing

@Suite("Golomb-coded sets")
struct GCSFilterTests {
    private let cryptography = PacketTools.cryptography

    private func hashes(_ ids: [[UInt8]]) -> [SyncHash] {
        ids.map { SyncHash(ofBytes: $0.span, using: cryptography) }
    }

    private func hashes(_ count: Int, seed: UInt64) -> [SyncHash] {
        var generator = PacketTestGenerator(seed: seed)
        return (0..<count).map { _ in SyncHash(rawValue: generator.next()) }
    }

    @Test("the specification's examples")
    func published() throws {
        let id = SyncID(of: .hello, using: cryptography)
        #expect(id.hex == "60a2076dcd370c6e8fa308abfd322cd0")
        let hash = SyncHash(of: id, using: cryptography)
        #expect(hash.rawValue == 0x4283_8d39_3c29_6528)
        let one = GCSFilter.build([hash])
        #expect(one.covered == 1 && one.filter == GCSFilter(parameter: 7, modulus: 128, data: [0x27]))
        #expect(GCSSet(one.filter).values == [40])

        let eight = hashes((0..<8).map { [UInt8](repeating: $0, count: 16) })
        let values: [UInt32] = [469, 77, 566, 838, 670, 446, 154, 602]
        #expect(eight.map { $0.value(modulus: 1024) } == values)
        let filter = GCSFilter.build(eight).filter
        #expect(Hex.encode(filter.data) == "4c4cc8c59808d0e4e0")
        #expect(GCSSet(filter).values == values.sorted())

        let many = hashes((0..<200).map { i in (0..<16).map { UInt8(truncatingIfNeeded: 31 * i + $0) } })
        let short = GCSFilter.build(many, maximumBytes: 32)
        #expect(short.covered == 28 && short.filter.modulus == 3584)
        #expect(
            Hex.encode(short.filter.data) == "0791f88ac188613ee61e166c1bd8c6c096c255810bc17c27277127becc03c0")
    }

    @Test(
        "the rate of wrong matches fixes the parameter",
        arguments: [
            (0.01, 7), (0.001, 10), (0.05, 5), (0.25, 2), (0.9, 2), (2, 2), (1e-6, 20), (0, 20), (-1, 20), (0.125, 3),
        ] as [(Double, UInt8)])
    func parameter(rate: Double, parameter: UInt8) {
        #expect(GCSFilter.parameter(falsePositiveRate: rate) == parameter)
    }

    @Test(
        "how many fit",
        arguments: [(400, 7, 355), (1024, 7, 910), (1024, 12, 585), (1024, 1, 2730), (1, 7, 1), (0, 7, 1), (32, 7, 28)]
            as [(Int, UInt8, Int)])
    func capacity(bytes: Int, parameter: UInt8, count: Int) {
        #expect(GCSFilter.capacity(bytes: bytes, parameter: parameter) == count)
        #expect(SyncPolicy.filterParameter == GCSFilter.parameter(falsePositiveRate: SyncPolicy.falsePositiveRate))
    }

    @Test("what does not fit is not covered, and the data keep to the limit")
    func budget() {
        for bytes in [1, 2, 9, 10, 33, 400, 1024] {
            for parameter in [1, 2, 7, 12, 20, 32] as [UInt8] {
                let (filter, covered) = GCSFilter.build(
                    hashes(1500, seed: UInt64(bytes)), maximumBytes: bytes, parameter: parameter)
                #expect(filter.data.count <= bytes)
                let capacity = GCSFilter.capacity(bytes: bytes, parameter: parameter)
                // One identifier alone may be longer than the limit.
                #expect(covered == min(1500, capacity) || covered == 0 && capacity == 1)
            }
        }
        #expect(GCSFilter.build([], maximumBytes: 400).covered == 0)
        #expect(GCSFilter.build([]).filter == .empty)
        #expect(GCSFilter.build(hashes(5000, seed: 1), maximumBytes: .max).filter.data.count <= 1024)
        #expect(GCSFilter.build(hashes(5, seed: 1), maximumBytes: -1).covered == 0)
    }

    @Test("all that is covered is found, and one of 128 others", arguments: [1, 2, 3, 50, 355] as [Int])
    func membership(count: Int) {
        let held = hashes(count, seed: 7)
        for shortening in [0, 1, UInt64(count * 8)] {
            let set = GCSSet(GCSFilter.build(held, shortening: shortening).filter)
            #expect(held.allSatisfy { set.contains($0) })
            let wrong = hashes(20_000, seed: 8).count { set.contains($0) }
            #expect((100...210).contains(wrong), "\(wrong) of 20,000 others match")
        }
    }

    @Test("hostile parameters make no filter, and a filter of nothing holds nothing")
    func refusals() {
        #expect(GCSFilter(parameter: 0, modulus: 100, data: [1]) == nil)
        #expect(GCSFilter(parameter: 33, modulus: 100, data: [1]) == nil)
        #expect(GCSFilter(parameter: 255, modulus: 100, data: [1]) == nil)
        #expect(GCSFilter(parameter: 7, modulus: 0, data: [1]) == nil)
        #expect(GCSFilter(parameter: 7, modulus: 100, data: [UInt8](repeating: 0, count: 1025)) == nil)
        let nothing = GCSSet(.empty)
        #expect(nothing.values.isEmpty && !nothing.contains(SyncHash(rawValue: 0)))
        let one = GCSFilter(parameter: 1, modulus: 1, data: [UInt8](repeating: 0, count: 1024))
        #expect(one.map { GCSSet($0).values } == [])
        #expect(one.map { GCSSet($0).contains(SyncHash(rawValue: 5)) } == false)
    }

    @Test("no filter holds more than its bits can say")
    func bounded() throws {
        for parameter in 1...32 as ClosedRange<UInt8> {
            for byte in [0x00, 0xFF, 0x55, 0x80] as [UInt8] {
                let data = [UInt8](repeating: byte, count: 1024)
                let filter = try #require(GCSFilter(parameter: parameter, modulus: .max, data: data))
                let values = GCSSet(filter).values
                #expect(values.count <= 8192 / (Int(parameter) + 1))
                #expect(values.capacity <= 2 * 8192 / (Int(parameter) + 1) + 16)
            }
        }
    }

    @Test("random bits read as a bit by bit reader does, whatever they are")
    func random() throws {
        var generator = PacketTestGenerator(seed: 0x6C5)
        for round in 0..<4000 {
            let parameter = UInt8(generator.next() % 32 + 1)
            let modulus = UInt32(truncatingIfNeeded: generator.next() >> (32 + generator.next() % 31)) | 1
            var data = generator.bytes(Int(generator.next() % 80))
            // Long runs of ones and zeros are what a plain generator never makes.
            for _ in 0..<round % 4 where !data.isEmpty {
                let place = Int(generator.next() % UInt64(data.count))
                for index in place..<min(data.count, place + 12) { data[index] = round % 8 < 4 ? 0xFF : 0 }
            }
            let filter = try #require(GCSFilter(parameter: parameter, modulus: modulus, data: data))
            let set = GCSSet(filter)
            let expected = slowly(filter)
            #expect(set.values == expected, "\(parameter) \(modulus) \(Hex.encode(data))")
            let members = Set(expected)
            for hash in hashes(20, seed: UInt64(round)) {
                #expect(set.contains(hash) == members.contains(hash.value(modulus: modulus)))
            }
            for value in expected { #expect(set.contains(SyncHash(rawValue: UInt64(value)))) }
        }
    }

    /// The decoder of the specification, word by word.
    private func slowly(_ filter: GCSFilter) -> [UInt32] {
        guard filter.modulus > 1 else { return [] }
        var bits = filter.data.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }[...]
        var (values, sum): ([UInt32], UInt64) = ([], 0)
        while true {
            var quotient: UInt64 = 0
            while bits.first == 1 {
                quotient += 1
                bits.removeFirst()
            }
            guard !bits.isEmpty else { return values }
            bits.removeFirst()
            guard bits.count >= Int(filter.parameter) else { return values }
            let remainder = bits.prefix(Int(filter.parameter)).reduce(UInt64(0)) { $0 << 1 | UInt64($1) }
            bits.removeFirst(Int(filter.parameter))
            sum += quotient << UInt64(filter.parameter) + remainder + 1
            guard sum < UInt64(filter.modulus) else { return values }
            values.append(UInt32(sum))
        }
    }
}

extension Packet {
    /// The packet whose identifier the specification gives.
    fileprivate static let hello = Packet(
        type: .message, ttl: 7, timestamp: WallTime(milliseconds: 1_700_000_000_000),
        sender: PeerID(rawValue: 0x1122_3344_5566_7788), payload: Array("hello".utf8))
}
