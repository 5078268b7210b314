import Domain
import Testing

@testable import InMemory

private let model = ModelCryptography()

private func secret(_ seed: UInt64, count: Int = 32) -> ModelCryptography.Secret {
    model.makeSecret(count: count, from: SeededRandomness(seed: seed))
}

private func bytes(_ secret: ModelCryptography.Secret) -> [UInt8] { secret.bytes }

private func hash(_ bytes: [UInt8]) -> Bytes32 { model.sha256(bytes.span) }

// A span cannot pass through `#expect` and `#require`, so these take arrays.

private func sign(_ message: [UInt8], _ seed: ModelCryptography.Secret) -> Signature {
    model.sign(message.span, with: seed)
}

private func verify(_ signature: Signature, _ message: [UInt8], _ key: SigningPublicKey) -> Bool {
    model.verify(signature, of: message.span, by: key)
}

private func schnorrSign(_ message: [UInt8], _ secret: ModelCryptography.Secret, _ auxiliary: UInt128) -> Signature? {
    model.schnorrSign(message.span, with: secret, auxiliary: Bytes32(high: 0, low: auxiliary))
}

private func schnorrVerify(_ signature: Signature, _ message: [UInt8], _ key: Bytes32) -> Bool {
    model.schnorrVerify(signature, of: message.span, by: key)
}

private func imported(_ raw: [UInt8]) -> ModelCryptography.Secret { model.importSecret(raw.span) }

private func flipped(_ key: Bytes32, bit: Int) -> Bytes32 {
    bit < 128
        ? Bytes32(high: key.high ^ 1 << UInt128(bit), low: key.low)
        : Bytes32(high: key.high, low: key.low ^ 1 << UInt128(bit - 128))
}

@Suite("Model cryptography: secrets and hashes")
struct ModelHashTests {
    @Test("a secret lends the bytes that it was made of")
    func secrets() {
        let raw: [UInt8] = [1, 2, 3, 250]
        let imported = model.importSecret(raw.span)
        let lent = model.withBytes(of: imported) { span in span.indices.map { span[$0] } }
        #expect(lent == raw)
        #expect(secret(1).bytes.count == 32)
        #expect(secret(1).bytes != secret(2).bytes)
    }

    @Test("a digest does not depend on where its input is split", arguments: [0, 1, 7, 8, 9, 16, 31, 100])
    func split(at position: Int) {
        let input = SeededRandomness(seed: 1).bytes(100)
        let (head, tail) = (Array(input[..<position]), Array(input[position...]))
        #expect(model.sha256(head.span, tail.span) == hash(input))
    }

    @Test("inputs that are easily confused have different digests: lengths, zeros, places")
    func distinct() {
        var inputs: [[UInt8]] = (0..<100).map { [UInt8](repeating: 0, count: $0) }
        inputs += (0..<100).map { [UInt8](repeating: 255, count: $0 + 1) }
        for position in 0..<64 {
            var input = [UInt8](repeating: 0, count: 64)
            for bit in 0..<8 {
                input[position] = 1 << UInt8(bit)
                inputs.append(input)
            }
        }
        let digests = inputs.map(hash)
        #expect(Set(digests).count == inputs.count)
        #expect(Set(digests.map { UInt64(truncatingIfNeeded: $0.high >> 64) }).count == inputs.count)
    }

    @Test("one flipped input bit changes about half of the digest, in each quarter of it")
    func avalanche() {
        let source = SeededRandomness(seed: 2)
        for length in [1, 8, 32, 100] {
            var changed = [0, 0, 0, 0]
            for _ in 0..<200 {
                var input = source.bytes(length)
                let before = hash(input)
                let bit = source.number(below: length * 8)
                input[bit / 8] ^= 1 << UInt8(bit % 8)
                let after = hash(input)
                for (index, difference) in [before.high ^ after.high, before.low ^ after.low].enumerated() {
                    changed[index * 2] += UInt64(truncatingIfNeeded: difference >> 64).nonzeroBitCount
                    changed[index * 2 + 1] += UInt64(truncatingIfNeeded: difference).nonzeroBitCount
                }
            }
            #expect(changed.allSatisfy { (5800...7000).contains($0) }, "\(length): \(changed)")
        }
    }

    @Test("digests are the same in every process and version: a fixed value")
    func fixed() {
        #expect(hash(Array("satchel".utf8)).hex == "d7291adf491657ffc2c62ca777aa7aa937726714133c76a9663f1ef8366e1956")
    }

    @Test("a keyed hash depends on the key and the message")
    func keyed() {
        let tag = { (key: [UInt8], message: [UInt8]) in model.hmacSHA256(of: message.span, key: key.span) }
        let all = [tag([1], [2]), tag([2], [1]), tag([1], [2, 0]), tag([1, 2], []), tag([], [1, 2]), hash([1, 2])]
        #expect(Set(all).count == all.count)
        #expect(tag([1], [2]) == tag([1], [2]))
    }

