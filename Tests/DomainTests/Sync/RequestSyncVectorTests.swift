import Domain
import Support
import Testing

@Suite("Sync request vectors")
struct RequestSyncVectorTests {
    /// Encodings of an encoder without checks; refusing them is as good, says the vectors' description.
    private static let refusedByChoice: Set = ["p-300-masked", "data-1025-encodes"]

    @Test("every vector holds", arguments: Vectors.cases("request-sync"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "encode": try encode(vector)
        case "decode":
            let request = RequestSync(try vector.input.bytes("payload")[...])
            vector.expect(
                request.map {
                    .object([
                        "p": .number($0.p), "m": .number($0.m), "data": .hex($0.data),
                        "types": .number($0.types?.rawValue), "since": .number($0.since?.milliseconds),
                        "fragment_filter": .optional($0.fragmentFilter?.text),
                    ])
                })
        case "fragment_filter_encode":
            // An identifier of another width than eight bytes cannot be written down in our type.
            let streams = try vector.input.list("ids").compactMap(\.hex).compactMap { FragmentID($0) }
            vector.expect(FragmentFilter(streams: streams).map { .object(["filter": .string($0.text)]) })
        case "fragment_filter_decode":
            let filter = FragmentFilter(text: try vector.input.text("filter"))
            let streams = filter.streams.sorted().map { JSONValue.string($0.hex) }
            vector.expect(streams.isEmpty ? nil : .object(["ids": .array(streams)]))
        default: vector.nobodyRunsThis()
        }
    }

    private func encode(_ vector: VectorCase) throws {
        let input = vector.input
        let filter = input.member("fragment_filter").string
        let (m, data): (UInt32, [UInt8]) = (try input.number("m"), try input.bytes("data"))
        let parameter: UInt64 = try input.number("p")
        let request = UInt8(exactly: parameter).flatMap {
            RequestSync(
                p: $0, m: m, data: data, types: input.member("types").unsigned.map { SyncTypeFlags(rawValue: $0) },
                since: input.member("since").unsigned.map { WallTime(milliseconds: $0) },
                fragmentFilter: filter.map { FragmentFilter(text: $0) })
        }
        let payload = request?.encoded
        if let name = vector.json["name"]?.string, Self.refusedByChoice.contains(name) {
            #expect(payload == nil)
        } else {
            vector.expect(payload, is: "payload")
        }
    }
}
