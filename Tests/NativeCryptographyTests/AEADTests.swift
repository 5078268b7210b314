import CLibcrypto
import CSodium
import Domain
import NativeCryptography
import Support
import Testing

@Suite("ChaCha20-Poly1305")
struct AEADTests {
    private static let key = [UInt8](0..<32)
    private static let nonce = AEADNonce(counter: 7)
    /// Sizes on both sides of the one where the adapter changes the library.
    private static let sizes = [0, 1, 15, 16, 17, 64, 256, 511, 512, 513, 529, 1024, 4096, 65_535]
    private let cryptography = ArrayCryptography()

    private static func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 13 + 5) } }

    @Test(
        "sealing and opening give the published values",
        arguments: Vectors.cases("standard-crypto", op: "chacha20poly1305"))
    func published(vector: VectorCase) throws {
        let nonce = try #require(AEADNonce(try vector.bytes("nonce")))
        let (key, data) = (try vector.bytes("key"), try vector.bytes("aad"))
        let sealed = try vector.expected("ciphertext") + vector.expected("tag")
        let plaintext = try vector.bytes("plaintext")
        #expect(cryptography.seal(plaintext, key: key, nonce: nonce, associatedData: data) == sealed)
        #expect(cryptography.open(sealed, key: key, nonce: nonce, associatedData: data) == plaintext)
        #expect(Self.libsodium(plaintext, key, nonce, data) == sealed)
        #expect(Self.libcrypto(plaintext, key, nonce, data) == sealed)
    }

    @Test("both libraries give what we give at every size", arguments: sizes)
    func bothLibraries(count: Int) {
        let plaintext = Self.message(count)
        for data in [[], [UInt8](repeating: 9, count: 32)] {
            let sealed = cryptography.seal(plaintext, key: Self.key, nonce: Self.nonce, associatedData: data)
            #expect(sealed == Self.libsodium(plaintext, Self.key, Self.nonce, data))
            #expect(sealed == Self.libcrypto(plaintext, Self.key, Self.nonce, data))
            #expect(cryptography.open(sealed, key: Self.key, nonce: Self.nonce, associatedData: data) == plaintext)
        }
    }

    @Test("output is appended behind what is there", arguments: sizes)
    func appended(count: Int) {
        let sealed = cryptography.seal(Self.message(count), key: Self.key, nonce: Self.nonce, after: [1, 2, 3])
        #expect(sealed.count == 3 + count + aeadTagLength)
        #expect(sealed.prefix(3) == [1, 2, 3])
        let (added, nothing) = (Array(sealed.dropFirst(3)), [UInt8]())
        var output: [UInt8] = [4, 5]
        let isGenuine = cryptography.native.open(
            added.span, key: cryptography.secret(Self.key), nonce: Self.nonce,
            associatedData: nothing.span, into: &output)
        #expect(isGenuine)
        #expect(output == [4, 5] + Self.message(count))
    }

    @Test("a flipped bit anywhere is refused and leaves the output as it was", arguments: [0, 20, 512, 513, 2000])
    func flipped(count: Int) {
        let sealed = cryptography.seal(Self.message(count), key: Self.key, nonce: Self.nonce, associatedData: [1])
        for index in Set([0, count / 2, count, sealed.count - 1]).sorted() {
            var bytes = sealed
            bytes[index] ^= 0x80
            expectRefusal(of: bytes, nonce: Self.nonce, associatedData: [1])
        }
    }

    @Test("another key, nonce or associated data is refused", arguments: [20, 2000])
    func otherContext(count: Int) {
        let sealed = cryptography.seal(Self.message(count), key: Self.key, nonce: Self.nonce, associatedData: [1])
        expectRefusal(of: sealed, nonce: Self.nonce, associatedData: [2])
        expectRefusal(of: sealed, nonce: Self.nonce, associatedData: [])
        expectRefusal(of: sealed, nonce: AEADNonce(counter: 8), associatedData: [1])
        expectRefusal(of: sealed, key: [UInt8](1..<33), nonce: Self.nonce, associatedData: [1])
        expectRefusal(of: Array(sealed.dropLast()), nonce: Self.nonce, associatedData: [1])
        expectRefusal(of: sealed + [0], nonce: Self.nonce, associatedData: [1])
    }

    @Test("input shorter than a tag is refused", arguments: 0..<aeadTagLength)
    func short(count: Int) {
        expectRefusal(of: [UInt8](repeating: 0, count: count), nonce: Self.nonce, associatedData: [])
    }

    @Test("one key seals and opens in turn, at every size, in one secret")
    func turns() {
        let key = cryptography.secret(Self.key)
        let nothing: [UInt8] = []
        for count in Self.sizes + Self.sizes.reversed() {
            let plaintext = Self.message(count)
            var (sealed, opened): ([UInt8], [UInt8]) = ([], [])
            cryptography.native.seal(
                plaintext.span, key: key, nonce: Self.nonce, associatedData: nothing.span, into: &sealed)
            #expect(sealed == Self.libsodium(plaintext, Self.key, Self.nonce, []))
            var forged = sealed
            forged[count] ^= 1
            let accepted = cryptography.native.open(
                forged.span, key: key, nonce: Self.nonce, associatedData: nothing.span, into: &opened)
            #expect(!accepted)
            let genuine = cryptography.native.open(
                sealed.span, key: key, nonce: Self.nonce, associatedData: nothing.span, into: &opened)
            #expect(genuine)
            #expect(opened == plaintext)
        }
    }

    @Test("several threads at once, under one secret, get what one gets")
    func concurrent() async {
        let plaintext = Self.message(3000)
        let expected = cryptography.seal(plaintext, key: Self.key, nonce: Self.nonce)
        let (native, key) = (cryptography.native, cryptography.secret(Self.key))
        let nothing: [UInt8] = []
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var (sealed, opened): ([UInt8], [UInt8]) = ([], [])
                    native.seal(
                        plaintext.span, key: key, nonce: Self.nonce, associatedData: nothing.span, into: &sealed)
                    let genuine = native.open(
                        expected.span, key: key, nonce: Self.nonce, associatedData: nothing.span, into: &opened)
                    return genuine && sealed == expected && opened == plaintext
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 32))
    }

    private func expectRefusal(
        of sealed: [UInt8], key: [UInt8] = key, nonce: AEADNonce, associatedData: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var output: [UInt8] = [4, 5]
        let isGenuine = cryptography.native.open(
            sealed.span, key: cryptography.secret(key), nonce: nonce, associatedData: associatedData.span, into: &output
        )
        #expect(!isGenuine, sourceLocation: sourceLocation)
        #expect(output == [4, 5], sourceLocation: sourceLocation)
    }

    private static func bytes(_ nonce: AEADNonce) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: nonce.prefix)
        bytes.append(bigEndian: nonce.suffix)
        return bytes
    }

    private static func libsodium(_ plaintext: [UInt8], _ key: [UInt8], _ nonce: AEADNonce, _ data: [UInt8]) -> [UInt8]
    {
        var output = [UInt8](repeating: 0, count: plaintext.count + aeadTagLength)
        crypto_aead_chacha20poly1305_ietf_encrypt(
            &output, nil, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil, bytes(nonce), key)
        return output
    }

    private static func libcrypto(_ plaintext: [UInt8], _ key: [UInt8], _ nonce: AEADNonce, _ data: [UInt8]) -> [UInt8]
    {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var (output, tag) = ([UInt8](repeating: 0, count: plaintext.count), [UInt8](repeating: 0, count: aeadTagLength))
        var (written, rest): (Int32, [UInt8]) = (0, [0])
        EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, bytes(nonce))
        if !data.isEmpty { EVP_EncryptUpdate(context, nil, &written, data, Int32(data.count)) }
        EVP_EncryptUpdate(context, &output, &written, plaintext, Int32(plaintext.count))
        EVP_EncryptFinal_ex(context, &rest, &written)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(aeadTagLength), &tag)
        return output + tag
    }
}
