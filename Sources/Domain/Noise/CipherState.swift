/// A key and the counter of the next message under it.
///
/// It cannot be copied: two copies would use one nonce twice, which gives the key stream away.
///
/// Source: Noise Protocol Framework, revision 34, §5.1.
struct CipherState<C: Cryptography>: ~Copyable {
    let key: C.Secret
    /// The counter of the next message.
    private(set) var counter: UInt64

    init(key: C.Secret, counter: UInt64 = 0) {
        self.key = key
        self.counter = counter
    }

    /// Appends ciphertext and tag, and moves to the next counter.
    mutating func encrypt(
        _ plaintext: Span<UInt8>, associatedData: Span<UInt8>, using cryptography: C, into output: inout [UInt8]
    ) throws(NoiseError) {
        // Noise reserves the last counter.
        guard counter < .max else { throw .exhausted }
        cryptography.seal(
            plaintext, key: key, nonce: AEADNonce(counter: counter), associatedData: associatedData, into: &output)
        counter += 1
    }

    /// Opens the next message in order; a failure leaves the counter where it was.
    mutating func decrypt(
        _ ciphertext: Span<UInt8>, associatedData: Span<UInt8>, using cryptography: C
    ) throws(NoiseError) -> [UInt8] {
        guard counter < .max else { throw .exhausted }
        var plaintext: [UInt8] = []
        let isGenuine = cryptography.open(
            ciphertext, key: key, nonce: AEADNonce(counter: counter), associatedData: associatedData, into: &plaintext)
        guard isGenuine else { throw .authenticationFailure }
        counter += 1
        return plaintext
    }
}
