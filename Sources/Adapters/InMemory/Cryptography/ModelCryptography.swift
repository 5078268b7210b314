import Domain

/// A model of the cryptography for simulations: the same lengths and verdicts, a tiny part of the cost, no security.
///
/// **This is not cryptography.** Keys can be computed from public keys and signatures from messages; it must never meet
/// real data. What it keeps is what a protocol sees: both sides of a Diffie-Hellman agree and nobody else does, a wrong
/// key, nonce, associated data or a flipped bit does not open, only who holds a seed can sign for its public key as long
/// as everyone goes through this type, and everything is a function of its inputs, in every process.
public struct ModelCryptography: Cryptography {
    /// Bytes that would be secret.
    public final class Secret: Sendable {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        convenience init(_ bytes: Bytes32) { self.init(bytes.bytes) }
    }

    /// Makes one.
    public init() {}

    // MARK: Secrets

    /// Draws a new secret of `count` bytes.
    public func makeSecret(count: Int, from randomness: any Randomness) -> Secret { Secret(randomness.bytes(count)) }

    /// Copies bytes into a secret.
    public func importSecret(_ bytes: Span<UInt8>) -> Secret {
        // A pointer only because a span has no copy into an array; it does not leave the closure.
        Secret(bytes.withUnsafeBufferPointer { Array($0) })
    }

    /// Lends the bytes of a secret.
    public func withBytes<Result>(of secret: Secret, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        let bytes = secret.bytes
        return try body(bytes.span)
    }

    // MARK: Hashes

    /// Stands for SHA-256: 32 bytes.
    public func sha256(_ bytes: Span<UInt8>) -> Bytes32 { Mix.digest(Purpose.hash, bytes) }

