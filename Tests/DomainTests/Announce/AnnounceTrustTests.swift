import Domain
import Support
import Testing

@Suite("Whether an announce is believed (spec: mesh §12.3)")
struct AnnounceTrustTests {
    private static func noise(_ byte: UInt8) throws -> AgreementPublicKey {
        AgreementPublicKey(try #require(Bytes32([UInt8](repeating: byte, count: 32))))
    }
    private static func signing(_ byte: UInt8) throws -> SigningPublicKey {
        SigningPublicKey(try #require(Bytes32([UInt8](repeating: byte, count: 32))))
    }

    @Test("vectors", arguments: Vectors.cases("ingress-policy", op: "announce_trust"))
    func vectors(vector: VectorCase) throws {
        func key(_ name: String) throws -> Bytes32? {
            let member = vector.input.member(name)
            guard !member.isNull else { return nil }
            let bytes: Bytes32 = try #require(member.hex.flatMap { Bytes32($0) })
            return bytes
        }
        let noiseKey = try #require(try key("announced_noise_key"))
        let signingKey = try #require(try key("announced_signing_key"))
        let known = AnnounceTrust.Knowledge(
            noiseKeys: try key("known_noise_key").map { [AgreementPublicKey($0)] } ?? [],
            authenticatedSigningKey: try key("authenticated_signing_key").map { SigningPublicKey($0) },
            pinnedSigningKey: try key("known_signing_key").map { SigningPublicKey($0) })
        let isValid = vector.input.member("signature_valid").bool == true
        let trust = AnnounceTrust.judge(
            noiseKey: AgreementPublicKey(noiseKey), signingKey: SigningPublicKey(signingKey), known: known,
            isSigned: vector.input.member("has_signature").bool == true, verifies: { isValid })
        #expect(trust.rawValue == vector.output.member("verdict").string)
    }

    @Test("rows 1 to 6 of the table, each before the next one")
    func rows() throws {
        let (mine, other) = (try Self.noise(1), try Self.noise(2))
        let (key, foreign) = (try Self.signing(1), try Self.signing(2))
        typealias Row = (AnnounceTrust.Knowledge, signed: Bool, valid: Bool, AnnounceTrust)
        let rows: [Row] = [
            (.init(noiseKeys: [other], authenticatedSigningKey: foreign), false, false, .noiseKeyMismatch),
            (.init(noiseKeys: [mine, other]), true, true, .noiseKeyMismatch),
            (
                .init(noiseKeys: [mine], authenticatedSigningKey: foreign, pinnedSigningKey: foreign), false, false,
                .authenticatedKeyMismatch
            ),
            (
                .init(noiseKeys: [mine], authenticatedSigningKey: key, pinnedSigningKey: foreign), false, false,
                .signingKeyMismatch
            ),
            (.init(pinnedSigningKey: foreign), true, true, .signingKeyMismatch),
            (.init(noiseKeys: [mine], pinnedSigningKey: key), false, true, .missingSignature),
            (.init(), false, false, .missingSignature),
            (.init(noiseKeys: [mine], pinnedSigningKey: key), true, false, .invalidSignature),
            (
                .init(noiseKeys: [mine, mine], authenticatedSigningKey: key, pinnedSigningKey: key), true, true,
                .verified
            ),
            (.init(), true, true, .verified),
        ]
        for (known, isSigned, isValid, expected) in rows {
            let trust = AnnounceTrust.judge(
                noiseKey: mine, signingKey: key, known: known, isSigned: isSigned, verifies: { isValid })
            #expect(trust == expected)
        }
    }

    @Test("the signature is checked only when all else holds")
    func cost() throws {
        let (mine, other) = (try Self.noise(1), try Self.noise(2))
        let (key, foreign) = (try Self.signing(1), try Self.signing(2))
        var checks = 0
        func judge(_ known: AnnounceTrust.Knowledge, isSigned: Bool = true) {
            _ = AnnounceTrust.judge(noiseKey: mine, signingKey: key, known: known, isSigned: isSigned) {
                checks += 1
                return true
            }
        }
        judge(.init(noiseKeys: [other]))
        judge(.init(authenticatedSigningKey: foreign))
        judge(.init(pinnedSigningKey: foreign))
        judge(.init(), isSigned: false)
        #expect(checks == 0)
        judge(.init())
        #expect(checks == 1)
    }
}
