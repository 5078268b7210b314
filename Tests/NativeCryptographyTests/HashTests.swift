import CLibcrypto
import CSodium
import Domain
import NativeCryptography
import Support
import Testing

@Suite("SHA-256, HMAC and HKDF")
struct HashTests {
    private let cryptography = ArrayCryptography()

    @Test("SHA-256 gives the published digests", arguments: Vectors.cases("standard-crypto", op: "sha256"))
    func sha256(vector: VectorCase) throws {
        #expect(cryptography.sha256(try vector.bytes("message")).bytes == (try vector.expected("digest")))
    }

    @Test("HMAC-SHA256 gives the published values", arguments: Vectors.cases("standard-crypto", op: "hmac_sha256"))
    func hmac(vector: VectorCase) throws {
        let mac = cryptography.hmac(try vector.bytes("message"), key: try vector.bytes("key"))
        #expect(mac.bytes == (try vector.expected("mac")))
    }

    @Test("HMAC extracts and expands as RFC 5869 says", arguments: Vectors.cases("standard-crypto", op: "hkdf_sha256"))
    func hkdfRFC(vector: VectorCase) throws {
        let extracted = cryptography.hmac(try vector.bytes("ikm"), key: try vector.bytes("salt"))
        #expect(extracted.bytes == (try vector.expected("prk")))
        let length = try #require(vector.input.member("length").integer)
        var (block, output): ([UInt8], [UInt8]) = ([], [])
        for counter in 1...UInt8((length + 31) / 32) {
            block = cryptography.hmac(block + (try vector.bytes("info")) + [counter], key: extracted.bytes).bytes
            output += block
        }
        #expect(Array(output.prefix(Int(length))) == (try vector.expected("okm")))
    }

    @Test("the Noise HKDF is HMAC over HMAC, with and without input", arguments: [nil, 0, 1, 32, 64, 100] as [Int?])
    func hkdf(inputCount: Int?) {
        let chainingKey = [UInt8](repeating: 0x5a, count: 32)
        let input = inputCount.map { [UInt8](repeating: 0xc3, count: $0) }
        let (first, second) = cryptography.native.hkdf(
            chainingKey: cryptography.secret(chainingKey), input: input.map { cryptography.secret($0) })
        let temporary = cryptography.hmac(input ?? [], key: chainingKey).bytes
        let expected = cryptography.hmac([1], key: temporary).bytes
        #expect(cryptography.bytes(of: first) == expected)
        #expect(cryptography.bytes(of: second) == cryptography.hmac(expected + [2], key: temporary).bytes)
    }

    @Test(
        "both libraries give the digest and the MAC that we give", arguments: [0, 1, 31, 55, 56, 63, 64, 65, 200, 4096])
    func bothLibraries(count: Int) {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
        for keyCount in [32, 64, 65, 131] {
            let key = (0..<keyCount).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
            let mac = cryptography.hmac(message, key: key).bytes
            #expect(mac == Self.libcryptoMAC(message, key: key))
            if keyCount == 32 { #expect(mac == Self.libsodiumMAC(message, key: key)) }
        }
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, message, UInt64(count))
        #expect(cryptography.sha256(message).bytes == digest)
        for cut in [0, count / 3, count] {
            #expect(cryptography.sha256(Array(message[..<cut]), Array(message[cut...])).bytes == digest)
        }
    }

    private static func libcryptoMAC(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: 32)
        HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &mac, nil)
        return mac
    }

    private static func libsodiumMAC(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256(&mac, message, UInt64(message.count), key)
        return mac
    }
}
