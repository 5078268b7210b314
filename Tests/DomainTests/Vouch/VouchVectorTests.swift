import Domain
import Support
import Testing

@Suite("Vouch vectors")
struct VouchVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("vouch"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "sign":
            let seed = try input.secret("voucher_seed")
            let attestation = VouchAttestation(
                signing: try vouch(input), with: seed, using: payloadCryptography)
            vector.expect(attestation.vouch.signedBytes, is: "signable")
            vector.expect(payloadCryptography.signingPublicKey(of: seed).bytes.bytes, is: "voucher_key")
            vector.expect(attestation.signature.bytes, is: "signature")
            vector.expect(attestation.encoded, is: "tlv")
        case "decode":
            let voucher = SigningPublicKey(try input.bytes32("voucher_key"))
            let attestation = VouchAttestation(try input.bytes("tlv")[...])
            vector.expect(
                attestation.map {
                    .object([
                        "attestation": $0.json, "valid": .bool($0.verifies(by: voucher, using: payloadCryptography)),
                    ])
                })
        case "encode_list":
            let attestations = try input.list("attestations").map {
                let signature = try #require(Signature(try $0.bytes("signature")))
                return VouchAttestation(vouch: try vouch($0), signature: signature)
            }
            vector.expect(VouchBatch(attestations)?.encoded, is: "payload")
        case "decode_list":
            let batch = VouchBatch(reading: try input.bytes("payload")[...])
            vector.expect(.object(["attestations": .array(batch.attestations.map(\.json))]))
        case "expired":
            let seconds: UInt64 = try input.number("now_seconds")
            let vouch = Vouch(
                subject: Fingerprint(digest: Bytes32(high: 0, low: 0)),
                subjectSigningKey: SigningPublicKey(Bytes32(high: 0, low: 0)), timestamp: try input.time("timestamp_ms")
            )
            vector.expect(.object(["expired": .bool(vouch.isExpired(at: WallTime(milliseconds: seconds * 1000)))]))
        default: vector.nobodyRunsThis()
        }
    }

    private func vouch(_ input: JSONValue) throws -> Vouch {
        Vouch(
            subject: Fingerprint(digest: try input.bytes32("fingerprint")),
            subjectSigningKey: SigningPublicKey(try input.bytes32("signing_key")),
            timestamp: try input.time("timestamp_ms"))
    }
}

extension VouchAttestation {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        .object([
            "fingerprint": .string(vouch.subject.hex), "signing_key": .string(vouch.subjectSigningKey.bytes.hex),
            "timestamp_ms": .number(vouch.timestamp.milliseconds), "signature": .hex(signature.bytes),
        ])
    }
}
