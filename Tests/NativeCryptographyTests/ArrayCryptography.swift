import Domain
import NativeCryptography
import Support
import Testing

/// The adapter in arrays: a span cannot be an argument of a call inside a macro.
struct ArrayCryptography {
    let native = NativeCryptography()

    func secret(_ bytes: [UInt8]) -> NativeSecret { native.importSecret(bytes.span) }

    func bytes(of secret: NativeSecret) -> [UInt8] {
        native.withBytes(of: secret) { span in span.indices.map { span[$0] } }
    }

    func sha256(_ bytes: [UInt8]) -> Bytes32 { native.sha256(bytes.span) }

    func sha256(_ first: [UInt8], _ second: [UInt8]) -> Bytes32 { native.sha256(first.span, second.span) }

    func hmac(_ message: [UInt8], key: [UInt8]) -> Bytes32 { native.hmacSHA256(of: message.span, key: key.span) }

    func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: AEADNonce, associatedData: [UInt8] = [], after prefix: [UInt8] = []
    ) -> [UInt8] {
        var output = prefix
        native.seal(
            plaintext.span, key: secret(key), nonce: nonce, associatedData: associatedData.span, into: &output)
        return output
    }

    /// What `open` appended to nothing; `nil` when it refused.
    func open(_ ciphertext: [UInt8], key: [UInt8], nonce: AEADNonce, associatedData: [UInt8] = []) -> [UInt8]? {
        var output: [UInt8] = []
        let isGenuine = native.open(
            ciphertext.span, key: secret(key), nonce: nonce, associatedData: associatedData.span, into: &output)
        return isGenuine ? output : nil
    }

    func agree(_ secret: [UInt8], with publicKey: [UInt8]) throws -> [UInt8]? {
        let key = AgreementPublicKey(try #require(Bytes32(publicKey)))
        return native.agree(self.secret(secret), with: key).map { bytes(of: $0) }
    }

    func sign(_ message: [UInt8], with seed: [UInt8]) -> Signature { native.sign(message.span, with: secret(seed)) }

    func verify(_ signature: Signature, of message: [UInt8], by key: SigningPublicKey) -> Bool {
        native.verify(signature, of: message.span, by: key)
    }

    func schnorrSign(_ message: [UInt8], with secret: [UInt8], auxiliary: Bytes32) -> Signature? {
        native.schnorrSign(message.span, with: self.secret(secret), auxiliary: auxiliary)
    }

    func schnorrVerify(_ signature: Signature, of message: [UInt8], by key: Bytes32) -> Bool {
        native.schnorrVerify(signature, of: message.span, by: key)
    }
}

extension VectorCase {
    /// The input of that name as bytes.
    func bytes(_ name: String) throws -> [UInt8] { try #require(input.member(name).hex) }

    /// The output of that name as bytes.
    func expected(_ name: String) throws -> [UInt8] { try #require(output.member(name).hex) }
}
