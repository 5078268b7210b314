import Domain
import Foundation
import NativeCryptography
import Support
import Testing

@Suite("Sessions and other implementations", .needsInteropPython, .timeLimit(.minutes(15)))
struct SessionInterop {
    private let ours = AgreementKeyPair(secret(3), using: cryptography)
    private let theirs = cryptography.agreementPublicKey(of: secret(4))

    private func handshake(_ role: HandshakeRole) throws -> HandshakeState<NativeCryptography> {
        try HandshakeState(.xx, role: role, staticKeys: ours, ephemeral: secret(5), using: cryptography)
    }

    private func start(_ peer: PythonPeer, as role: String) throws -> [UInt8] {
        try peer.bytes("noise_start", ["role": .string(role), "private": .hex([UInt8](repeating: 4, count: 32))])
    }

    private func read(_ message: [UInt8], by state: HandshakeState<NativeCryptography>) throws -> [UInt8] {
        try state.readMessage(message.span)
    }

    private func open(_ frame: [UInt8], by transport: TransportCipher<NativeCryptography>) throws -> [UInt8] {
        try transport.open(frame.span)
    }

    /// Completes a handshake and gives our transport.
    private func connect(_ peer: PythonPeer, asInitiator: Bool) throws -> TransportCipher<NativeCryptography> {
        let state = try handshake(asInitiator ? .initiator : .responder)
        if asInitiator {
            #expect(try start(peer, as: "responder") == [])
            let second = try peer.bytes("noise_handshake", ["message": .hex(try state.writeMessage())])
            #expect(try read(second, by: state) == [])
            #expect(try peer.ask("noise_handshake", ["message": .hex(try state.writeMessage())]).isNull)
        } else {
            let first = try start(peer, as: "initiator")
            #expect(try read(first, by: state) == [])
            let third = try peer.bytes("noise_handshake", ["message": .hex(try state.writeMessage())])
            #expect(try read(third, by: state) == [])
        }
        let outcome = try state.finish()
        #expect(outcome.remoteStatic == theirs)
        #expect(try peer.ask("noise_remote").string == ours.publicKey.bytes.hex)
        return TransportCipher(outcome, using: cryptography)
    }

    @Test("a session comes up and carries text both ways, whoever begins", arguments: [true, false])
    func session(asInitiator: Bool) throws {
        let peer = try PythonPeer()
        let transport = try connect(peer, asInitiator: asInitiator)
        for text in ["", "hi", String(repeating: "long ", count: 200)] {
            let plaintext = [1] + Array(text.utf8)
            let frame = try transport.seal(plaintext.span)
            #expect(try peer.bytes("noise_open", ["frame": .hex(frame)]) == plaintext)
            let answer = try peer.bytes("noise_seal", ["plaintext": .hex(plaintext)])
            #expect(try open(answer, by: transport) == plaintext)
        }
    }

    @Test("frames out of order open on both sides, and a replay on neither")
    func order() throws {
        let peer = try PythonPeer()
        let transport = try connect(peer, asInitiator: true)
        let plaintext: [UInt8] = [1, 2, 3]
        let sent = try (0..<4).map { _ in try transport.seal(plaintext.span) }
        for index in [2, 0, 3, 1] { #expect(try peer.bytes("noise_open", ["frame": .hex(sent[index])]) == plaintext) }
        #expect(throws: PythonPeer.Refusal.self) { try peer.ask("noise_open", ["frame": .hex(sent[2])]) }
        let received = try (0..<4).map { _ in try peer.bytes("noise_seal", ["plaintext": .hex(plaintext)]) }
        for index in [2, 0, 3, 1] { #expect(try open(received[index], by: transport) == plaintext) }
        #expect(throws: NoiseError.self) { try open(received[2], by: transport) }
    }

    @Test("a damaged frame opens on neither side")
    func damaged() throws {
        let peer = try PythonPeer()
        let transport = try connect(peer, asInitiator: true)
        let plaintext: [UInt8] = [1, 2, 3]
        var frame = try transport.seal(plaintext.span)
        frame[6] ^= 1
        #expect(throws: PythonPeer.Refusal.self) { try peer.ask("noise_open", ["frame": .hex(frame)]) }
        var answer = try peer.bytes("noise_seal", ["plaintext": .hex(plaintext)])
        answer[6] ^= 1
        #expect(throws: NoiseError.self) { try open(answer, by: transport) }
    }
}

@Suite("Codes and other implementations", .needsInteropPython, .timeLimit(.minutes(15)))
struct VerificationInterop {
    private let now = WallTime(milliseconds: UInt64(Date().timeIntervalSince1970) * 1000)

    private func url(_ nickname: String) -> String {
        VerificationCode(
            noiseKey: cryptography.agreementPublicKey(of: secret(3)), npub: "npub1xyz", nickname: nickname, at: now,
            nonce: 7, signedWith: secret(7), using: cryptography
        ).url
    }

    private func verifies(_ peer: PythonPeer, _ url: String, secondsLater: Int64 = 0) throws -> Bool? {
        let seconds = Int64(now.milliseconds / 1000) + secondsLater
        return try peer.ask("code_verify", ["url": .string(url), "now": .number(seconds)]).bool
    }

    private func built(_ peer: PythonPeer, _ nickname: String) throws -> String? {
        try peer.ask(
            "code_build",
            [
                "noise_private": .string(String(repeating: "03", count: 32)),
                "seed": .string(String(repeating: "07", count: 32)), "nickname": .string(nickname), "npub": .null,
            ]
        ).string
    }

    @Test("our codes verify there, whatever the name", arguments: ["alice", "a b", "a+b&c=d%", "zoë 🛰"])
    func ours(nickname: String) throws {
        let peer = try PythonPeer()
        let url = self.url(nickname)
        #expect(try verifies(peer, url) == true)
        #expect(try verifies(peer, url.replacing("nick=", with: "nick=x")) == false)
    }

    @Test("their codes verify here", arguments: ["alice", "a+b&c=d%", "zoë🛰"])
    func theirs(nickname: String) throws {
        let peer = try PythonPeer()
        let url = try #require(try built(peer, nickname))
        let code = try VerificationCode(scanning: url, at: now, using: cryptography)
        #expect(code.nickname == nickname)
    }

    @Test("bitchat4agents writes a space as +, against noise §8.1, where + is +: the code fails here as it does on iOS")
    func space() throws {
        let peer = try PythonPeer()
        let url = try #require(try built(peer, "a b"))
        #expect(throws: VerificationCode.Refusal.badSignature) {
            try VerificationCode(scanning: url, at: now, using: cryptography)
        }
    }

    @Test("bitchat4agents takes codes from the future; we do not, as noise §8.1 says")
    func future() throws {
        let peer = try PythonPeer()
        let url = self.url("alice")
        #expect(try verifies(peer, url, secondsLater: -301) == true)
        let earlier = WallTime(milliseconds: now.milliseconds - 301_000)
        #expect(throws: VerificationCode.Refusal.outOfTime) {
            try VerificationCode(scanning: url, at: earlier, using: cryptography)
        }
        #expect(try verifies(peer, url, secondsLater: 301) == false)
    }
}