    /// Stands for SHA-256 of two byte strings, one behind the other.
    public func sha256(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bytes32 {
        var mix = Mix(Purpose.hash)
        mix.absorb(first)
        mix.absorb(second)
        return mix.finished()
    }

    /// Stands for HMAC-SHA256: 32 bytes.
    public func hmacSHA256(of message: Span<UInt8>, key: Span<UInt8>) -> Bytes32 {
        var mix = Mix(Purpose.keyedHash)
        mix.absorb(Mix.digest(Purpose.keyedHash, key))
        mix.absorb(message)
        return mix.finished()
    }

    /// Stands for the Noise HKDF with two outputs of 32 bytes.
    public func hkdf(chainingKey: Secret, input: Secret?) -> (Secret, Secret) {
        let (key, message) = (chainingKey.bytes, input?.bytes ?? [])
        let extracted = hmacSHA256(of: message.span, key: key.span).bytes
        let firstLabel: [UInt8] = [1]
        let first = hmacSHA256(of: firstLabel.span, key: extracted.span).bytes
        let secondLabel = first + [2]
        let second = hmacSHA256(of: secondLabel.span, key: extracted.span)
        return (Secret(first), Secret(second))
    }

    // MARK: ChaCha20-Poly1305

    /// Appends the ciphertext and its 16-byte tag to `output`.
    public func seal(
        _ plaintext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>, into output: inout [UInt8]
    ) {
        let start = output.count
        output.reserveCapacity(start + plaintext.count + aeadTagLength)
        cross(plaintext, key: key, nonce: nonce, into: &output)
        let tag = tag(of: output.span.extracting(start...), key: key, nonce: nonce, associatedData: associatedData)
        output.append(bigEndian: tag)
    }

    /// Checks the tag and appends the plaintext to `output`; `false`, with `output` unchanged, when it does not verify or
    /// the input is shorter than a tag.
    public func open(
        _ ciphertext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) -> Bool {
        guard ciphertext.count >= aeadTagLength else { return false }
        let body = ciphertext.extracting(..<(ciphertext.count - aeadTagLength))
        var claimed: UInt128 = 0
        for index in body.count..<ciphertext.count { claimed = claimed << 8 | UInt128(ciphertext[index]) }
        guard claimed == tag(of: body, key: key, nonce: nonce, associatedData: associatedData) else { return false }
        output.reserveCapacity(output.count + body.count)
        cross(body, key: key, nonce: nonce, into: &output)
        return true
    }

    /// Checks the tag and opens into a secret.
    public func openSecret(
        _ ciphertext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>
    ) -> Secret? {
        var bytes: [UInt8] = []
        guard open(ciphertext, key: key, nonce: nonce, associatedData: associatedData, into: &bytes) else { return nil }
        return Secret(bytes)
    }

    /// Appends `bytes`, exclusive-or a stream of the key and the nonce.
    private func cross(_ bytes: Span<UInt8>, key: Secret, nonce: AEADNonce, into output: inout [UInt8]) {
        let start = keyed(Purpose.stream, key: key, nonce: nonce).finished()
        var stream = SplitMix64(state: UInt64(truncatingIfNeeded: start.high))
        var word: UInt64 = 0
        for index in bytes.indices {
            if index & 7 == 0 { word = stream.next() }
            output.append(bytes[index] ^ UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
    }

    private func tag(
        of ciphertext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>
    ) -> UInt128 {
        var mix = keyed(Purpose.tag, key: key, nonce: nonce)
        mix.absorb(UInt64(associatedData.count))
        mix.absorb(associatedData)
        mix.absorb(ciphertext)
        return mix.finished().high
    }

    private func keyed(_ purpose: UInt64, key: Secret, nonce: AEADNonce) -> Mix {
        var mix = Mix(purpose)
        mix.absorb(secret: key)
        mix.absorb(UInt64(nonce.prefix))
        mix.absorb(nonce.suffix)
        return mix
    }

    // MARK: Ed25519

    /// The public key of a seed.
    public func signingPublicKey(of seed: Secret) -> SigningPublicKey {
        SigningPublicKey(Mix.digest(Purpose.signingKey, secret: seed))
    }

    /// Signs the raw message, deterministically.
    public func sign(_ message: Span<UInt8>, with seed: Secret) -> Signature {
        signature(of: message, by: signingPublicKey(of: seed).bytes, purpose: Purpose.signature)
    }

    /// Whether the signature is the one that the key's holder makes.
    public func verify(_ signature: Signature, of message: Span<UInt8>, by publicKey: SigningPublicKey) -> Bool {
        signature == self.signature(of: message, by: publicKey.bytes, purpose: Purpose.signature)
    }

    private func signature(of message: Span<UInt8>, by publicKey: Bytes32, purpose: UInt64) -> Signature {
        var mix = Mix(purpose)
        mix.absorb(publicKey)
        mix.absorb(message)
        let first = mix.finished()
        mix.absorb(first)
        return Signature(first: first, second: mix.finished())
    }

    // MARK: secp256k1

    /// The public key of a 32-byte scalar; `nil` for zero or a scalar not below the group order.
    public func schnorrPublicKey(of secret: Secret) -> Bytes32? {
        guard let scalar = Bytes32(secret.bytes), scalar > Self.zero, scalar < Self.groupOrder else { return nil }
        return Mix.digest(Purpose.schnorrKey, secret: secret)
    }

    /// Signs a message; `nil` for an invalid scalar. The first half depends on the auxiliary randomness.
    public func schnorrSign(_ message: Span<UInt8>, with secret: Secret, auxiliary: Bytes32) -> Signature? {
        guard let publicKey = schnorrPublicKey(of: secret) else { return nil }
        var mix = Mix(Purpose.schnorrNonce)
        mix.absorb(secret: secret)
        mix.absorb(auxiliary)
        mix.absorb(message)
        let first = mix.finished()
        return Signature(first: first, second: schnorrProof(of: message, by: publicKey, first: first))
    }

    /// Verifies under a public key.
    public func schnorrVerify(_ signature: Signature, of message: Span<UInt8>, by publicKey: Bytes32) -> Bool {
        signature.second == schnorrProof(of: message, by: publicKey, first: signature.first)
    }

    private func schnorrProof(of message: Span<UInt8>, by publicKey: Bytes32, first: Bytes32) -> Bytes32 {
        var mix = Mix(Purpose.schnorrSignature)
        mix.absorb(publicKey)
        mix.absorb(first)
        mix.absorb(message)
        return mix.finished()
    }

    private static let zero = Bytes32(high: 0, low: 0)
    /// The order of secp256k1 (SEC 2, §2.4.1).
    private static let groupOrder = Bytes32(
        high: 0xFFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFE, low: 0xBAAE_DCE6_AF48_A03B_BFD2_5E8C_D036_4141)
}

extension Mix {
    mutating func absorb(secret: ModelCryptography.Secret) {
        let bytes = secret.bytes
        absorb(bytes.span)
    }

    static func digest(_ purpose: UInt64, secret: ModelCryptography.Secret) -> Bytes32 {
        let bytes = secret.bytes
        return digest(purpose, bytes.span)
    }
}

/// Keeps digests for different ends apart.
enum Purpose {
    static let hash: UInt64 = 1
    static let keyedHash: UInt64 = 2
    static let stream: UInt64 = 3
    static let tag: UInt64 = 4
    static let signingKey: UInt64 = 5
    static let signature: UInt64 = 6
    static let schnorrKey: UInt64 = 7
    static let schnorrNonce: UInt64 = 8
    static let schnorrSignature: UInt64 = 9
    static let agreement: UInt64 = 10
}
