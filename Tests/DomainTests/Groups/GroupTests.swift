import Domain
import NativeCryptography
import Testing

@Suite("Private groups")
struct GroupTests {
    private let id = GroupID(rawValue: 0xABCD)

    private func secret(_ byte: UInt8) -> PayloadSecret {
        let bytes = [UInt8](repeating: byte, count: 32)
        return payloadCryptography.importSecret(bytes.span)
    }

    private func member(_ byte: UInt8, nickname: String = "n") throws -> GroupMember {
        let digest = try #require(Bytes32([UInt8](repeating: byte, count: 32)))
        return GroupMember(
            fingerprint: Fingerprint(digest: digest),
            signingKey: payloadCryptography.signingPublicKey(of: secret(byte)),
            nickname: nickname)
    }

    /// A group of members 1 and 2, created and signed as told.
    private func state(
        creator: UInt8 = 1, signer: UInt8 = 1, epoch: UInt32 = 1, key: UInt8 = 7, name: String = "g"
    ) throws -> GroupState<NativeCryptography> {
        let roster = try #require(GroupRoster([try member(1), try member(2)]))
        return GroupState(
            id: id, name: name, key: secret(key), epoch: epoch, roster: roster,
            creator: try member(creator).fingerprint, signedWith: secret(signer), using: payloadCryptography)
    }

    private func text(_ content: String = "hello") -> GroupText {
        GroupText(
            groupID: id, epoch: 3, id: MessageID("m1"), nickname: "n", timestamp: WallTime(milliseconds: 5),
            content: content, signedWith: secret(1), using: payloadCryptography)
    }

    private func sealed(_ text: GroupText, key: UInt8 = 7) throws -> [UInt8] {
        let message = GroupMessage(
            sealing: text, key: secret(key), nonce: AEADNonce(prefix: 1, suffix: 2), using: payloadCryptography)
        return try #require(message?.encoded)
    }

    private func opened(_ payload: [UInt8], key: UInt8 = 7) throws -> Result<GroupText, GroupMessageRefusal> {
        let message = try #require(GroupMessage(payload[...]))
        do {
            return .success(try message.open(with: secret(key), using: payloadCryptography))
        } catch { return .failure(error) }
    }

    @Test("seventeen members are refused both ways, sixteen are not")
    func rosterLimit() throws {
        let members = try (1...17).map { try member($0) }
        #expect(GroupRoster(members) == nil)
        let sixteen = try #require(GroupRoster(Array(members.prefix(16)))).encoded
        #expect(GroupRoster(sixteen[...])?.members.count == 16)
        #expect(GroupRoster(([17] + sixteen.dropFirst() + sixteen.dropFirst().prefix(66))[...]) == nil)
    }

    @Test("forty euro signs are cut to the twenty-one that fit")
    func longNickname() throws {
        let roster = try #require(GroupRoster([try member(1, nickname: String(repeating: "€", count: 40))]))
        let decoded = try #require(GroupRoster(roster.encoded[...]))
        #expect(decoded.members.first?.nickname == String(repeating: "€", count: 21))
    }

    @Test("a state by its creator holds; by a member, or by a creator outside the roster, it does not")
    func stateSigner() throws {
        #expect(try state().isSignedByCreator(using: payloadCryptography))
        #expect(!(try state(signer: 2).isSignedByCreator(using: payloadCryptography)))
        #expect(!(try state(creator: 3, signer: 3).isSignedByCreator(using: payloadCryptography)))
    }

    @Test("epoch, key, name and members are under the signature")
    func stateContent() throws {
        let honest = try #require(try state().encoded(using: payloadCryptography))
        let others = try [state(epoch: 2), state(key: 8), state(name: "h")].map {
            try #require($0.encoded(using: payloadCryptography))
        }
        for other in others + [try withRoster(honest)] {
            // Everything of the other state, with the honest signature behind it: the last of a repeated field counts.
            let forged = other.dropLast(67) + honest.suffix(67)
            let decoded = try #require(GroupState(forged, using: payloadCryptography))
            #expect(!decoded.isSignedByCreator(using: payloadCryptography))
        }
        let again = try #require(GroupState(honest[...], using: payloadCryptography))
        #expect(again.isSignedByCreator(using: payloadCryptography))
    }

    /// The same state with one member fewer.
    private func withRoster(_ honest: [UInt8]) throws -> [UInt8] {
        let roster = try #require(GroupRoster([try member(1)])).encoded
        return Array(honest.dropLast(67)) + [5] + PacketBytes.of(UInt16(roster.count)) + roster + honest.suffix(67)
    }

    @Test("the key comes back as a secret of the same bytes")
    func stateKey() throws {
        let body = try #require(try state(key: 0).encoded(using: payloadCryptography))
        let decoded = try #require(GroupState(body[...], using: payloadCryptography))
        let key = payloadCryptography.withBytes(of: decoded.key) { bytes in bytes.indices.map { bytes[$0] } }
        #expect(key == [UInt8](repeating: 0, count: 32))
    }

    @Test("a sealed text opens to itself, under its key only")
    func message() throws {
        let text = text()
        let payload = try sealed(text)
        #expect(try opened(payload) == .success(text))
        #expect(try opened(payload, key: 8) == .failure(.decrypt))
    }

    @Test("relabelled to another epoch or group it does not open")
    func relabelled() throws {
        for place in [18, 19 + 6] {  // the last bytes of the identifier and of the epoch
            var payload = try sealed(text())
            payload[place] ^= 1
            #expect(try opened(payload) == .failure(.decrypt))
        }
    }

    @Test("framing is strict: two bytes left over refuse a message and a state")
    func leftover() throws {
        #expect(GroupMessage((try sealed(text()) + [0, 0])[...]) == nil)
        let body = try #require(try state().encoded(using: payloadCryptography))
        #expect(GroupState((body + [0, 0])[...], using: payloadCryptography) == nil)
    }

    @Test("content above 65,535 bytes cannot be sealed")
    func tooLong() {
        let long = text(String(repeating: "x", count: 65_536))
        let nearly = text(String(repeating: "x", count: 65_500))
        for text in [long, nearly] {
            let message = GroupMessage(
                sealing: text, key: secret(7), nonce: AEADNonce(counter: 0), using: payloadCryptography)
            #expect(message == nil)
        }
    }
}
