import CSodium
import Domain

extension NativeCryptography {
    /// Appends ciphertext and tag to `output`.
    public func seal(
        _ plaintext: Span<UInt8>, key: NativeSecret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) {
        // The bytes live as long as the key, which the caller holds over the whole call.
        defer { withExtendedLifetime(key) {} }
        let (keyBytes, total) = (key.bytes, plaintext.count + aeadTagLength)
        let context = plaintext.count > Self.longMessage ? key.takeContext() : nil
        output.append(addingCapacity: total) { added in
            added.withUnsafeMutableBufferPointer { buffer, count in
                guard let target = buffer.baseAddress else { return }
                Inputs.lend(plaintext, nonce, associatedData) { plaintext, nonce, data in
                    if let context, context.seal(plaintext, nonce: nonce, data: data, into: target) {
                        return
                    }
                    crypto_aead_chacha20poly1305_ietf_encrypt(
                        target, nil, plaintext.baseAddress, UInt64(plaintext.count), data.baseAddress,
                        UInt64(data.count), nil, nonce, keyBytes)
                }
                count = total
            }
        }
        if let context { key.giveBack(context) }
    }

    /// Checks the tag and appends the plaintext to `output`, or leaves it unchanged.
    public func open(
        _ ciphertext: Span<UInt8>, key: NativeSecret, nonce: AEADNonce, associatedData: Span<UInt8>,
        into output: inout [UInt8]
    ) -> Bool {
        // The bytes live as long as the key, which the caller holds over the whole call.
        defer { withExtendedLifetime(key) {} }
        let (keyBytes, total) = (key.bytes, ciphertext.count - aeadTagLength)
        guard total >= 0 else { return false }
        let context = total > Self.longMessage ? key.takeContext() : nil
        var isGenuine = false
        // One byte more than needed, so that an empty plaintext has an address too.
        output.append(addingCapacity: total + 1) { added in
            added.withUnsafeMutableBufferPointer { buffer, count in
                guard let target = buffer.baseAddress else { return }
                isGenuine = Inputs.lend(ciphertext, nonce, associatedData) { ciphertext, nonce, data in
                    if let context,
                        let verdict = context.open(ciphertext, nonce: nonce, data: data, into: target)
                    {
                        return verdict
                    }
                    guard let input = ciphertext.baseAddress else { return false }
                    return crypto_aead_chacha20poly1305_ietf_decrypt(
                        target, nil, nil, input, UInt64(ciphertext.count), data.baseAddress, UInt64(data.count), nonce,
                        keyBytes) == 0
                }
                // What was deciphered before the tag was seen to be wrong must not stay in spare capacity.
                if isGenuine { count = total } else { sodium_memzero(target, total) }
            }
        }
        if let context { key.giveBack(context) }
        return isGenuine
    }

    /// Checks the tag and deciphers into memory that is wiped.
    ///
    /// Always libsodium: secrets are short, and it leaves zeros, not wrong plaintext, when the tag is not right.
    public func openSecret(
        _ ciphertext: Span<UInt8>, key: NativeSecret, nonce: AEADNonce, associatedData: Span<UInt8>
    ) -> NativeSecret? {
        guard ciphertext.count >= aeadTagLength else { return nil }
        var isGenuine = false
        let secret = NativeSecret(count: ciphertext.count - aeadTagLength) { target in
            withExtendedLifetime(key) {
                isGenuine = Inputs.lend(ciphertext, nonce, associatedData) { ciphertext, nonce, data in
                    guard let input = ciphertext.baseAddress else { return false }
                    return crypto_aead_chacha20poly1305_ietf_decrypt(
                        target, nil, nil, input, UInt64(ciphertext.count), data.baseAddress, UInt64(data.count), nonce,
                        key.bytes) == 0
                }
            }
        }
        return isGenuine ? secret : nil
    }
}

/// The inputs of a cipher as C takes them.
private enum Inputs {
    @inline(__always)
    static func lend<Result>(
        _ message: Span<UInt8>, _ nonce: AEADNonce, _ associatedData: Span<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafePointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // Twelve bytes in a row; the wire order of both parts is most significant byte first.
        var words = (
            nonce.prefix.bigEndian, UInt32(truncatingIfNeeded: nonce.suffix.bigEndian),
            UInt32(truncatingIfNeeded: nonce.suffix.bigEndian >> 32)
        )
        return withUnsafePointer(to: &words) { words in
            words.withMemoryRebound(to: UInt8.self, capacity: 12) { nonce in
                message.withUnsafeBufferPointer { message in
                    associatedData.withUnsafeBufferPointer { body(message, nonce, $0) }
                }
            }
        }
    }
}
