import Domain
import NativeCryptography
import Support
import Testing

typealias Handshake = HandshakeState<NativeCryptography>
typealias Transport = TransportCipher<NativeCryptography>

/// Keys and parties of the Noise tests, in arrays: a span cannot be an argument of a call inside a macro.
enum Noise {
    static let cryptography = NativeCryptography()

    // The keys of the specification's computed vectors (spec: noise §12.3).
    static let initiatorStatic = bytes("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1")
    static let initiatorEphemeral = bytes("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a")
    static let responderStatic = bytes("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893")
    static let responderEphemeral = bytes("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")

    static func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex) ?? [] }

    static func secret(_ bytes: [UInt8]) -> NativeSecret { cryptography.importSecret(bytes.span) }

    static func bytes(of secret: NativeSecret) -> [UInt8] {
        cryptography.withBytes(of: secret) { span in span.indices.map { span[$0] } }
    }

    static func keyPair(_ secret: [UInt8]) -> AgreementKeyPair<NativeCryptography> {
        AgreementKeyPair(Self.secret(secret), using: cryptography)
    }

    static func publicKey(_ secret: [UInt8]) -> AgreementPublicKey { keyPair(secret).publicKey }

    static func key(_ hex: String) throws -> AgreementPublicKey {
        AgreementPublicKey(try #require(Bytes32(bytes(hex))))
    }

    static func initiator(
        static secret: [UInt8] = initiatorStatic, ephemeral: [UInt8] = initiatorEphemeral, prologue: [UInt8] = []
    ) throws -> Handshake {
        try Handshake(
            .xx, role: .initiator, prologue: prologue, staticKeys: keyPair(secret), ephemeral: self.secret(ephemeral),
            using: cryptography)
    }

    static func responder(
        static secret: [UInt8] = responderStatic, ephemeral: [UInt8] = responderEphemeral, prologue: [UInt8] = []
    ) throws -> Handshake {
        try Handshake(
            .xx, role: .responder, prologue: prologue, staticKeys: keyPair(secret), ephemeral: self.secret(ephemeral),
            using: cryptography)
    }

    /// Both ends of one session, after a handshake.
    static func session() throws -> (initiator: Transport, responder: Transport) {
        let (initiator, responder) = (try initiator(), try responder())
        _ = try responder.read(try initiator.writeMessage())
        _ = try initiator.read(try responder.writeMessage())
        _ = try responder.read(try initiator.writeMessage())
        return (
            Transport(try initiator.finish(), using: cryptography),
            Transport(try responder.finish(), using: cryptography)
        )
    }

    /// A receiver and a sender under one key, the sender at any counter.
    static func oneWay(key: [UInt8] = [UInt8](0..<32), counter: UInt64 = 0) -> Transport {
        Transport(sendingKey: secret(key), receivingKey: secret(key), counter: counter, using: cryptography)
    }

    static func seal(
        _ seal: CourierSeal, _ payload: [UInt8], to recipient: AgreementPublicKey, from sender: [UInt8],
        ephemeral: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        try seal.seal(
            payload, to: recipient, from: keyPair(sender), ephemeral: secret(ephemeral), using: cryptography)
    }

    static func open(_ seal: CourierSeal, _ sealed: [UInt8], with secret: [UInt8]) throws(NoiseError)
        -> CourierSeal.Opened
    {
        try seal.open(sealed.span, with: keyPair(secret), using: cryptography)
    }
}

extension HandshakeState {
    func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] { try readMessage(message.span) }
}

extension TransportCipher {
    func sealed(_ plaintext: [UInt8], path: Path = .ordinary) throws(NoiseError) -> [UInt8] {
        try seal(plaintext.span, path: path)
    }

    func opened(_ frame: [UInt8]) throws(NoiseError) -> [UInt8] { try open(frame.span) }
}

extension VectorCase {
    /// The input of that name as bytes.
    func bytes(_ name: String) throws -> [UInt8] { try #require(input.member(name).hex) }

    /// The output of that name as bytes.
    func expected(_ name: String) throws -> [UInt8] { try #require(output.member(name).hex) }
}

/// The error that the closure throws; `nil` when it throws none.
func noiseError(_ body: () throws -> some Any) -> NoiseError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? NoiseError
    }
}
