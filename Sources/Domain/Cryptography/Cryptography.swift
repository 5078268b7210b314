/// The primitives that the protocol is built of; an adapter supplies them from well-kept libraries.
///
/// Private keys and shared secrets live only in ``Secret``, memory that the adapter wipes on release; no key bytes pass
/// through arrays. The adapter draws no randomness of its own: it comes in through ``Randomness``.
public protocol Cryptography: Sendable {
    /// Bytes that must not leak: a private key, a shared secret, a chaining key or a cipher key.
    associatedtype Secret: AnyObject, Sendable

    // MARK: Secrets

    /// Draws a new secret of `count` bytes.
    func makeSecret(count: Int, from randomness: any Randomness) -> Secret
    /// Copies bytes into a secret; for the vault and for test vectors.
    func importSecret(_ bytes: Span<UInt8>) -> Secret
    /// Lends the bytes of a secret; for the vault and for test vectors.
    func withBytes<Result>(of secret: Secret, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result

    // MARK: Hashes

    /// SHA-256.
    func sha256(_ bytes: Span<UInt8>) -> Bytes32
    /// SHA-256 of two byte strings, one behind the other, without copying them together.
    func sha256(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bytes32
    /// HMAC-SHA256 under a public key value (courier tags).
    func hmacSHA256(of message: Span<UInt8>, key: Span<UInt8>) -> Bytes32
    /// The Noise HKDF with two outputs of 32 bytes; `input` `nil` stands for empty input key material (Split).
    func hkdf(chainingKey: Secret, input: Secret?) -> (Secret, Secret)

    // MARK: ChaCha20-Poly1305 (IETF, RFC 8439)

    /// Appends the ciphertext and its 16-byte tag to `output`.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: Unique under the key.
    ///   - associatedData: Authenticated and not encrypted.
    func seal(
        _ plaintext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>, into output: inout [UInt8]
    )
    /// Checks the tag and appends the plaintext to `output`; `false`, with `output` unchanged, when it does not verify
    /// or the input is shorter than a tag.
    func open(
        _ ciphertext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) -> Bool
    /// Checks the tag and deciphers straight into a secret, without an array on the way; `nil` when it does not verify or
    /// the input is shorter than a tag.
    func openSecret(
        _ ciphertext: Span<UInt8>, key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>
    ) -> Secret?

    // MARK: X25519 (RFC 7748)

    /// The public key of a 32-byte private key (clamped on use).
    func agreementPublicKey(of secret: Secret) -> AgreementPublicKey
    /// The shared secret; `nil` when it comes out all zero (spec: noise §1.2).
    func agree(_ secret: Secret, with publicKey: AgreementPublicKey) -> Secret?

    // MARK: Ed25519 (RFC 8032)

    /// The public key of a 32-byte seed.
    func signingPublicKey(of seed: Secret) -> SigningPublicKey
    /// Signs the raw message, deterministically.
    func sign(_ message: Span<UInt8>, with seed: Secret) -> Signature
    /// Strict verification.
    func verify(_ signature: Signature, of message: Span<UInt8>, by publicKey: SigningPublicKey) -> Bool

    // MARK: secp256k1 (BIP-340)

    /// The x-only public key of a 32-byte scalar; `nil` for zero or a scalar not below the group order.
    func schnorrPublicKey(of secret: Secret) -> Bytes32?
    /// Signs a message with 32 bytes of auxiliary randomness; `nil` for an invalid scalar.
    func schnorrSign(_ message: Span<UInt8>, with secret: Secret, auxiliary: Bytes32) -> Signature?
    /// Verifies under an x-only public key.
    func schnorrVerify(_ signature: Signature, of message: Span<UInt8>, by publicKey: Bytes32) -> Bool
}

/// A 12-byte AEAD nonce.
public struct AEADNonce: Hashable, Sendable {
    /// Bytes 0...3, the first one most significant.
    public let prefix: UInt32
    /// Bytes 4...11, the first one most significant.
    public let suffix: UInt64

    /// Makes a nonce of its parts, each with its first byte most significant.
    public init(prefix: UInt32, suffix: UInt64) {
        self.prefix = prefix
        self.suffix = suffix
    }

    /// A Noise nonce: four zero bytes, then the counter in little-endian order (spec: noise §2.1).
    public init(counter: UInt64) { self.init(prefix: 0, suffix: counter.byteSwapped) }

    /// Reads exactly twelve bytes; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init(
            prefix: UInt32(bigEndianBytes: bytes.prefix(4)), suffix: UInt64(bigEndianBytes: bytes.dropFirst(4)))
    }

    /// Reads exactly twelve bytes; `nil` for any other length.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init(prefix: bytes.bigEndian(UInt32.self, at: 0), suffix: bytes.bigEndian(UInt64.self, at: 4))
    }

    /// The number of bytes.
    public static let count = 12

    /// The twelve bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: prefix)
        bytes.append(bigEndian: suffix)
        return bytes
    }
}

/// The length of a ChaCha20-Poly1305 tag, in bytes.
public let aeadTagLength = 16
