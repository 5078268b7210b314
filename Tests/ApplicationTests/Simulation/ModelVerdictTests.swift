import Domain
import InMemory
import NativeCryptography
import Testing

/// One question that a protocol asks of its cryptography.
struct Verdict: Hashable, CustomStringConvertible {
    let question: String
    let answer: String
    var description: String { "\(question): \(answer)" }
}

/// Simulations are worth what their model is worth: it must accept and refuse what the real primitives do.
@Suite("Model verdicts")
struct ModelVerdictTests {
    @Test("the model accepts, refuses and measures as the real primitives do", arguments: 1...20 as ClosedRange<UInt64>)
    func same(seed: UInt64) {
        let model = verdicts(of: ModelCryptography(), seed)
        #expect(model == verdicts(of: NativeCryptography(), seed))
        #expect(Set(model.map(\.answer)).count > 3)
    }

    private func verdicts<C: Cryptography>(of cryptography: C, _ seed: UInt64) -> [Verdict] {
        sealing(cryptography, seed) + wrapping(cryptography, seed) + signing(cryptography, seed)
            + agreement(cryptography, seed)
            + schnorr(cryptography, seed)
    }

    private func sealing<C: Cryptography>(_ cryptography: C, _ seed: UInt64) -> [Verdict] {
        let dice = SeededRandomness(seed: seed)
        let keys = (0..<2).map { _ in cryptography.makeSecret(count: 32, from: dice) }
        let plaintext = dice.bytes(dice.number(below: 300))
        let associated = dice.bytes(dice.number(below: 40))
        var sealed: [UInt8] = []
        cryptography.seal(
            plaintext.span, key: keys[0], nonce: AEADNonce(counter: seed), associatedData: associated.span,
            into: &sealed)
        var damaged = sealed
        damaged[dice.number(below: damaged.count)] ^= 1 << UInt8(dice.number(below: 8))
        let open = { (name: String, bytes: [UInt8], key: Int, counter: UInt64, associated: [UInt8]) in
            var output: [UInt8] = [9]
            let isOpen = cryptography.open(
                bytes.span, key: keys[key], nonce: AEADNonce(counter: counter), associatedData: associated.span,
                into: &output)
            return Verdict(question: name, answer: "\(isOpen) \(output.count) \(output == [9] + plaintext)")
        }
        return [
            Verdict(question: "length", answer: String(sealed.count)),
            open("opens", sealed, 0, seed, associated), open("another key", sealed, 1, seed, associated),
            open("another nonce", sealed, 0, seed + 1, associated),
            open("other associated data", sealed, 0, seed, associated + [0]),
            open("damaged", damaged, 0, seed, associated),
            open("cut", Array(sealed.dropLast()), 0, seed, associated),
            open("less than a tag", Array(sealed.prefix(15)), 0, seed, associated),
            open("nothing", [], 0, seed, associated),
        ]
    }

    private func wrapping<C: Cryptography>(_ cryptography: C, _ seed: UInt64) -> [Verdict] {
        let dice = SeededRandomness(seed: seed)
        let keys = (0..<2).map { _ in cryptography.makeSecret(count: 32, from: dice) }
        let secret = cryptography.makeSecret(count: dice.number(below: 100), from: dice)
        let place = dice.bytes(dice.number(below: 40))
        let bytes = { (secret: C.Secret) in
            cryptography.withBytes(of: secret) { span in span.indices.map { span[$0] } }
        }
        let wrapped = cryptography.wrap(
            secret, under: keys[0], nonce: AEADNonce(counter: seed), associatedData: place.span)
        var damaged = wrapped
        damaged[dice.number(below: damaged.count)] ^= 1 << UInt8(dice.number(below: 8))
        let unwrap = { (name: String, wrapped: [UInt8], key: Int, place: [UInt8]) in
            let opened = cryptography.unwrap(wrapped.span, under: keys[key], associatedData: place.span)
            return Verdict(
                question: name, answer: opened.map { String(bytes($0) == bytes(secret)) } ?? "does not open")
        }
        return [
            Verdict(question: "wrapped length", answer: String(wrapped.count)), unwrap("unwraps", wrapped, 0, place),
            unwrap("another wrapping key", wrapped, 1, place), unwrap("another place", wrapped, 0, place + [0]),
            unwrap("damaged wrapping", damaged, 0, place),
            unwrap("cut wrapping", Array(wrapped.dropLast()), 0, place),
            unwrap("less than nonce and tag", Array(wrapped.prefix(27)), 0, place), unwrap("nothing", [], 0, place),
        ]
    }

