import Domain
import NativeCryptography
import Testing

@Suite("Noise XX handshake")
struct HandshakeTests {
    /// Message 2 of the computed vectors.
    private static func message2() throws -> [UInt8] {
        let responder = try Noise.responder()
        _ = try responder.read(try Noise.initiator().writeMessage())
        return try responder.writeMessage()
    }

    private static func waitingInitiator() throws -> Handshake {
        let initiator = try Noise.initiator()
        _ = try initiator.writeMessage()
        return initiator
    }

    @Test("the specification's computed session comes out byte for byte")
    func computed() throws {
        let (initiator, responder) = (try Noise.initiator(), try Noise.responder())
        let first = try initiator.writeMessage()
        #expect(Hex.encode(first) == "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944")
        _ = try responder.read(first)
        let second = try responder.writeMessage()
        #expect(
            Hex.encode(second) == "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
                + "81cbad1f276e038c48378ffce2b65285e08d6b68aaa3629a5a8639392490e5b9"
                + "0b20f024c6abdc05d618c61c13a3fe072cc58dfff9bcf82e0a1bfdb60721db50")
        _ = try initiator.read(second)
        let third = try initiator.writeMessage()
        #expect(
            Hex.encode(third) == "c7195ffacac1307ff99046f219750fc47693e23c3cb08b89c2af808b444850a8"
                + "88f4162c556c1576dbe5a5261e2323d758304260a0ccff3e108f875a8cb4b363")
        _ = try responder.read(third)
        let (ours, theirs) = (try initiator.finish(), try responder.finish())
        #expect(ours.handshakeHash.hex == "54e50ed49e16bf78f6d638271c44143944b387073be935ab63915c16707e9339")
        #expect(theirs.handshakeHash == ours.handshakeHash)
        let toResponder = "3062fff068d0abd171b4b4603c5b7633bf5ee4e79da311370c2eba7f1ed6c69a"
        let toInitiator = "cbabb3f5e4529fc0e93efda9b4b70169270c04b05c5be25f71e9c55f7955c86a"
        #expect(Hex.encode(Noise.bytes(of: ours.sendingKey)) == toResponder)
        #expect(Hex.encode(Noise.bytes(of: theirs.receivingKey)) == toResponder)
        #expect(Hex.encode(Noise.bytes(of: ours.receivingKey)) == toInitiator)
        #expect(Hex.encode(Noise.bytes(of: theirs.sendingKey)) == toInitiator)
    }

    @Test("the computed keys have the computed names")
    func names() {
        let (initiator, responder) = (Noise.publicKey(Noise.initiatorStatic), Noise.publicKey(Noise.responderStatic))
        #expect(initiator.bytes.hex == "6bc3822a2aa7f4e6981d6538692b3cdf3e6df9eea6ed269eb41d93c22757b75a")
        #expect(responder.bytes.hex == "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62")
        #expect(PeerID(of: initiator, using: Noise.cryptography).hex == "b7a661f6ee2faf98")
        #expect(PeerID(of: responder, using: Noise.cryptography).hex == "9c5643f1fd1a1cad")
        #expect(
            Fingerprint(of: initiator, using: Noise.cryptography).hex
                == "b7a661f6ee2faf98207bb4dbde59a9d8981a2ee74ad0775fdf6762a88c878619")
    }

    @Test("messages have 32, 96 and 64 bytes, and a sealed payload is given back")
    func payloads() throws {
        let (initiator, responder) = (try Noise.initiator(), try Noise.responder())
        let first = try initiator.writeMessage()
        #expect(first.count == 32)
        #expect(try responder.read(first) == [])
        let second = try responder.writeMessage(payload: [1, 2, 3])
        #expect(second.count == 96 + 3)
        #expect(try initiator.read(second) == [1, 2, 3])
        let third = try initiator.writeMessage()
        #expect(third.count == 64)
        #expect(try responder.read(third) == [])
        #expect(initiator.isComplete && responder.isComplete)
    }

    @Test("message 1 with more than a key is a key and a cleartext payload")
    func firstPayload() throws {
        let (initiator, responder) = (try Noise.initiator(), try Noise.responder())
        let first = try initiator.writeMessage(payload: [7, 8])
        #expect(first.suffix(2) == [7, 8])
        #expect(try responder.read(first) == [7, 8])
    }

    @Test("the peer's key is known before message 3 leaves, so that its name can be checked first")
    func bindingBeforeMessage3() throws {
        let initiator = try Self.waitingInitiator()
        #expect(initiator.remoteStatic == nil)
        _ = try initiator.read(try Self.message2())
        #expect(initiator.remoteStatic == Noise.publicKey(Noise.responderStatic))
        #expect(!initiator.isComplete)
    }

    // Edge case 2.
    @Test(
        "message 1 of 31 bytes or with a weak key is invalid",
        arguments: [
            String(repeating: "11", count: 31), "", String(repeating: "00", count: 32),
            "01" + String(repeating: "00", count: 31), String(repeating: "ff", count: 32),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        ])
    func badMessage1(hex: String) throws {
        let responder = try Noise.responder()
        #expect(noiseError { try responder.read(Noise.bytes(hex)) } == .invalidMessage)
    }

    // Edge case 2.
    @Test(
        "message 2 that is cut is invalid; one that is too short for its tag too", arguments: [0, 31, 32, 79, 80, 95])
    func cutMessage2(count: Int) throws {
        let (initiator, message) = (try Self.waitingInitiator(), try Self.message2())
        #expect(noiseError { try initiator.read(Array(message.prefix(count))) } == .invalidMessage)
    }

    // Edge case 2.
    @Test("one bit flipped in either ciphertext fails to authenticate", arguments: [32, 63, 64, 79, 80, 95])
    func flipped(index: Int) throws {
        let initiator = try Self.waitingInitiator()
        var message = try Self.message2()
        message[index] ^= 1
        #expect(noiseError { try initiator.read(message) } == .authenticationFailure)
        #expect(index >= 80 || initiator.remoteStatic == nil)
    }

    @Test("appended bytes fail the tag")
    func extended() throws {
        let (initiator, message) = (try Self.waitingInitiator(), try Self.message2())
        #expect(noiseError { try initiator.read(message + [0]) } == .authenticationFailure)
    }

    // Edge case 3.
    @Test(
        "an ephemeral that the list misses is refused by its all-zero agreement",
        arguments: [
            "ec" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 30) + "7f",
            "ee" + String(repeating: "ff", count: 30) + "7f", String(repeating: "00", count: 31) + "80",
            "01" + String(repeating: "00", count: 30) + "80",
        ])
    func allZeroAgreement(hex: String) throws {
        #expect(!WeakKeys.contains(try Noise.key(hex)))
        let responder = try Noise.responder()
        _ = try responder.read(Noise.bytes(hex))
        #expect(noiseError { try responder.writeMessage() } == .invalidMessage)
    }

    @Test(
        "a weak static key fails to authenticate, listed or by its all-zero agreement",
        arguments: [
            String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
            "ed" + String(repeating: "ff", count: 30) + "7f",
        ])
    func weakStatic(hex: String) throws {
        // A responder that sends a static key of its choice: the message is written by hand.
        let key = Noise.bytes(hex)
        let initiator = try Self.waitingInitiator()
        let forged = try Self.message2(carrying: key)
        #expect(noiseError { try initiator.read(forged) } == .authenticationFailure)
    }

    @Test("a handshake of 2,048 bytes is read, one more is refused")
    func limit() throws {
        let ephemeral = try Noise.initiator().writeMessage()
        let padding = [UInt8](repeating: 9, count: 2048 - 32)
        #expect(try Noise.responder().read(ephemeral + padding) == padding)
        let responder = try Noise.responder()
        #expect(noiseError { try responder.read(ephemeral + padding + [9]) } == .tooLarge(count: 2049, limit: 2048))
    }

    @Test("messages out of turn are refused")
    func turns() throws {
        #expect(noiseError { try Noise.responder().writeMessage() } == .outOfOrder)
        #expect(noiseError { try Noise.initiator().read([UInt8](repeating: 7, count: 32)) } == .outOfOrder)
        #expect(noiseError { try Noise.initiator().finish() } == .outOfOrder)
        let initiator = try Self.waitingInitiator()
        #expect(noiseError { try initiator.writeMessage() } == .outOfOrder)
    }

    @Test("a failed handshake stays dead, even for the genuine message")
    func dead() throws {
        let (initiator, message) = (try Self.waitingInitiator(), try Self.message2())
        var forged = message
        forged[40] ^= 1
        #expect(noiseError { try initiator.read(forged) } == .authenticationFailure)
        #expect(noiseError { try initiator.read(message) } == .outOfOrder)
        #expect(!initiator.isComplete)
    }

    @Test("another prologue on the other side fails to authenticate")
    func prologue() throws {
        let (initiator, responder) = (try Noise.initiator(prologue: [1]), try Noise.responder(prologue: [2]))
        _ = try responder.read(try initiator.writeMessage())
        let second = try responder.writeMessage()
        #expect(noiseError { try initiator.read(second) } == .authenticationFailure)
    }

    @Test("a handshake that is over keeps no ephemeral key", arguments: [true, false])
    func releases(succeeds: Bool) throws {
        weak var watched: NativeSecret?
        let initiator: Handshake
        do {
            let ephemeral = Noise.secret(Noise.initiatorEphemeral)
            watched = ephemeral
            initiator = try Handshake(
                .xx, role: .initiator, staticKeys: Noise.keyPair(Noise.initiatorStatic), ephemeral: ephemeral,
                using: Noise.cryptography)
        }
        _ = try initiator.writeMessage()
        #expect(watched != nil)
        if succeeds {
            _ = try initiator.read(try Self.message2())
            _ = try initiator.writeMessage()
            _ = try initiator.finish()
            #expect(noiseError { try initiator.finish() } == .outOfOrder)
        } else {
            _ = noiseError { try initiator.read([]) }
        }
        #expect(watched == nil)
    }

    /// Message 2 whose static key is `key`, put together from the primitives by the steps of the specification.
    private static func message2(carrying key: [UInt8]) throws -> [UInt8] {
        let cryptography = Noise.cryptography
        let name = Array("Noise_XX_25519_ChaChaPoly_SHA256".utf8)
        let (ours, theirs) = (Noise.publicKey(Noise.responderEphemeral), Noise.publicKey(Noise.initiatorEphemeral))
        var hash = name
        for part in [[], theirs.bytes.bytes, ours.bytes.bytes] {
            hash = cryptography.sha256(hash.span, part.span).bytes
        }
        let shared = try #require(cryptography.agree(Noise.secret(Noise.responderEphemeral), with: theirs))
        let (_, cipherKey) = cryptography.hkdf(chainingKey: Noise.secret(name), input: shared)
        var message = ours.bytes.bytes
        cryptography.seal(
            key.span, key: cipherKey, nonce: AEADNonce(counter: 0), associatedData: hash.span, into: &message)
        return message + [UInt8](repeating: 0, count: 16)
    }
}
