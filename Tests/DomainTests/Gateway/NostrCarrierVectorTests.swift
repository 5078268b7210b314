import Domain
import Support
import Testing

@Suite("Carrier vectors")
struct NostrCarrierVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("nostr-carrier"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "encode": try encode(vector)
        case "decode":
            let carrier = NostrCarrier(try vector.input.bytes("payload")[...])
            vector.expect(
                carrier.map {
                    .object([
                        "direction": .number($0.direction.rawValue), "geohash": .string($0.geohash),
                        "event_json": .optional($0.event.text),
                    ])
                })
        default: vector.nobodyRunsThis()
        }
    }

    private func encode(_ vector: VectorCase) throws {
        let input = vector.input
        let length: Int = try input.number("event_length")
        let event =
            input["event_json"]?.string.map { Array($0.utf8) } ?? [UInt8](repeating: UInt8(ascii: " "), count: length)
        #expect(event.count == length)
        let direction = try #require(NostrCarrier.Direction(rawValue: try input.number("direction")))
        let carrier = NostrCarrier(direction: direction, geohash: try input.text("geohash"), event: event)
        vector.expect(
            carrier?.encoded.map {
                .object([
                    "payload": .hex($0), "length": .number($0.count),
                    "sha256": .string(payloadCryptography.sha256($0.span).hex),
                ])
            })
    }
}
