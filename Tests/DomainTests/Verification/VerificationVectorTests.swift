import Domain
import Support
import Testing

@Suite("Verification vectors")
struct VerificationVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("verification"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "qr_build": try build(vector)
        case "qr_verify": try scan(vector)
        case "challenge_encode":
            let challenge = VerificationChallenge(
                noiseKey: AgreementPublicKey(try input.bytes32("noise_key")), nonce: try input.bytes("nonce"))
            vector.expect(challenge.encoded.map { NoisePayload(.verifyChallenge, $0).encoded }, is: "typed")
        case "challenge_decode":
            let challenge = VerificationChallenge(try input.bytes("data")[...])
            vector.expect(
                challenge.map {
                    .object(["noise_key": .string($0.noiseKeyText), "nonce": .hex($0.nonce)])
                })
        case "response_encode":
            let challenge = VerificationChallenge(
                noiseKey: AgreementPublicKey(try input.bytes32("noise_key")), nonce: try input.bytes("nonce"))
            let response = VerificationResponse(
                to: challenge, signedWith: try input.secret("signing_seed"), using: payloadCryptography)
            vector.expect(response.encoded.map { NoisePayload(.verifyResponse, $0).encoded }, is: "typed")
        case "response_decode": try decodeResponse(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func build(_ vector: VectorCase) throws {
        let input = vector.input
        let noiseKey = payloadCryptography.agreementPublicKey(of: try input.secret("noise_private"))
        let now = WallTime(milliseconds: try input.number("now") * 1000)
        let code = VerificationCode(
            noiseKey: noiseKey, npub: input.member("npub").string, nickname: try input.text("nickname"), at: now,
            nonce: try input.identifier("nonce"), signedWith: try input.secret("signing_seed"),
            using: payloadCryptography)
        vector.expect(code.signedBytes, is: "canonical")
        vector.expect(code.signature.bytes, is: "sig")
        // Escaping and order of items are each platform's choice: the two texts must mean the same.
        let theirs = try VerificationCode(
            scanning: try vector.output.text("url"), at: now, using: payloadCryptography)
        let ours = try VerificationCode(scanning: code.url, at: now, using: payloadCryptography)
        #expect(theirs == code)
        #expect(ours == code)
    }

    private func scan(_ vector: VectorCase) throws {
        let now = WallTime(milliseconds: try vector.input.number("now") * 1000)
        let url = try vector.input.text("url")
        let code = try? VerificationCode(scanning: url, at: now, using: payloadCryptography)
        #expect((code == nil) == vector.output.isNull)
        guard let code, let members = vector.output.members else { return }
        let described = JSONValue.object([
            "v": .number(VerificationCode.version), "noise_key": .string(code.noiseKey.bytes.hex),
            "sign_key": .string(code.signingKey.bytes.hex), "npub": .optional(code.npub),
            "nickname": .string(code.nickname), "ts": .number(code.timestamp), "nonce": .string(code.nonce),
            "sig": .hex(code.signature.bytes),
        ])
        for member in members {
            // Keys are values here, so the case of their digits is gone.
            let isKey = member.name == "noise_key" || member.name == "sign_key"
            let expected = isKey ? .optional(member.value.string?.lowercased()) : member.value
            #expect(described[member.name] == expected, "\(member.name)")
        }
    }

    private func decodeResponse(_ vector: VectorCase) throws {
        let key = SigningPublicKey(try vector.input.bytes32("signing_key"))
        let response = VerificationResponse(try vector.input.bytes("data")[...])
        vector.expect(
            response.map {
                .object([
                    "noise_key": .string($0.noiseKeyText), "nonce": .hex($0.nonce), "signature": .hex($0.signature),
                    "valid": .bool($0.verifies(by: key, using: payloadCryptography)),
                ])
            })
    }
}
