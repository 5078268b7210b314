/// The body of a verification response (0x11): the challenge back, signed by the owner of the key.
///
/// Source: spec, noise §8.2.
public struct VerificationResponse: Hashable, Sendable {
    /// The Noise key as text, exactly as it stood in the challenge.
    public let noiseKeyText: String
    /// The challenge's nonce.
    public let nonce: [UInt8]
    /// The signature; 64 bytes when it is good.
    public let signature: [UInt8]

    /// Answers a challenge.
    ///
    /// - Parameter seed: This node's Ed25519 seed.
    public init<C: Cryptography>(
        to challenge: VerificationChallenge, signedWith seed: C.Secret, using cryptography: C
    ) {
        noiseKeyText = challenge.noiseKeyText
        nonce = challenge.nonce
        let bytes = Self.signedBytes(noiseKeyText: noiseKeyText, nonce: nonce)
        signature = cryptography.sign(bytes.span, with: seed).bytes
    }

    private static func signedBytes(noiseKeyText: String, nonce: [UInt8]) -> [UInt8] {
        var bytes = Array("bitchat-verify-resp-v1".utf8)
        let key = noiseKeyText.utf8.prefix(255)
        bytes.append(UInt8(clamping: key.count))
        bytes += key
        bytes += nonce
        return bytes
    }

    /// The body; `nil` when a field exceeds 255 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 150)
        writer.append(VerificationTag.noiseKey, noiseKeyText.utf8)
        writer.append(VerificationTag.nonce, nonce)
        writer.append(VerificationTag.signature, signature)
        return writer.bytes
    }

    /// Reads a body: the three fields in this order; what follows is passed over. The signature is not checked here.
    ///
    /// - Returns: `nil` for another field or order, a length past the end, or a key that is not UTF-8.
    public init?(_ body: ArraySlice<UInt8>) {
        var fields = TLVReader(body, .short, leftover: .ignored)
        guard let key = fields.next(VerificationTag.noiseKey)?.text, let nonce = fields.next(VerificationTag.nonce),
            let signature = fields.next(VerificationTag.signature)
        else { return nil }
        noiseKeyText = key
        self.nonce = Array(nonce)
        self.signature = Array(signature)
    }

    /// Whether it answers that challenge: the same key, in digits of either case, and the same nonce.
    public func answers(_ challenge: VerificationChallenge) -> Bool {
        guard let asked = Hex.decode(challenge.noiseKeyText).flatMap({ Bytes32($0) }) else { return false }
        return noiseKeyText.namesKey(AgreementPublicKey(asked))
            && nonce == challenge.nonce
    }

    /// Whether the signature verifies under a signing key, that of the scanned code. It covers the key text as it stands.
    public func verifies(by signingKey: SigningPublicKey, using cryptography: some Cryptography) -> Bool {
        guard let signature = Signature(signature) else { return false }
        let bytes = Self.signedBytes(noiseKeyText: noiseKeyText, nonce: nonce)
        return cryptography.verify(signature, of: bytes.span, by: signingKey)
    }
}
