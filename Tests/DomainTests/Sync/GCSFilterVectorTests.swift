import Domain
import Support
import Testing

@Suite("Golomb-coded set vectors")
struct GCSFilterVectorTests {
    private static let cryptography = PacketTools.cryptography

    @Test("every vector holds", arguments: Vectors.cases("gcs"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "build": try build(vector)
        case "decode":
            vector.expect(.object(["values": .numbers(try filter(vector.input).map { GCSSet($0).values } ?? [])]))
        case "contains":
            let filter = try #require(try filter(vector.input))
            let held = GCSSet(filter)
            let hashes = try hashes(of: vector.input.list("probe_ids").compactMap(\.hex))
            vector.expect(
                .object([
                    "buckets": .numbers(hashes.map { $0.value(modulus: filter.modulus) }),
                    "present": .array(hashes.map { .bool(held.contains($0)) }),
                ]))
        case "bucket":
            let id = try vector.input.bytes("id")
            let hash = SyncHash(ofBytes: id.span, using: Self.cryptography)
            vector.expect(.object(["bucket": .number(hash.value(modulus: try vector.input.number("m")))]))
        default: vector.nobodyRunsThis()
        }
    }

    private func build(_ vector: VectorCase) throws {
        let rate = try #require(vector.input.member("fpr").double)
        let parameter = GCSFilter.parameter(falsePositiveRate: rate)
        let (filter, covered) = GCSFilter.build(
            try hashes(of: try ids(vector.input)), maximumBytes: try vector.input.number("max_bytes"),
            parameter: parameter)
        vector.expect(
            .object([
                "p": .number(filter.parameter), "m": .number(filter.modulus), "data": .hex(filter.data),
                "included": .number(covered), "decoded": .numbers(GCSSet(filter).values),
            ]))
    }

    /// The filter of a vector; `nil` where the parameters are refused.
    private func filter(_ input: JSONValue) throws -> GCSFilter? {
        let parameter: UInt64 = try input.number("p")
        return GCSFilter(
            parameter: try #require(UInt8(exactly: parameter)), modulus: try input.number("m"),
            data: try input.bytes("data"))
    }

    /// The identifiers of a vector: listed, or drawn from a seed.
    private func ids(_ input: JSONValue) throws -> [[UInt8]] {
        if let listed = input["ids"]?.array { return listed.compactMap(\.hex) }
        let seed = try input.bytes("id_seed")
        let count: UInt32 = try input.number("id_count")
        return (0..<count).map { index in
            let bytes = seed + PacketBytes.of(index)
            return Array(Self.cryptography.sha256(bytes.span).bytes.prefix(16))
        }
    }

    private func hashes(of ids: [[UInt8]]) throws -> [SyncHash] {
        ids.map { SyncHash(ofBytes: $0.span, using: Self.cryptography) }
    }
}

extension JSONValue {
    /// A list of numbers.
    static func numbers(_ values: some Sequence<some BinaryInteger>) -> JSONValue {
        .array(values.map { .number($0) })
    }

    /// A decimal.
    var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
}
