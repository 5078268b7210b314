import CLibcrypto
import Domain
import Synchronization

/// One libcrypto cipher context for ChaCha20-Poly1305, used again and again: setting one up costs more than a short message.
///
/// `@unchecked Sendable`: a context is never shared; ``AEADContexts`` hands it to one caller at a time, and its lock orders
/// one use after another.
final class AEADContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// Sets up a context; `nil` when libcrypto offers no ChaCha20-Poly1305 (a restricted provider) or no memory.
    init?(cipher: OpaquePointer) {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
        guard EVP_CipherInit_ex2(context, cipher, nil, nil, 1, nil) == 1 else { return nil }
    }

    // Freeing also overwrites the last key.
    deinit { EVP_CIPHER_CTX_free(context) }

    /// Writes ciphertext and tag, `plaintext.count` + 16 bytes; `false` when libcrypto fails.
    func seal(
        _ plaintext: UnsafeBufferPointer<UInt8>, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associatedData: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let inputCount = Int32(exactly: plaintext.count), start(encrypting: 1, key, nonce, associatedData)
        else { return false }
        defer { forgetKey() }
        var written: Int32 = 0
        guard
            inputCount == 0 || EVP_CipherUpdate(context, output, &written, plaintext.baseAddress, inputCount) == 1,
            EVP_CipherFinal_ex(context, output + plaintext.count, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(aeadTagLength), output + plaintext.count) == 1
        else { return false }
        return true
    }

    /// Writes the plaintext, 16 bytes fewer than the input; `nil` when libcrypto fails, else whether the tag is right.
    ///
    /// Wrong plaintext may have been written when the tag is not right: the caller wipes it.
    func open(
        _ ciphertext: UnsafeBufferPointer<UInt8>, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associatedData: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool? {
        let count = ciphertext.count - aeadTagLength
        guard count >= 0, let inputCount = Int32(exactly: count), let input = ciphertext.baseAddress,
            start(encrypting: 0, key, nonce, associatedData)
        else { return nil }
        defer { forgetKey() }
        // libcrypto copies the tag; the missing `const` is an accident of a general-purpose function.
        let tag = UnsafeMutablePointer(mutating: input + count)
        var written: Int32 = 0
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(aeadTagLength), tag) == 1,
            inputCount == 0 || EVP_CipherUpdate(context, output, &written, input, inputCount) == 1
        else { return nil }
        return EVP_CipherFinal_ex(context, output + count, &written) == 1
    }

    private func start(
        encrypting: Int32, _ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>,
        _ associatedData: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let count = Int32(exactly: associatedData.count),
            EVP_CipherInit_ex2(context, nil, key, nonce, encrypting, nil) == 1
        else { return false }
        var written: Int32 = 0
        return count == 0 || EVP_CipherUpdate(context, nil, &written, associatedData.baseAddress, count) == 1
    }

    /// Overwrites the key that the context keeps, so that an idle one holds no secret.
    private func forgetKey() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Bytes32.count) { zeros in
            zeros.initialize(repeating: 0)
            EVP_CipherInit_ex2(context, nil, zeros.baseAddress, nil, -1, nil)
        }
    }
}

/// Idle cipher contexts.
///
/// `@unchecked Sendable`: the fetched algorithm is immutable and reference-counted by libcrypto; the rest is under a lock.
final class AEADContexts: @unchecked Sendable {
    /// How many idle contexts are kept, some hundred bytes each: no more threads than that seal at once.
    private static let capacity = 4
    private let cipher: OpaquePointer?
    private let idle = Mutex<[AEADContext]>([])

    // Fetched once: a fetch searches the providers, which costs more than sealing a short message.
    init() { cipher = EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil) }

    deinit { EVP_CIPHER_free(cipher) }

    /// An idle context, or a new one; `nil` when libcrypto has none to give.
    func take() -> AEADContext? {
        idle.withLock { $0.popLast() } ?? cipher.flatMap { AEADContext(cipher: $0) }
    }

    /// Keeps a context for the next caller.
    func give(back context: AEADContext) {
        idle.withLock { idle in
            if idle.count < Self.capacity { idle.append(context) }
        }
    }
}
