import CSodium
import Domain

extension NativeCryptography {
    /// Appends ciphertext and tag to `output`.
    public func seal(
        _ plaintext: Span<UInt8>, key: NativeSecret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) {
        let total = plaintext.count + aeadTagLength
        output.append(addingCapacity: total) { added in
            added.withUnsafeMutableBufferPointer { buffer, count in
                guard let target = buffer.baseAddress else { return }
                withInputs(plaintext, nonce, associatedData) { plaintext, nonce, associatedData in
                    withExtendedLifetime(key) {
                        seal(plaintext, key.bytes, nonce, associatedData, into: target)
                    }
                }
                count = total
            }
        }
    }

    /// Checks the tag and appends the plaintext to `output`, or leaves it unchanged.
    public func open(
        _ ciphertext: Span<UInt8>, key: NativeSecret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) -> Bool {
        let total = ciphertext.count - aeadTagLength
        guard total >= 0 else { return false }
        var isGenuine = false
        // One byte more than needed, so that an empty plaintext has an address too.
        output.append(addingCapacity: total + 1) { added in
            added.withUnsafeMutableBufferPointer { buffer, count in
                guard let target = buffer.baseAddress else { return }
                isGenuine = withInputs(ciphertext, nonce, associatedData) { ciphertext, nonce, associatedData in
                    withExtendedLifetime(key) {
                        open(ciphertext, key.bytes, nonce, associatedData, into: target)
                    }
                }
                if isGenuine {
                    count = total
                } else {
                    // What was deciphered before the tag was seen to be wrong must not stay in spare capacity.
                    sodium_memzero(target, total)
                }
            }
        }
        return isGenuine
    }

    private func seal(
        _ plaintext: UnsafeBufferPointer<UInt8>, _ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>,
        _ associatedData: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) {
        if plaintext.count > Self.longMessage, let context = contexts.take() {
            let isSealed = context.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData, into: output)
            contexts.give(back: context)
            if isSealed { return }
        }
        crypto_aead_chacha20poly1305_ietf_encrypt(
            output, nil, plaintext.baseAddress, UInt64(plaintext.count), associatedData.baseAddress,
            UInt64(associatedData.count), nil, nonce, key)
    }

    private func open(
        _ ciphertext: UnsafeBufferPointer<UInt8>, _ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>,
        _ associatedData: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        if ciphertext.count > Self.longMessage + aeadTagLength, let context = contexts.take() {
            let verdict = context.open(ciphertext, key: key, nonce: nonce, associatedData: associatedData, into: output)
            contexts.give(back: context)
            if let verdict { return verdict }
        }
        guard let input = ciphertext.baseAddress else { return false }
        return crypto_aead_chacha20poly1305_ietf_decrypt(
            output, nil, nil, input, UInt64(ciphertext.count), associatedData.baseAddress,
            UInt64(associatedData.count), nonce, key) == 0
    }

    private func withInputs<Result>(
        _ message: Span<UInt8>, _ nonce: AEADNonce, _ associatedData: Span<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafePointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // The wire order of the parts is most significant byte first.
        let words = (nonce.prefix.bigEndian, nonce.suffix.bigEndian)
        return withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
            bytes.storeBytes(of: words.0, as: UInt32.self)
            bytes.storeBytes(of: words.1, toByteOffset: 4, as: UInt64.self)
            return bytes.withMemoryRebound(to: UInt8.self) { nonce in
                message.withUnsafeBufferPointer { message in
                    associatedData.withUnsafeBufferPointer { associatedData in
                        // Twelve bytes were asked for, so the buffer has an address.
                        body(message, UnsafePointer(nonce.baseAddress.unsafelyUnwrapped), associatedData)
                    }
                }
            }
        }
    }
}
