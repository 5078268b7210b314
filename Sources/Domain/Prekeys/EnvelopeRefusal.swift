/// Why carried mail for us was not opened. All of them mean: drop it, and say nothing to anyone.
///
/// Source: spec, store-and-forward §3.8.
public enum EnvelopeRefusal: Error, Hashable {
    /// It is sealed to a prekey that we never made, or that was consumed too long ago.
    case unknownPrekey(UInt32)
    /// The seal does not open: the tag is another's by chance, the key is not ours any more, or it is damaged.
    case unopened(NoiseError)
}

extension LocalPrekeys {
    /// Opens mail with the one key that it says it was sealed to.
    ///
    /// There is no second attempt with the static key: mail to a prekey that is gone must stay closed, or its forward
    /// secrecy were a pretence.
    ///
    /// When this succeeds and the envelope names a prekey, ``consume(_:at:from:using:)`` it before anything else, whatever
    /// becomes of the message.
    ///
    /// - Parameters:
    ///   - envelope: One whose tag is ours and that has not expired.
    ///   - identity: Our Noise static keys.
    ///   - now: The time of arrival.
    public func open(
        _ envelope: CourierEnvelope, identity: AgreementKeyPair<C>, at now: WallTime, using cryptography: C
    ) throws(EnvelopeRefusal) -> CourierSeal.Opened {
        var (seal, recipient) = (CourierSeal.staticKey, identity)
        if let id = envelope.prekeyID {
            guard let keys = keys(of: id, at: now) else { throw .unknownPrekey(id) }
            (seal, recipient) = (.prekey(id), keys)
        }
        let ciphertext = envelope.ciphertext
        do {
            return try seal.open(ciphertext.span, with: recipient, using: cryptography)
        } catch {
            throw .unopened(error)
        }
    }
}
