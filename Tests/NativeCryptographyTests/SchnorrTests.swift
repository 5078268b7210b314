import Domain
import NativeCryptography
import Support
import Testing

@Suite("BIP-340 Schnorr")
struct SchnorrTests {
    private static let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    private let cryptography = ArrayCryptography()

    private static func bytes32(_ vector: VectorCase, _ name: String) throws -> Bytes32 {
        try #require(Bytes32(try vector.bytes(name)))
    }

    @Test("signatures verify as published", arguments: Vectors.cases("bip340"))
    func verify(vector: VectorCase) throws {
        let signature = try #require(Signature(try vector.bytes("signature")))
        let isValid = cryptography.schnorrVerify(
            signature, of: try vector.bytes("message"), by: try Self.bytes32(vector, "public_key"))
        #expect(.bool(isValid) == vector.output.member("valid"))
    }

    @Test(
        "keys and signatures come out as published",
        arguments: Vectors.cases("bip340").filter { $0.input["secret_key"]?.hex != nil })
    func sign(vector: VectorCase) throws {
        let secret = try vector.bytes("secret_key")
        let key = cryptography.native.schnorrPublicKey(of: cryptography.secret(secret))
        #expect(key?.bytes == (try vector.bytes("public_key")))
        for blinding in [nil, Bytes32(high: 1, low: 2)] {
            let message = try vector.bytes("message")
            let signature = NativeCryptography(blinding: blinding).schnorrSign(
                message.span, with: cryptography.secret(secret), auxiliary: try Self.bytes32(vector, "aux_rand"))
            #expect(signature?.bytes == (try vector.bytes("signature")))
        }
    }

    @Test("messages of any length are signed", arguments: [0, 1, 31, 33, 500])
    func anyLength(count: Int) throws {
        let secret = [UInt8](repeating: 5, count: 32)
        let message = [UInt8](repeating: 6, count: count)
        let key = try #require(cryptography.native.schnorrPublicKey(of: cryptography.secret(secret)))
        let signature = try #require(
            cryptography.schnorrSign(message, with: secret, auxiliary: Bytes32(high: 0, low: 0)))
        #expect(cryptography.schnorrVerify(signature, of: message, by: key))
        #expect(!cryptography.schnorrVerify(signature, of: message + [6], by: key))
    }

    @Test(
        "a scalar of zero, of the group order or beyond, and one of another length are refused",
        arguments: [
            String(repeating: "00", count: 32), order, String(repeating: "ff", count: 32), "", "05",
            String(repeating: "05", count: 33),
        ])
    func invalidScalar(hex: String) throws {
        let scalar = try #require(Hex.decode(hex))
        #expect(cryptography.native.schnorrPublicKey(of: cryptography.secret(scalar)) == nil)
        #expect(cryptography.schnorrSign([1], with: scalar, auxiliary: Bytes32(high: 0, low: 0)) == nil)
    }
}
