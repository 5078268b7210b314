/// Which of the recipient's keys a piece of mail is sealed to: one-way Noise X, for someone who is not here.
///
/// The prologues keep static seals, prekey seals and live sessions apart, and tie a prekey seal to one prekey. A static
/// seal has no forward secrecy; a prekey seal has it once the prekey is deleted. In both, the sender's static key is
/// proven to the recipient, who could also have forged it.
///
/// Source: spec, noise §10.1.
public enum CourierSeal: Hashable, Sendable {
    /// The recipient's Noise static key (v1).
    case staticKey
    /// One of the recipient's prekeys, by its identifier (v2).
    case prekey(UInt32)

    /// What opening mail gives.
    public struct Opened: Hashable, Sendable {
        /// What was sealed.
        public let payload: [UInt8]
        /// The sender's Noise static key.
        public let sender: AgreementPublicKey
    }

    /// What a seal adds to its payload: the ephemeral key, the sealed static key with its tag, the payload's tag.
    public static let overhead = Bytes32.count + Bytes32.count + aeadTagLength + aeadTagLength

    /// What both sides mix in first.
    public var prologue: [UInt8] {
        switch self {
        case .staticKey: return Array("bitchat-courier-v1".utf8)
        case .prekey(let identifier):
            var prologue = Array("bitchat-prekey-v1".utf8)
            prologue.append(bigEndian: identifier)
            return prologue
        }
    }

    /// Seals `payload`.
    ///
    /// - Parameters:
    ///   - payload: What to seal.
    ///   - recipient: The static key, or the prekey of this seal's identifier.
    ///   - sender: Our static keys.
    ///   - ephemeral: 32 fresh random bytes, used once.
    ///   - cryptography: Supplies the primitives.
    /// - Returns: ``overhead`` bytes more than `payload`.
    /// - Throws: ``NoiseError/weakKey`` for a bad recipient key, ``NoiseError/tooLarge(count:limit:)``.
    public func seal<C: Cryptography>(
        _ payload: [UInt8], to recipient: AgreementPublicKey, from sender: AgreementKeyPair<C>, ephemeral: C.Secret,
        using cryptography: C
    ) throws(NoiseError) -> [UInt8] {
        let handshake = try HandshakeState(
            .x, role: .initiator, prologue: prologue, staticKeys: sender, ephemeral: ephemeral,
            remoteStatic: recipient, using: cryptography)
        return try handshake.writeMessage(payload: payload)
    }

    /// Opens what a sender sealed to the public half of `recipient`.
    ///
    /// - Throws: ``NoiseError/invalidMessage`` for fewer bytes than ``overhead`` or a bad ephemeral key,
    ///   ``NoiseError/authenticationFailure`` for another recipient, another seal or damage.
    public func open<C: Cryptography>(
        _ sealed: Span<UInt8>, with recipient: AgreementKeyPair<C>, using cryptography: C
    ) throws(NoiseError) -> Opened {
        guard sealed.count >= Self.overhead else { throw .invalidMessage }
        let handshake = try HandshakeState(
            .x, role: .responder, prologue: prologue, staticKeys: recipient, ephemeral: nil, using: cryptography)
        let payload = try handshake.readMessage(sealed)
        guard let sender = handshake.remoteStatic else { throw .authenticationFailure }
        return Opened(payload: payload, sender: sender)
    }
}
