import CSecp256k1
import CSodium
import Domain

/// A libsecp256k1 context.
///
/// `@unchecked Sendable`: after the initialiser the context is only read, which the library allows from many threads.
final class SchnorrContext: @unchecked Sendable {
    let pointer: OpaquePointer?

    /// Makes a context and, given random bytes, blinds it against side channels.
    init(blinding: Bytes32?) {
        pointer = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE))
        guard let pointer, let blinding else { return }
        blinding.withPointer { _ = secp256k1_context_randomize(pointer, $0) }
    }

    deinit {
        if let pointer { secp256k1_context_destroy(pointer) }
    }
}

extension NativeCryptography {
    /// The x-only public key; `nil` for an invalid scalar.
    public func schnorrPublicKey(of secret: NativeSecret) -> Bytes32? {
        guard let context = curve.pointer else { return nil }
        return withKeyPair(secret, context) { pair in
            var key = secp256k1_xonly_pubkey()
            guard secp256k1_keypair_xonly_pub(context, &key, nil, &pair) == 1 else { return nil }
            return Bytes32 { secp256k1_xonly_pubkey_serialize(context, $0, &key) }
        }
    }

    /// Signs a message of any length; `nil` for an invalid scalar.
    public func schnorrSign(_ message: Span<UInt8>, with secret: NativeSecret, auxiliary: Bytes32) -> Signature? {
        guard let context = curve.pointer else { return nil }
        return withKeyPair(secret, context) { pair in
            var isSigned = false
            let signature = auxiliary.withPointer { auxiliary in
                var parameters = secp256k1_schnorrsig_extraparams()
                parameters.magic = (0xda, 0x6f, 0xb3, 0x8c)
                parameters.ndata = UnsafeMutableRawPointer(mutating: auxiliary)
                return Signature { target in
                    message.withUnsafeBufferPointer { message in
                        let result = secp256k1_schnorrsig_sign_custom(
                            context, target, message.baseAddress, message.count, &pair, &parameters)
                        isSigned = result == 1
                        return result
                    }
                }
            }
            return isSigned ? signature : nil
        }
    }

    /// Verifies under an x-only public key.
    public func schnorrVerify(_ signature: Signature, of message: Span<UInt8>, by publicKey: Bytes32) -> Bool {
        guard let context = curve.pointer else { return false }
        var key = secp256k1_xonly_pubkey()
        guard publicKey.withPointer({ secp256k1_xonly_pubkey_parse(context, &key, $0) }) == 1 else { return false }
        return signature.withPointer { signature in
            message.withUnsafeBufferPointer { message in
                secp256k1_schnorrsig_verify(context, signature, message.baseAddress, message.count, &key) == 1
            }
        }
    }

    private func withKeyPair<Result>(
        _ secret: NativeSecret, _ context: OpaquePointer, _ body: (inout secp256k1_keypair) -> Result?
    ) -> Result? {
        // A scalar has 32 bytes; zeros behind a shorter secret would make another one of it.
        guard secret.count == 32 else { return nil }
        var pair = secp256k1_keypair()
        defer { sodium_memzero(&pair, MemoryLayout<secp256k1_keypair>.size) }
        guard withExtendedLifetime(secret, { secp256k1_keypair_create(context, &pair, secret.bytes) }) == 1 else {
            return nil
        }
        return body(&pair)
    }
}
