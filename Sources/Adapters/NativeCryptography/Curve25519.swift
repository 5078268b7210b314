import CSodium
import Domain

extension NativeCryptography {
    // MARK: X25519

    /// The public key of a 32-byte private key.
    public func agreementPublicKey(of secret: NativeSecret) -> AgreementPublicKey {
        AgreementPublicKey(
            withExtendedLifetime(secret) {
                Bytes32 { crypto_scalarmult_base($0, secret.bytes) }
            })
    }

    /// The shared secret; `nil` when it comes out all zero.
    public func agree(_ secret: NativeSecret, with publicKey: AgreementPublicKey) -> NativeSecret? {
        var isUsable = false
        let shared = NativeSecret(count: 32) { shared in
            withExtendedLifetime(secret) {
                publicKey.bytes.withPointer { point in
                    // libsodium fails on points of small order; the second check is the rule itself.
                    isUsable = crypto_scalarmult(shared, secret.bytes, point) == 0 && sodium_is_zero(shared, 32) == 0
                }
            }
        }
        return isUsable ? shared : nil
    }

    // MARK: Ed25519

    /// The public key of a 32-byte seed.
    public func signingPublicKey(of seed: NativeSecret) -> SigningPublicKey {
        withExtendedLifetime(seed) {
            let publicHalf = UnsafeRawBufferPointer(start: seed.expandedSigningKey + 32, count: 32)
            return SigningPublicKey(Bytes32(loading: publicHalf))
        }
    }

    /// Signs the raw message.
    public func sign(_ message: Span<UInt8>, with seed: NativeSecret) -> Signature {
        withExtendedLifetime(seed) {
            message.withUnsafeBufferPointer { message in
                Signature { target in
                    crypto_sign_detached(
                        target, nil, message.baseAddress, UInt64(message.count), seed.expandedSigningKey)
                }
            }
        }
    }

    /// Verifies strictly: libsodium refuses keys and points of small order, non-canonical keys and a non-canonical S.
    public func verify(_ signature: Signature, of message: Span<UInt8>, by publicKey: SigningPublicKey) -> Bool {
        publicKey.bytes.withPointer { key in
            signature.withPointer { signature in
                message.withUnsafeBufferPointer { message in
                    crypto_sign_verify_detached(signature, message.baseAddress, UInt64(message.count), key) == 0
                }
            }
        }
    }
}

extension Bytes32 {
    /// Takes the 32 bytes that a C function writes.
    init(_ write: (UnsafeMutablePointer<UInt8>) -> Int32) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.count) { bytes in
            bytes.initialize(repeating: 0)
            if let address = bytes.baseAddress { _ = write(address) }
            return Bytes32(loading: UnsafeRawBufferPointer(bytes))
        }
    }
}

extension Signature {
    /// Takes the 64 bytes that a C function writes.
    init(_ write: (UnsafeMutablePointer<UInt8>) -> Int32) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.count) { bytes in
            bytes.initialize(repeating: 0)
            if let address = bytes.baseAddress { _ = write(address) }
            let raw = UnsafeRawBufferPointer(bytes)
            return Signature(
                first: Bytes32(loading: raw), second: Bytes32(loading: UnsafeRawBufferPointer(rebasing: raw[32...])))
        }
    }

    /// Lends the 64 bytes in wire order without a heap.
    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.count) { bytes in
            // 64 bytes were asked for, so the buffer has an address.
            let address = bytes.baseAddress.unsafelyUnwrapped
            first.withPointer { address.initialize(from: $0, count: Bytes32.count) }
            second.withPointer { (address + Bytes32.count).initialize(from: $0, count: Bytes32.count) }
            return body(UnsafePointer(address))
        }
    }
}
