/// An X25519 private key with its public key, which is computed once.
public struct AgreementKeyPair<C: Cryptography>: Sendable {
    /// The 32-byte private key.
    public let secret: C.Secret
    /// What peers know.
    public let publicKey: AgreementPublicKey

    /// Completes a 32-byte private key.
    public init(_ secret: C.Secret, using cryptography: C) {
        self.secret = secret
        publicKey = cryptography.agreementPublicKey(of: secret)
    }
}
