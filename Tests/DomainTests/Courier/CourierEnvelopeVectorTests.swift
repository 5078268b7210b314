import Domain
import Support
import Testing

@Suite("Envelope vectors")
struct CourierEnvelopeVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("courier-envelope"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "encode": try encode(vector)
        case "decode":
            let envelope = CourierEnvelope(try input.bytes("payload")[...])
            vector.expect(
                envelope.map {
                    .object([
                        "tag": .hex($0.tag.bytes), "expiry": .number($0.expiry.milliseconds),
                        "ciphertext": .hex($0.ciphertext), "copies": .number($0.budget.copies),
                        "prekey_id": .number($0.prekeyID),
                    ])
                })
        case "recipient_tag":
            let tag = RecipientTag(
                for: AgreementPublicKey(try input.bytes32("noise_key")),
                on: UTCDay(number: try input.number("epoch_day")), using: payloadCryptography)
            vector.expect(tag.bytes, is: "tag")
        case "candidate_tags":
            let seconds: UInt64 = try input.number("unix_seconds")
            let day = UTCDay(WallTime(milliseconds: seconds * 1000))
            let tags = RecipientTag.candidates(
                for: AgreementPublicKey(try input.bytes32("noise_key")), around: day, using: payloadCryptography)
            vector.expect(
                .object(["epoch_day": .number(day.number), "tags": .array(tags.map { .hex($0.bytes) })]))
        case "expired":
            let envelope = CourierEnvelope(
                tag: RecipientTag(rawValue: 0), expiry: try input.time("expiry"), ciphertext: [0])
            let isExpired = try #require(envelope).isExpired(at: try input.time("now_ms"))
            vector.expect(.object(["expired": .bool(isExpired)]))
        default: vector.nobodyRunsThis()
        }
    }

    private func encode(_ vector: VectorCase) throws {
        let input = vector.input
        let budget = SprayBudget(clamping: try input.number("copies"))
        let prekeyID: UInt32? = input.member("prekey_id").isNull ? nil : try input.number("prekey_id")
        let expiry = try input.time("expiry")
        let ciphertext = try input.bytes("ciphertext")
        let envelope = RecipientTag(try input.bytes("tag")).flatMap {
            CourierEnvelope(tag: $0, expiry: expiry, ciphertext: ciphertext, budget: budget, prekeyID: prekeyID)
        }
        vector.expect(
            envelope?.encoded.map {
                .object(["payload": .hex($0), "copies_effective": .number(budget.copies)])
            })
    }
}
