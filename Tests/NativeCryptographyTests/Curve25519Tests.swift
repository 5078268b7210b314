import CLibcrypto
import Domain
import NativeCryptography
import Support
import Testing

@Suite("X25519")
struct AgreementTests {
    private let cryptography = ArrayCryptography()

    @Test("a scalar and a point give the published result", arguments: Vectors.cases("standard-crypto", op: "x25519"))
    func published(vector: VectorCase) throws {
        let (scalar, point) = (try vector.bytes("scalar"), try vector.bytes("u"))
        let result = try vector.expected("result")
        #expect(try cryptography.agree(scalar, with: point) == result)
        #expect(Self.libcrypto(scalar, point) == result)
    }

    @Test("iterating gives the published results", arguments: Vectors.cases("standard-crypto", op: "x25519_iterated"))
    func iterated(vector: VectorCase) throws {
        var (scalar, point) = (try vector.bytes("start"), try vector.bytes("start"))
        for _ in 0..<(try #require(vector.input.member("iterations").integer)) {
            (scalar, point) = (try #require(try cryptography.agree(scalar, with: point)), scalar)
        }
        #expect(scalar == (try vector.expected("result")))
    }

    @Test("two parties agree as published", arguments: Vectors.cases("standard-crypto", op: "x25519_agreement"))
    func agreement(vector: VectorCase) throws {
        let secret = try vector.bytes("private_b")
        let publicKey = cryptography.native.agreementPublicKey(of: cryptography.secret(secret))
        #expect(publicKey.bytes.bytes == (try vector.expected("public_b")))
        #expect(try cryptography.agree(secret, with: try vector.bytes("public_a")) == (try vector.expected("shared")))
    }

    /// Every point of small order, canonical, not canonical and with the top bit set.
    private static let smallOrder = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    @Test("an all-zero result is none", arguments: smallOrder)
    func allZero(point: String) throws {
        let secret = [UInt8](repeating: 0x42, count: 32)
        #expect(try cryptography.agree(secret, with: try #require(Hex.decode(point))) == nil)
    }

    private static func libcrypto(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, scalar, 32)
        let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, point, 32)
        let context = EVP_PKEY_CTX_new(key, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(key)
            EVP_PKEY_free(peer)
        }
        var (shared, count) = ([UInt8](repeating: 0, count: 32), 32)
        EVP_PKEY_derive_init(context)
        EVP_PKEY_derive_set_peer(context, peer)
        EVP_PKEY_derive(context, &shared, &count)
        return shared
    }
}

@Suite("Ed25519")
struct SigningTests {
    private let cryptography = ArrayCryptography()

    @Test("key and signature are the published ones", arguments: Vectors.cases("standard-crypto", op: "ed25519"))
    func published(vector: VectorCase) throws {
        let (seed, message) = (try vector.bytes("seed"), try vector.bytes("message"))
        let key = cryptography.native.signingPublicKey(of: cryptography.secret(seed))
        #expect(key.bytes.bytes == (try vector.expected("public_key")))
        let signature = cryptography.sign(message, with: seed)
        #expect(signature.bytes == (try vector.expected("signature")))
        #expect(cryptography.verify(signature, of: message, by: key))
        #expect(Self.libcrypto(message, seed) == signature.bytes)
    }

    @Test("one secret signs again and again, from several threads, with one signature")
    func reused() async {
        let native = cryptography.native
        let seed = cryptography.secret([UInt8](repeating: 3, count: 32))
        let message: [UInt8] = [1, 2, 3]
        let signatures = await withTaskGroup(of: Signature.self) { group in
            for _ in 0..<16 { group.addTask { native.sign(message.span, with: seed) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(signatures == [cryptography.sign(message, with: [UInt8](repeating: 3, count: 32))])
    }

    @Test("another message, key or signature does not verify")
    func forged() throws {
        let seed = [UInt8](repeating: 1, count: 32)
        let key = cryptography.native.signingPublicKey(of: cryptography.secret(seed))
        let other = cryptography.native.signingPublicKey(of: cryptography.secret([UInt8](repeating: 2, count: 32)))
        let signature = cryptography.sign([1, 2, 3], with: seed)
        #expect(!cryptography.verify(signature, of: [1, 2, 4], by: key))
        #expect(!cryptography.verify(signature, of: [1, 2, 3], by: other))
        for index in [0, 31, 32, 63] {
            var bytes = signature.bytes
            bytes[index] ^= 1
            #expect(!cryptography.verify(try #require(Signature(bytes)), of: [1, 2, 3], by: key))
        }
    }

    @Test("S plus the group order, which also solves the equation, is refused")
    func nonCanonicalS() throws {
        let seed = [UInt8](repeating: 1, count: 32)
        let key = cryptography.native.signingPublicKey(of: cryptography.secret(seed))
        var bytes = cryptography.sign([1, 2, 3], with: seed).bytes
        // The order, little-endian: 2^252 + 27742317777372353535851937790883648493.
        let order = try #require(Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        var carry: UInt16 = 0
        for index in 0..<32 {
            carry += UInt16(bytes[32 + index]) + UInt16(order[index])
            bytes[32 + index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!cryptography.verify(try #require(Signature(bytes)), of: [1, 2, 3], by: key))
    }

    @Test(
        "a key of small order is refused, although its signature over anything would verify",
        arguments: [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func smallOrder(key: String) throws {
        let publicKey = SigningPublicKey(try #require(Hex.decode(key).flatMap { Bytes32($0) }))
        // R is the neutral element and S is 0: with the key 01 00 … the equation holds for every message.
        let signature = try #require(Signature([1] + [UInt8](repeating: 0, count: 63)))
        #expect(!cryptography.verify(signature, of: [1, 2, 3], by: publicKey))
    }

    private static func libcrypto(_ message: [UInt8], _ seed: [UInt8]) -> [UInt8] {
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, 32)
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
        EVP_DigestSignInit(context, nil, nil, nil, key)
        EVP_DigestSign(context, &signature, &count, message, message.count)
        return signature
    }
}
