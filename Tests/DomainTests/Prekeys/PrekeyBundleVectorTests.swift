import Domain
import Support
import Testing

@Suite("Prekey vectors")
struct PrekeyBundleVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("prekey-bundle"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "sign":
            let offer = try #require(try self.offer(input))
            let seed = try input.secret("ed25519_seed")
            let bundle = PrekeyBundle(signing: offer, with: seed, using: payloadCryptography)
            vector.expect(offer.signedBytes, is: "signable")
            vector.expect(payloadCryptography.signingPublicKey(of: seed).bytes.bytes, is: "public_key")
            vector.expect(bundle.signature.bytes, is: "signature")
            vector.expect(bundle.encoded, is: "payload")
        case "encode":
            let signature = Signature(try input.bytes("signature"))
            let offer = try offer(input)
            let bundle = offer.flatMap { offer in signature.map { PrekeyBundle(offer: offer, signature: $0) } }
            vector.expect(bundle?.encoded, is: "payload")
        case "decode":
            let key = SigningPublicKey(try input.bytes32("public_key"))
            let bundle = PrekeyBundle(try input.bytes("payload")[...])
            vector.expect(
                bundle.map {
                    .object([
                        "bundle": $0.json, "valid": .bool($0.verifies(by: key, using: payloadCryptography)),
                    ])
                })
        default: vector.nobodyRunsThis()
        }
    }

    /// The offer; `nil` when it must be refused, also for a key that has not 32 bytes.
    private func offer(_ input: JSONValue) throws -> PrekeyOffer? {
        guard let owner = input.member("noise_key").bytes32 else { return nil }
        var prekeys: [Prekey] = []
        for entry in try input.list("prekeys") {
            guard let key = entry.member("key").bytes32 else { return nil }
            prekeys.append(Prekey(id: try entry.number("id"), key: AgreementPublicKey(key)))
        }
        return PrekeyOffer(
            owner: AgreementPublicKey(owner), prekeys: prekeys, generatedAt: try input.time("generated_at"))
    }
}

extension PrekeyBundle {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        .object([
            "noise_key": .string(offer.owner.bytes.hex),
            "prekeys": .array(
                offer.prekeys.map { .object(["id": .number($0.id), "key": .string($0.key.bytes.hex)]) }),
            "generated_at": .number(offer.generatedAt.milliseconds), "signature": .hex(signature.bytes),
        ])
    }
}
