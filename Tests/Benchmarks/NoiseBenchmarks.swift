import Domain
import NativeCryptography

/// Handshakes and transport messages, each beside the sum of the primitives that it calls.
struct NoiseBenchmarks {
    let harness: Harness
    private let cryptography = NativeCryptography()

    private func secret(_ byte: UInt8) -> NativeCryptography.Secret {
        cryptography.importSecret([UInt8](repeating: byte, count: 32).span)
    }

    /// Prints all lines.
    func run() {
        handshake()
        transport(size: 256)
        transport(size: 4096)
    }

    // MARK: Handshake

    /// One XX handshake with empty payloads, both sides; `nil` when it fails, which honest sides never do.
    private func shakeHands(
        _ alice: AgreementKeyPair<NativeCryptography>, _ bob: AgreementKeyPair<NativeCryptography>
    ) -> Bytes32? {
        do {
            let initiator = try HandshakeState(
                .xx, role: .initiator, staticKeys: alice, ephemeral: secret(3), using: cryptography)
            let responder = try HandshakeState(
                .xx, role: .responder, staticKeys: bob, ephemeral: secret(4), using: cryptography)
            // Named, because the optimiser of Swift 6.3.1 fails on a span of a call's result here.
            let first = try initiator.writeMessage()
            _ = try responder.readMessage(first.span)
            let second = try responder.writeMessage()
            _ = try initiator.readMessage(second.span)
            let third = try initiator.writeMessage()
            _ = try responder.readMessage(third.span)
            _ = try responder.finish()
            return try initiator.finish().handshakeHash
        } catch {
            return nil
        }
    }

    /// What both sides call in one XX handshake with empty payloads.
    private func handshakeParts() -> [Harness.Part] {
        let (key, public32) = (secret(5), cryptography.agreementPublicKey(of: secret(6)))
        let hash = [UInt8](repeating: 7, count: 32)
        var parts = [
            Harness.Part("X25519 agreement", times: 6) { _ in
                consume(cryptography.agree(key, with: public32) == nil ? 0 : 1)
            },
            Harness.Part("X25519 public key", times: 2) { _ in
                consume(Int(truncatingIfNeeded: cryptography.agreementPublicKey(of: key).bytes.low))
            },
            Harness.Part("HKDF", times: 6) { _ in
                consume(cryptography.hkdf(chainingKey: key, input: key).0 === key ? 0 : 1)
            },
            Harness.Part("HKDF without input", times: 2) { _ in
                consume(cryptography.hkdf(chainingKey: key, input: nil).0 === key ? 0 : 1)
            },
            Harness.Part("secret from bytes", times: 4) { _ in
                consume(cryptography.importSecret(hash.span) === key ? 0 : 1)
            },
        ]
        for (size, times) in [(0, 4), (16, 4), (32, 4), (48, 4)] {
            let data = [UInt8](repeating: 8, count: size)
            parts.append(
                Harness.Part("SHA-256 of 32 + \(size) B", times: times) { _ in
                    consume(Int(truncatingIfNeeded: cryptography.sha256(hash.span, data.span).low))
                })
        }
        for size in [0, 32] { parts += cipherParts(size: size, times: 2, associatedData: hash) }
        return parts
    }

    /// Sealing and opening, with fresh output each time.
    private func cipherParts(size: Int, times: Int, associatedData: [UInt8]) -> [Harness.Part] {
        let (key, nonce) = (secret(5), AEADNonce(counter: 0))
        let plaintext = [UInt8](repeating: 9, count: size)
        var sealed: [UInt8] = []
        cryptography.seal(plaintext.span, key: key, nonce: nonce, associatedData: associatedData.span, into: &sealed)
        let ciphertext = sealed
        return [
            Harness.Part("seal \(size) B", times: times) { _ in
                var output: [UInt8] = []
                cryptography.seal(
                    plaintext.span, key: key, nonce: nonce, associatedData: associatedData.span, into: &output)
                consume(output.count)
            },
            Harness.Part("open \(size) B", times: times) { _ in
                var output: [UInt8] = []
                let isGenuine = cryptography.open(
                    ciphertext.span, key: key, nonce: nonce, associatedData: associatedData.span, into: &output)
                consume(isGenuine ? 1 : 0)
            },
        ]
    }

    private func handshake() {
        let alice = AgreementKeyPair(secret(1), using: cryptography)
        let bob = AgreementKeyPair(secret(2), using: cryptography)
        guard shakeHands(alice, bob) != nil else {
            print("the handshake failed")
            return
        }
        harness.compare("XX handshake, both sides", with: handshakeParts()) { _ in
            consume(shakeHands(alice, bob) == nil ? 0 : 1)
        }
    }

    // MARK: Transport

    private func transport(size: Int) {
        let key = secret(5)
        let plaintext = [UInt8](repeating: 9, count: size)
        let parts = cipherParts(size: size, times: 1, associatedData: [])
        let sender = TransportCipher(sendingKey: key, receivingKey: key, using: cryptography)
        harness.compare("transport seal + open, \(size) B", with: parts) { _ in
            guard let frame = try? sender.seal(plaintext.span), let opened = try? sender.open(frame.span) else {
                return
            }
            consume(opened.count)
        }
    }
}
