import Domain
import Testing

@Suite("Verification codes")
struct VerificationCodeTests {
    private static let now = WallTime(milliseconds: 1_760_000_000_500)

    private func seed(_ byte: UInt8) -> PayloadSecret {
        let bytes = [UInt8](repeating: byte, count: 32)
        return payloadCryptography.importSecret(bytes.span)
    }

    private func code(nickname: String = "alice", npub: String? = nil) throws -> VerificationCode {
        let key = try #require(Bytes32([UInt8](repeating: 0x11, count: 32)))
        return VerificationCode(
            noiseKey: AgreementPublicKey(key), npub: npub, nickname: nickname, at: Self.now, nonce: 7,
            signedWith: seed(3), using: payloadCryptography)
    }

    private func refusal(_ url: String, at now: WallTime = now) -> VerificationCode.Refusal? {
        do {
            _ = try VerificationCode(scanning: url, at: now, using: payloadCryptography)
            return nil
        } catch { return error }
    }

    @Test(
        "names with every kind of character come back", arguments: ["a+b", "a&b=c", "a b", "zoë 🛰", "", "100%", "#?/"])
    func names(nickname: String) throws {
        let code = try code(nickname: nickname, npub: "npub1xyz")
        #expect(try VerificationCode(scanning: code.url, at: Self.now, using: payloadCryptography) == code)
        #expect(!code.url.contains("+") && !code.url.contains(" "))
    }

    @Test("300 s either way count, 301 do not")
    func time() throws {
        let url = try code().url
        for (offset, verdict) in [(-300, nil), (300, nil), (-301, .outOfTime), (301, .outOfTime)]
            as [(Int64, VerificationCode.Refusal?)]
        {
            let now = WallTime(milliseconds: UInt64(1_760_000_000_000 + offset * 1000))
            #expect(refusal(url, at: now) == verdict)
        }
        #expect(refusal(url.replacing("ts=1760000000", with: "ts=-9223372036854775808")) == .outOfTime)
        #expect(refusal(url.replacing("ts=1760000000", with: "ts=9223372036854775808")) == .malformed)
    }

    @Test("a changed name, and another version, are refused for what they are")
    func tampered() throws {
        let url = try code().url
        #expect(refusal(url) == nil)
        #expect(refusal(url.replacing("nick=alice", with: "nick=alicf")) == .badSignature)
        #expect(refusal(url.replacing("v=1&", with: "v=2&")) == .unknownVersion)
        #expect(refusal(url.replacing("v=1&", with: "v=one&")) == .malformed)
    }

    @Test(
        "other texts are no codes",
        arguments: [
            "", "bitchat", "bitchat://verify", "bitchat://verify?", "bitchat://verifyx?v=1", "bitchat:verify?v=1",
            "https://verify?v=1", "bitchat://verify?v=1&nick=%", "bitchat://verify?v=1&nick=%4", "bitchat://verify?%FF",
        ])
    func malformed(url: String) { #expect(refusal(url) == .malformed) }

    @Test("each item but the address is required", arguments: ["v", "noise", "sign", "nick", "ts", "nonce", "sig"])
    func required(name: String) throws {
        let url = try code().url
        let prefix = "bitchat://verify?"
        let items = url.dropFirst(prefix.count).split(separator: "&").filter { !$0.hasPrefix(name + "=") }
        #expect(refusal(prefix + items.joined(separator: "&")) == .malformed)
    }
}

@Suite("Verification in a session")
struct VerificationSessionTests {
    private let nonce = [UInt8](repeating: 9, count: 16)

    private func key(_ byte: UInt8) throws -> AgreementPublicKey {
        let bytes = try #require(Bytes32([UInt8](repeating: byte, count: 32)))
        return AgreementPublicKey(bytes)
    }

    private func seed(_ byte: UInt8) -> PayloadSecret {
        let bytes = [UInt8](repeating: byte, count: 32)
        return payloadCryptography.importSecret(bytes.span)
    }

    @Test("a challenge is answered only by the owner of the key it names, and only with a nonce of 16 bytes")
    func asks() throws {
        let key = try key(0x1A)
        #expect(VerificationChallenge(noiseKey: key, nonce: nonce).asks(for: key))
        #expect(!VerificationChallenge(noiseKey: try self.key(0x1B), nonce: nonce).asks(for: key))
        for length in [0, 15, 17] {
            let odd = VerificationChallenge(noiseKey: key, nonce: [UInt8](repeating: 9, count: length))
            #expect(!odd.asks(for: key))
        }
        let body = [1, 64] + Array(key.bytes.hex.uppercased().utf8) + [2, 16] + nonce
        #expect(VerificationChallenge(body[...])?.asks(for: key) == true)
    }

    @Test("an answer to another nonce or key does not count, and its signature covers the key as it stands")
    func answers() throws {
        let key = try key(0x1A)
        let challenge = VerificationChallenge(noiseKey: key, nonce: nonce)
        let response = VerificationResponse(to: challenge, signedWith: seed(4), using: payloadCryptography)
        let signer = payloadCryptography.signingPublicKey(of: seed(4))
        #expect(response.answers(challenge))
        #expect(response.verifies(by: signer, using: payloadCryptography))
        #expect(!response.verifies(by: payloadCryptography.signingPublicKey(of: seed(5)), using: payloadCryptography))
        #expect(!response.answers(VerificationChallenge(noiseKey: key, nonce: [UInt8](repeating: 8, count: 16))))
        #expect(!response.answers(VerificationChallenge(noiseKey: try self.key(0x1B), nonce: nonce)))
        var body = try #require(response.encoded)
        body[3] = UInt8(ascii: "A")  // "1a1a…" becomes "1A1a…": the same key in other letters.
        let recased = try #require(VerificationResponse(body[...]))
        #expect(recased.answers(challenge))
        #expect(!recased.verifies(by: signer, using: payloadCryptography))
    }

    @Test("fields stand in their order, and what follows them is passed over")
    func order() throws {
        let challenge = VerificationChallenge(noiseKey: try key(1), nonce: nonce)
        let body = try #require(challenge.encoded)
        #expect(VerificationChallenge((body + [7, 200, 1])[...]) == challenge)
        #expect(VerificationChallenge(body.dropLast()) == nil)
        let swapped = [2, 16] + nonce + body.prefix(66)
        #expect(VerificationChallenge(swapped[...]) == nil)
        #expect(VerificationResponse(body[...]) == nil, "a challenge is no response")
    }
}
