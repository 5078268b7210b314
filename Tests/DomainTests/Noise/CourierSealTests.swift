import Domain
import NativeCryptography
import Testing

@Suite("Courier seal")
struct CourierSealTests {
    private static let message = Noise.bytes("010004706d2d310106736563726574")
    private static let recipient = Noise.publicKey(Noise.responderStatic)

    private static func sealed(
        _ seal: CourierSeal = .staticKey, _ payload: [UInt8] = message, to recipient: AgreementPublicKey = recipient,
        ephemeral: [UInt8] = Noise.initiatorEphemeral
    ) throws -> [UInt8] {
        try Noise.seal(seal, payload, to: recipient, from: Noise.initiatorStatic, ephemeral: ephemeral)
    }

    @Test("the specification's computed seals come out byte for byte")
    func computed() throws {
        #expect(
            Hex.encode(try Self.sealed()) == "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
                + "6c15957a594079a5bdeae05d01e089fbb7cc6ea2ecfd209b941f73c9235213bc27a0de88ab3fc2b3f0ed71f9917bbc0f"
                + "b0b6caa1da2ada4bf12d6a1914cd12a270bf5a868750e05a2d2334ec5d079a")
        let prekey = Noise.publicKey(Noise.responderEphemeral)
        #expect(prekey.bytes.hex == "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843")
        #expect(
            Hex.encode(try Self.sealed(.prekey(7), to: prekey))
                == "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
                + "e9dd04e48c0d08f7ec065a061d9b787231be514c144ece0880c77c71fcd1b6f8f40eec277106c8cc24a45a43e6e4cee8"
                + "5dd553ad0be9cad0dfbbd3c980940f56060032a38807dbefdfd43e4d84b866")
    }

    // Edge case 40.
    @Test("payloads of any size come back with their sender", arguments: [0, 1, 15, 8192, 65_439])
    func roundTrip(count: Int) throws {
        let payload = [UInt8](repeating: 3, count: count)
        for seal in [CourierSeal.staticKey, .prekey(0), .prekey(.max)] {
            let sealed = try Self.sealed(seal, payload)
            #expect(sealed.count == count + 96)
            let opened = try Noise.open(seal, sealed, with: Noise.responderStatic)
            #expect(opened.payload == payload)
            #expect(opened.sender == Noise.publicKey(Noise.initiatorStatic))
        }
    }

    @Test("what no Noise message can hold is refused")
    func tooLarge() {
        #expect(
            noiseError { try Self.sealed(.staticKey, [UInt8](repeating: 3, count: 65_440)) }
                == .tooLarge(count: 65_536, limit: 65_535))
        #expect(
            noiseError { try Noise.open(.staticKey, [UInt8](repeating: 3, count: 65_536), with: Noise.responderStatic) }
                == .tooLarge(count: 65_536, limit: 65_535))
    }

    // Edge case 40.
    @Test(
        "a seal of one kind does not open as another",
        arguments: [
            (CourierSeal.staticKey, CourierSeal.prekey(0)), (.prekey(0), .staticKey), (.prekey(7), .prekey(8)),
            (.prekey(1), .prekey(0x0100_0000)),
        ])
    func otherKind(sealed: CourierSeal, opened: CourierSeal) throws {
        let mail = try Self.sealed(sealed)
        #expect(noiseError { try Noise.open(opened, mail, with: Noise.responderStatic) } == .authenticationFailure)
    }

    // Edge case 40.
    @Test("the ephemeral key of another seal, or another recipient, does not open")
    func spliced() throws {
        let (mail, other) = (try Self.sealed(), try Self.sealed(ephemeral: Noise.responderEphemeral))
        let spliced = other.prefix(32) + mail.dropFirst(32)
        #expect(
            noiseError { try Noise.open(.staticKey, Array(spliced), with: Noise.responderStatic) }
                == .authenticationFailure)
        #expect(
            noiseError { try Noise.open(.staticKey, mail, with: Noise.initiatorStatic) } == .authenticationFailure)
    }

    @Test("a flipped bit in any part does not open", arguments: [0, 31, 32, 63, 64, 79, 80, 94, 95, 110])
    func flipped(index: Int) throws {
        var mail = try Self.sealed()
        mail[index] ^= 4
        #expect(
            noiseError { try Noise.open(.staticKey, mail, with: Noise.responderStatic) } == .authenticationFailure)
    }

    @Test("fewer than 96 bytes are invalid", arguments: [0, 31, 32, 79, 80, 95])
    func short(count: Int) throws {
        let mail = Array(try Self.sealed().prefix(count))
        #expect(noiseError { try Noise.open(.staticKey, mail, with: Noise.responderStatic) } == .invalidMessage)
    }

    // Edge case 40.
    @Test(
        "a weak recipient key is refused, listed or by its all-zero agreement",
        arguments: [
            String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
            String(repeating: "ff", count: 32), "ed" + String(repeating: "ff", count: 30) + "7f",
            String(repeating: "00", count: 31) + "80",
        ])
    func weakRecipient(hex: String) throws {
        let key = try Noise.key(hex)
        for seal in [CourierSeal.staticKey, .prekey(3)] {
            #expect(noiseError { try Self.sealed(seal, to: key) } == .weakKey)
        }
    }

    @Test(
        "mail with a weak ephemeral key is invalid",
        arguments: [
            String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
            "ee" + String(repeating: "ff", count: 30) + "7f",
        ])
    func weakEphemeral(hex: String) throws {
        let mail = Noise.bytes(hex) + (try Self.sealed()).dropFirst(32)
        #expect(noiseError { try Noise.open(.staticKey, mail, with: Noise.responderStatic) } == .invalidMessage)
    }

    @Test("a sender without an ephemeral key, or without a recipient, has nothing to seal with")
    func missingKeys() throws {
        let keys = Noise.keyPair(Noise.initiatorStatic)
        #expect(
            noiseError {
                try Handshake(
                    .x, role: .initiator, staticKeys: keys, ephemeral: Noise.secret(Noise.initiatorEphemeral),
                    using: Noise.cryptography)
            } == .outOfOrder)
        let handshake = try Handshake(
            .x, role: .initiator, staticKeys: keys, ephemeral: nil, remoteStatic: Self.recipient,
            using: Noise.cryptography)
        #expect(noiseError { try handshake.writeMessage() } == .outOfOrder)
    }
}
