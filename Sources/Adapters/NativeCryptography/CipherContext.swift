import CLibcrypto
import Domain

/// libcrypto's ChaCha20-Poly1305 set up with one key, for long messages.
///
/// Setting a context up costs as much as a short message, so it stays with its key: ``NativeSecret`` keeps one, lends it to
/// one caller at a time and frees it, which overwrites the key in it, when the secret goes.
struct CipherContext {
    let pointer: OpaquePointer

    /// The algorithm, fetched once: a fetch searches the providers. `nil` when a restricted libcrypto offers none.
    ///
    /// `nonisolated(unsafe)`: immutable after the fetch, and only read.
    private nonisolated(unsafe) static let cipher = EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil)

    /// Takes over a context.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Sets up a context with a 32-byte key; `nil` when libcrypto cannot.
    init?(key: UnsafePointer<UInt8>) {
        guard let cipher = Self.cipher, let pointer = EVP_CIPHER_CTX_new() else { return nil }
        guard EVP_CipherInit_ex2(pointer, cipher, key, nil, 1, nil) == 1 else {
            EVP_CIPHER_CTX_free(pointer)
            return nil
        }
        self.pointer = pointer
    }

    /// Frees the context and overwrites what it holds.
    func free() { EVP_CIPHER_CTX_free(pointer) }

    /// Writes ciphertext and tag, `plaintext.count` + 16 bytes; `false` when libcrypto fails.
    func seal(
        _ plaintext: UnsafeBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>, data: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let tag = output + plaintext.count
        var written: Int32 = 0
        guard let count = Int32(exactly: plaintext.count), start(encrypting: 1, nonce, data),
            EVP_CipherUpdate(pointer, output, &written, plaintext.baseAddress, count) == 1,
            EVP_CipherFinal_ex(pointer, tag, &written) == 1,
            EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(aeadTagLength), tag) == 1
        else { return false }
        return true
    }

    /// Writes the plaintext, 16 bytes fewer than the input; `nil` when libcrypto fails, else whether the tag is right.
    ///
    /// Wrong plaintext may have been written when the tag is not right: the caller wipes it.
    func open(
        _ ciphertext: UnsafeBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>, data: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>
    ) -> Bool? {
        let plainCount = ciphertext.count - aeadTagLength
        guard plainCount > 0, let count = Int32(exactly: plainCount), let input = ciphertext.baseAddress,
            start(encrypting: 0, nonce, data)
        else { return nil }
        // libcrypto copies the tag; the missing `const` is an accident of a general-purpose function.
        let tag = UnsafeMutablePointer(mutating: input + plainCount)
        var written: Int32 = 0
        guard EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(aeadTagLength), tag) == 1,
            EVP_CipherUpdate(pointer, output, &written, input, count) == 1
        else { return nil }
        return EVP_CipherFinal_ex(pointer, output + plainCount, &written) == 1
    }

    private func start(
        encrypting: Int32, _ nonce: UnsafePointer<UInt8>, _ data: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let count = Int32(exactly: data.count),
            EVP_CipherInit_ex2(pointer, nil, nil, nonce, encrypting, nil) == 1
        else { return false }
        var written: Int32 = 0
        return count == 0 || EVP_CipherUpdate(pointer, nil, &written, data.baseAddress, count) == 1
    }
}