    @Test("HKDF gives two different outputs of 32 bytes that depend on both inputs; no input is empty input")
    func hkdf() {
        let (chain, input) = (secret(1), secret(2))
        let runs = [
            model.hkdf(chainingKey: chain, input: input), model.hkdf(chainingKey: input, input: chain),
            model.hkdf(chainingKey: chain, input: nil),
        ]
        let outputs = runs.flatMap { [bytes($0.0), bytes($0.1)] }
        #expect(Set(outputs).count == 6)
        #expect(outputs.allSatisfy { $0.count == 32 })
        let again = model.hkdf(chainingKey: chain, input: secret(3, count: 0))
        #expect([bytes(again.0), bytes(again.1)] == Array(outputs[4...]))
    }
}

@Suite("Model cryptography: sealing")
struct ModelSealingTests {
    private let key = secret(1)
    private let nonce = AEADNonce(counter: 5)
    private let associated: [UInt8] = [1, 2, 3]

    private func seal(_ plaintext: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        model.seal(plaintext.span, key: key, nonce: nonce, associatedData: associated.span, into: &output)
        return output
    }

    private func open(
        _ sealed: [UInt8], key: ModelCryptography.Secret? = nil, nonce: AEADNonce? = nil, associated: [UInt8]? = nil
    ) -> [UInt8]? {
        var output: [UInt8] = [77]
        let additional = associated ?? self.associated
        let isOpen = model.open(
            sealed.span, key: key ?? self.key, nonce: nonce ?? self.nonce, associatedData: additional.span,
            into: &output)
        if !isOpen { #expect(output == [77]) }
        return isOpen ? Array(output.dropFirst()) : nil
    }

    @Test("what was sealed opens, with 16 bytes more on the way", arguments: [0, 1, 7, 8, 9, 64, 1000])
    func roundTrip(count: Int) {
        let plaintext = SeededRandomness(seed: 9).bytes(count)
        let sealed = seal(plaintext)
        #expect(sealed.count == count + 16)
        #expect(open(sealed) == plaintext)
        if count >= 8 { #expect(!sealed.starts(with: plaintext)) }
    }

    @Test("sealing appends")
    func appends() {
        var output: [UInt8] = [9, 9]
        let plaintext: [UInt8] = [1, 2]
        model.seal(plaintext.span, key: key, nonce: nonce, associatedData: associated.span, into: &output)
        #expect(Array(output.prefix(2)) == [9, 9])
        #expect(open(Array(output.dropFirst(2))) == plaintext)
    }

    @Test("another key, nonce or associated data does not open")
    func refused() {
        let sealed = seal([1, 2, 3, 4])
        #expect(open(sealed, key: secret(2)) == nil)
        #expect(open(sealed, nonce: AEADNonce(counter: 6)) == nil)
        #expect(open(sealed, nonce: AEADNonce(prefix: 1, suffix: nonce.suffix)) == nil)
        #expect(open(sealed, associated: [1, 2]) == nil)
        #expect(open(sealed, associated: [1, 2, 3, 0]) == nil)
    }

    @Test("a byte moved from the ciphertext to the associated data does not open")
    func moved() {
        let sealed = seal([4, 5, 6])
        #expect(open(Array(sealed.dropFirst()), associated: associated + [sealed[0]]) == nil)
    }

    @Test("no flipped bit opens, in text or tag")
    func flips() {
        let sealed = seal(Array(0..<20))
        for bit in 0..<sealed.count * 8 {
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(open(damaged) == nil)
        }
    }

    @Test("what is shorter than a tag, or cut, does not open", arguments: 0..<20)
    func cut(count: Int) { #expect(open(Array(seal([1, 2, 3, 4]).prefix(count))) == nil) }

    @Test(
        "a wrapped secret comes back under its key, in its place, whole; and not otherwise", arguments: [0, 1, 32, 100])
    func wrapped(count: Int) {
        let wrapped = model.wrap(secret(5, count: count), under: key, nonce: nonce, associatedData: associated.span)
        #expect(wrapped.count == count + 28)
        #expect(wrapped.starts(with: nonce.bytes))
        #expect(unwrap(wrapped) == bytes(secret(5, count: count)))
        #expect(unwrap(wrapped, key: secret(2)) == nil)
        #expect(unwrap(wrapped, associated: [1, 2, 4]) == nil)
        #expect(unwrap(wrapped + [0]) == nil)
        for length in 0..<wrapped.count { #expect(unwrap(Array(wrapped.prefix(length))) == nil) }
        for index in wrapped.indices {
            var damaged = wrapped
            damaged[index] ^= 1
            #expect(unwrap(damaged) == nil)
        }
    }

    private func unwrap(
        _ wrapped: [UInt8], key: ModelCryptography.Secret? = nil, associated: [UInt8]? = nil
    ) -> [UInt8]? {
        let place = associated ?? self.associated
        return model.unwrap(wrapped.span, under: key ?? self.key, associatedData: place.span).map { bytes($0) }
    }
}

@Suite("Model cryptography: keys and signatures")
struct ModelKeyTests {
    @Test("a thousand pairs agree with each other, and nobody else gets their secret")
    func agreement() throws {
        var seen: Set<[UInt8]> = []
        for pair in 0..<1000 as Range<UInt64> {
            let (alice, bob, eve) = (secret(3 * pair), secret(3 * pair + 1), secret(3 * pair + 2))
            let (alicePublic, bobPublic) = (model.agreementPublicKey(of: alice), model.agreementPublicKey(of: bob))
            let shared = bytes(try #require(model.agree(alice, with: bobPublic)))
            #expect(shared == bytes(try #require(model.agree(bob, with: alicePublic))))
            #expect(shared != bytes(try #require(model.agree(eve, with: bobPublic))))
            #expect(shared.count == 32)
            seen.insert(shared)
        }
        #expect(seen.count == 1000)
    }

    @Test("a flipped bit of a public key leads to another secret")
    func flippedKey() throws {
        let (alice, bob) = (secret(1), model.agreementPublicKey(of: secret(2)))
        let shared = bytes(try #require(model.agree(alice, with: bob)))
        for bit in 0..<256 {
            let other = AgreementPublicKey(flipped(bob.bytes, bit: bit))
            #expect(bytes(try #require(model.agree(alice, with: other))) != shared)
        }
    }

    @Test(
        "keys of low order give no secret, also with the ignored top bit set",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "0000000000000000000000000000000000000000000000000000000000000080",
        ])
    func lowOrder(text: String) throws {
        let key = try #require(Hex.decode(text).flatMap { Bytes32($0) })
        #expect(model.agree(secret(1), with: AgreementPublicKey(key)) == nil)
    }

    @Test("private keys that clamp to the same one have the same public key")
    func clamping() {
        var raw = [UInt8](repeating: 0, count: 32)
        let plain = model.agreementPublicKey(of: imported(raw))
        (raw[0], raw[31]) = (7, 128)
        #expect(model.agreementPublicKey(of: imported(raw)) == plain)
        raw[1] = 1
        #expect(model.agreementPublicKey(of: imported(raw)) != plain)
    }

    @Test("a signature verifies under its key and for its message only")
    func signatures() {
        let (message, other): ([UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4])
        let (own, foreign) = (model.signingPublicKey(of: secret(1)), model.signingPublicKey(of: secret(2)))
        let signature = sign(message, secret(1))
        #expect(verify(signature, message, own))
        #expect(!verify(signature, other, own))
        #expect(!verify(signature, message, foreign))
        #expect(sign(message, secret(1)) == signature)
        for bit in 0..<256 {
            let first = Signature(first: flipped(signature.first, bit: bit), second: signature.second)
            let second = Signature(first: signature.first, second: flipped(signature.second, bit: bit))
            #expect(!verify(first, message, own))
            #expect(!verify(second, message, own))
        }
    }

    @Test("a forger with a seed of his own signs for nobody else")
    func forged() {
        let victim = model.signingPublicKey(of: secret(0))
        let message: [UInt8] = Array("pay mallory".utf8)
        for seed in 1..<200 as Range<UInt64> {
            #expect(!verify(sign(message, secret(seed)), message, victim))
        }
    }

    @Test("a Schnorr signature depends on the auxiliary bytes and verifies; damaged or foreign ones do not")
    func schnorr() throws {
        let message: [UInt8] = [5, 6]
        let publicKey = try #require(model.schnorrPublicKey(of: secret(1)))
        let signatures = try ([0, 1] as [UInt128]).map { try #require(schnorrSign(message, secret(1), $0)) }
        #expect(signatures[0] != signatures[1])
        for signature in signatures { #expect(schnorrVerify(signature, message, publicKey)) }
        let foreign = try #require(model.schnorrPublicKey(of: secret(2)))
        #expect(!schnorrVerify(signatures[0], message, foreign))
        let crossed = Signature(first: signatures[0].first, second: signatures[1].second)
        #expect(!schnorrVerify(crossed, message, publicKey))
        let damaged = Signature(first: flipped(signatures[0].first, bit: 200), second: signatures[0].second)
        #expect(!schnorrVerify(damaged, message, publicKey))
    }

    @Test(
        "scalars out of range have no Schnorr key and sign nothing",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "01",
        ])
    func scalars(text: String) throws {
        let raw = try #require(Hex.decode(text))
        let invalid = imported(raw)
        #expect(model.schnorrPublicKey(of: invalid) == nil)
        #expect(schnorrSign(raw, invalid, 0) == nil)
    }

    @Test("the largest scalar is valid")
    func largestScalar() throws {
        let raw = try #require(Hex.decode("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140"))
        #expect(model.schnorrPublicKey(of: imported(raw)) != nil)
    }

    @Test("nothing is compressed or normalised")
    func identity() {
        let input: [UInt8] = [1, 2, 3]
        let deflated = NoCompression().deflate(input.span, level: 5, limit: 100)
        let inflated = NoCompression().inflate(input.span, size: 3)
        #expect(deflated == nil && inflated == nil)
        #expect(Array(IdentityNormalization().nfc("e\u{301}").unicodeScalars) == ["e", "\u{301}"])
    }
}