    private func signing<C: Cryptography>(_ cryptography: C, _ seed: UInt64) -> [Verdict] {
        let dice = SeededRandomness(seed: seed)
        let seeds = (0..<2).map { _ in cryptography.makeSecret(count: 32, from: dice) }
        let keys = seeds.map { cryptography.signingPublicKey(of: $0) }
        let message = dice.bytes(dice.number(below: 200))
        let signature = cryptography.sign(message.span, with: seeds[0])
        let (first, second) = (signature.first, signature.second)
        let verify = { (name: String, signature: Signature, message: [UInt8], key: Int) in
            Verdict(
                question: name, answer: String(cryptography.verify(signature, of: message.span, by: keys[key])))
        }
        return [
            Verdict(
                question: "repeatable", answer: String(cryptography.sign(message.span, with: seeds[0]) == signature)),
            verify("verifies", signature, message, 0), verify("another key", signature, message, 1),
            verify("another message", signature, message + [1], 0),
            verify("halves swapped", Signature(first: second, second: first), message, 0),
            verify(
                "first half damaged",
                Signature(first: Bytes32(high: first.high, low: first.low ^ 1), second: second), message, 0),
            verify(
                "second half damaged",
                Signature(first: first, second: Bytes32(high: second.high ^ 1, low: second.low)), message, 0),
        ]
    }

    private func agreement<C: Cryptography>(_ cryptography: C, _ seed: UInt64) -> [Verdict] {
        let dice = SeededRandomness(seed: seed)
        let secrets = (0..<3).map { _ in cryptography.makeSecret(count: 32, from: dice) }
        let keys = secrets.map { cryptography.agreementPublicKey(of: $0) }
        let shared = { (secret: Int, key: AgreementPublicKey) in
            cryptography.agree(secrets[secret], with: key).map { secret in
                cryptography.withBytes(of: secret) { span in span.indices.map { span[$0] } }
            }
        }
        let weak = Self.weakKeys.map { text in
            let key = Hex.decode(text).flatMap { Bytes32($0) }.map { AgreementPublicKey($0) }
            return Verdict(question: text, answer: String(key.flatMap { shared(0, $0) } == nil))
        }
        return weak + [
            Verdict(question: "length", answer: String(shared(0, keys[1])?.count ?? -1)),
            Verdict(question: "both sides agree", answer: String(shared(0, keys[1]) == shared(1, keys[0]))),
            Verdict(question: "a third one does not", answer: String(shared(2, keys[1]) == shared(1, keys[0]))),
        ]
    }

    private func schnorr<C: Cryptography>(_ cryptography: C, _ seed: UInt64) -> [Verdict] {
        let dice = SeededRandomness(seed: seed)
        let secrets = (0..<2).map { _ in cryptography.makeSecret(count: 32, from: dice) }
        let scalars = Self.scalars.map { text in
            let bytes = Hex.decode(text) ?? []
            let key = cryptography.schnorrPublicKey(of: cryptography.importSecret(bytes.span))
            return Verdict(question: text, answer: String(key == nil))
        }
        let message = dice.bytes(32)
        let auxiliary = Bytes32(dice.bytes(32)) ?? Bytes32(high: 0, low: 0)
        guard let signature = cryptography.schnorrSign(message.span, with: secrets[0], auxiliary: auxiliary),
            let own = cryptography.schnorrPublicKey(of: secrets[0]),
            let foreign = cryptography.schnorrPublicKey(of: secrets[1])
        else { return scalars + [Verdict(question: "signs", answer: "false")] }
        let damaged = Signature(
            first: signature.first, second: Bytes32(high: signature.second.high, low: signature.second.low ^ 4))
        let other = dice.bytes(32)
        return scalars + [
            Verdict(
                question: "verifies", answer: String(cryptography.schnorrVerify(signature, of: message.span, by: own))),
            Verdict(
                question: "another key",
                answer: String(cryptography.schnorrVerify(signature, of: message.span, by: foreign))),
            Verdict(
                question: "another message",
                answer: String(cryptography.schnorrVerify(signature, of: other.span, by: own))),
            Verdict(
                question: "damaged", answer: String(cryptography.schnorrVerify(damaged, of: message.span, by: own))),
        ]
    }

    private static let weakKeys = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "0200000000000000000000000000000000000000000000000000000000000000",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]
    private static let scalars = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]
}
