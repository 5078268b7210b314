import Domain

/// The protocol's primitives from libsodium, libcrypto and libsecp256k1, each where it measured fastest (docs/adr/0007).
///
/// Copies share their contexts and may be used from any thread. Nothing here draws randomness.
public struct NativeCryptography: Cryptography {
    /// Memory that is overwritten on release.
    public typealias Secret = NativeSecret

    /// Above this many plaintext bytes libcrypto's vector code wins over libsodium's cheaper start (docs/adr/0007).
    static let longMessage = 512

    let curve: SchnorrContext

    /// Makes the adapter.
    ///
    /// - Parameter blinding: Random bytes that libsecp256k1 mixes into its secret-dependent arithmetic against
    ///   side channels; no result depends on them.
    public init(blinding: Bytes32? = nil) {
        Libsodium.start()
        curve = SchnorrContext(blinding: blinding)
    }

    // MARK: Secrets

    /// Draws a new secret of `count` bytes.
    public func makeSecret(count: Int, from randomness: any Randomness) -> NativeSecret {
        NativeSecret(count: count) { bytes in
            var span = MutableSpan(_unsafeStart: bytes, count: max(count, 0))
            randomness.fill(&span)
        }
    }

    /// Copies bytes into a secret.
    public func importSecret(_ bytes: Span<UInt8>) -> NativeSecret {
        NativeSecret(count: bytes.count) { copy in
            bytes.withUnsafeBufferPointer { source in
                if let address = source.baseAddress { copy.update(from: address, count: source.count) }
            }
        }
    }

    /// Lends the bytes of a secret.
    public func withBytes<Result>(of secret: NativeSecret, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(secret) {
            try body(Span(_unsafeStart: UnsafePointer(secret.bytes), count: secret.count))
        }
    }

    // MARK: Hashes

    /// SHA-256.
    public func sha256(_ bytes: Span<UInt8>) -> Bytes32 {
        var hash = SHA256State()
        hash.update(bytes)
        return hash.finish()
    }

    /// SHA-256 of two byte strings, one behind the other.
    public func sha256(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bytes32 {
        var hash = SHA256State()
        hash.update(first)
        hash.update(second)
        return hash.finish()
    }

    /// HMAC-SHA256 under a public key value.
    public func hmacSHA256(of message: Span<UInt8>, key: Span<UInt8>) -> Bytes32 {
        var key = key.withUnsafeBytes { HMACKey($0) }
        // Callers pass digests of secrets too.
        defer { key.wipe() }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Bytes32.count) { mac in
            if let address = mac.baseAddress {
                message.withUnsafeBytes {
                    key.authenticate($0, UnsafeRawBufferPointer(start: nil, count: 0), into: address)
                }
            }
            return Bytes32(loading: UnsafeRawBufferPointer(mac))
        }
    }

    /// The Noise HKDF with two outputs (Noise specification §4.3).
    public func hkdf(chainingKey: NativeSecret, input: NativeSecret?) -> (NativeSecret, NativeSecret) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var extractor = HMACKey(UnsafeRawBufferPointer(start: chainingKey.bytes, count: chainingKey.count))
        let temporary = NativeSecret(count: 32) { bytes in
            let input = input.map { UnsafeRawBufferPointer(start: $0.bytes, count: $0.count) } ?? empty
            extractor.authenticate(input, empty, into: bytes)
        }
        var expander = HMACKey(UnsafeRawBufferPointer(start: temporary.bytes, count: temporary.count))
        defer {
            extractor.wipe()
            expander.wipe()
        }
        let first = NativeSecret(count: 32) { bytes in
            withUnsafeBytes(of: UInt8(1)) { expander.authenticate($0, empty, into: bytes) }
        }
        let second = NativeSecret(count: 32) { bytes in
            withUnsafeBytes(of: UInt8(2)) { label in
                expander.authenticate(UnsafeRawBufferPointer(start: first.bytes, count: 32), label, into: bytes)
            }
        }
        return withExtendedLifetime((chainingKey, input, temporary)) { (first, second) }
    }
}
