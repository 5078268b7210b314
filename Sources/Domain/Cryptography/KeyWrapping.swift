/// Private keys on their way to a store and back: sealed under another key, so that none of their bytes is ever in an array.
///
/// The form is nonce (12 bytes), ciphertext (as long as the secret), tag (16 bytes).
///
/// [ours]: what is on the disk is this node's own business.
extension Cryptography {
    /// Seals a secret under another one.
    ///
    /// - Parameters:
    ///   - secret: What to store; read where it lies.
    ///   - key: 32 bytes.
    ///   - nonce: Unique under `key`; a random one will do for 2^32 secrets.
    ///   - associatedData: Says which secret it is, so that no other wrapped one can take its place.
    /// - Returns: ``wrappingOverhead`` bytes more than the secret has.
    public func wrap(
        _ secret: Secret, under key: Secret, nonce: AEADNonce, associatedData: Span<UInt8>
    ) -> [UInt8] {
        var wrapped = nonce.bytes
        withBytes(of: secret) { seal($0, key: key, nonce: nonce, associatedData: associatedData, into: &wrapped) }
        return wrapped
    }

    /// Opens what ``wrap(_:under:nonce:associatedData:)`` made.
    ///
    /// - Returns: `nil` for another key, other associated data, damage, or fewer bytes than ``wrappingOverhead``.
    public func unwrap(_ wrapped: Span<UInt8>, under key: Secret, associatedData: Span<UInt8>) -> Secret? {
        guard wrapped.count >= wrappingOverhead, let nonce = AEADNonce(wrapped.extracting(..<AEADNonce.count))
        else { return nil }
        return openSecret(
            wrapped.extracting(AEADNonce.count...), key: key, nonce: nonce, associatedData: associatedData)
    }
}

/// What wrapping adds to a secret, in bytes: the nonce and the tag.
public let wrappingOverhead = AEADNonce.count + aeadTagLength
