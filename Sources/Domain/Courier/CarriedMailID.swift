/// Names an envelope in the courier store: the first 16 bytes of SHA-256 of its ciphertext, the first one most significant.
///
/// [ours]: a record on the disk wants a small key, and a ciphertext has up to 16 KiB. Whether two envelopes are the same
/// is still a matter of their ciphertexts.
public struct CarriedMailID: Hashable, Sendable {
    /// The 16 bytes as a number.
    public let rawValue: UInt128

    /// Takes a number, from a record.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Computes the name of a ciphertext.
    public init(of ciphertext: [UInt8], using cryptography: some Cryptography) {
        self.init(rawValue: cryptography.sha256(ciphertext.span).high)
    }
}
