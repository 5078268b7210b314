import Domain

/// The three long-lived secrets of a node; a vault keeps them, a panic wipe destroys them.
///
/// Source: spec, noise §1.1.
public struct IdentityKeys<C: Cryptography>: Sendable {
    /// The X25519 private key behind the Noise static key, 32 bytes: the root of the network identity.
    public let noise: C.Secret
    /// The Ed25519 seed, 32 bytes, random and not derived from the Noise key.
    public let signing: C.Secret
    /// Seals what the stores write, 32 bytes; local, so that losing the vault makes the stores unreadable.
    public let data: C.Secret

    /// Takes three secrets of 32 bytes each.
    public init(noise: C.Secret, signing: C.Secret, data: C.Secret) {
        self.noise = noise
        self.signing = signing
        self.data = data
    }
}
