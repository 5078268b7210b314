import Domain
import Testing

@Suite("Opening carried mail")
struct EnvelopeOpeningTests {
    private static let message: [UInt8] = Array("a private message".utf8)
    private static let sender = AgreementKeyPair(Prekeys.secret(50), using: Prekeys.cryptography)

    /// Mail to us: sealed to `key` as `seal`, under an envelope that names `prekeyID`.
    private func envelope(
        _ seal: CourierSeal, to key: AgreementPublicKey, naming prekeyID: UInt32?
    ) throws -> CourierEnvelope {
        let sealed = try seal.seal(
            Self.message, to: key, from: Self.sender, ephemeral: Prekeys.secret(51), using: Prekeys.cryptography)
        return try #require(
            CourierEnvelope(
                tag: RecipientTag(rawValue: 1), expiry: Prekeys.time(Prekeys.day), ciphertext: sealed,
                prekeyID: prekeyID))
    }

    private func open(
        _ envelope: CourierEnvelope, with prekeys: OwnPrekeys, _ offset: Int64 = 0
    ) -> Result<CourierSeal.Opened, EnvelopeRefusal> {
        Result { () throws(EnvelopeRefusal) in
            try prekeys.open(
                envelope, identity: Prekeys.identity, at: Prekeys.time(offset), using: Prekeys.cryptography)
        }
    }

    @Test("mail to the static key and to a prekey opens, and says who sent it")
    func opens() throws {
        let (prekeys, _) = Prekeys.fresh()
        let key = try #require(prekeys.offer?.prekeys[4].key)
        for mail in [
            try envelope(.staticKey, to: Prekeys.identity.publicKey, naming: nil),
            try envelope(.prekey(4), to: key, naming: 4),
        ] {
            let opened = try open(mail, with: prekeys).get()
            #expect(opened.payload == Self.message)
            #expect(opened.sender == Self.sender.publicKey)
        }
    }

    // Edge case 25.
    @Test("mail to an unknown prekey is dropped; the static key, which would open it, is not tried")
    func noFallback() throws {
        let (prekeys, _) = Prekeys.fresh()
        let key = Prekeys.identity.publicKey
        #expect(
            open(try envelope(.prekey(99), to: key, naming: 99), with: prekeys) == .failure(.unknownPrekey(99)))
        #expect(
            open(try envelope(.staticKey, to: key, naming: 99), with: prekeys) == .failure(.unknownPrekey(99)))
        // Nor for a known prekey.
        #expect(
            open(try envelope(.staticKey, to: key, naming: 4), with: prekeys)
                == .failure(.unopened(.authenticationFailure)))
    }

    @Test("mail that hides its prekey is tried with the static key only")
    func hidden() throws {
        let (prekeys, _) = Prekeys.fresh()
        let key = try #require(prekeys.offer?.prekeys[4].key)
        #expect(
            open(try envelope(.prekey(4), to: key, naming: nil), with: prekeys)
                == .failure(.unopened(.authenticationFailure)))
        #expect(
            open(try envelope(.prekey(4), to: key, naming: 5), with: prekeys)
                == .failure(.unopened(.authenticationFailure)))
    }

    // Noise edge case 41.
    @Test("the same mail opens again for 48 hours, and so does another sender's to the same prekey; then neither does")
    func redelivered() throws {
        var (prekeys, dice) = Prekeys.fresh()
        let key = try #require(prekeys.offer?.prekeys[0].key)
        let mail = try envelope(.prekey(0), to: key, naming: 0)
        _ = try open(mail, with: prekeys).get()
        _ = prekeys.consume(0, 0, dice)
        #expect((try? open(mail, with: prekeys, 48 * Prekeys.hour).get()) != nil)
        #expect(open(mail, with: prekeys, 48 * Prekeys.hour + 1) == .failure(.unknownPrekey(0)))
        _ = prekeys.maintain(48 * Prekeys.hour + 1, dice)
        #expect(open(mail, with: prekeys, 48 * Prekeys.hour) == .failure(.unknownPrekey(0)))
    }

    @Test("damage, and a seal that is none, are refused and consume nothing")
    func damaged() throws {
        let (prekeys, _) = Prekeys.fresh()
        let before = prekeys.everything
        for (bytes, error) in [
            ([UInt8](repeating: 0, count: 95), NoiseError.invalidMessage),
            ([UInt8](repeating: 7, count: 200), .authenticationFailure),
        ] {
            let mail = try #require(
                CourierEnvelope(
                    tag: RecipientTag(rawValue: 1), expiry: Prekeys.time(1), ciphertext: bytes, prekeyID: 0))
            #expect(open(mail, with: prekeys) == .failure(.unopened(error)))
        }
        #expect(prekeys.everything == before)
    }

    @Test("a message sealed to what a sender assigned opens with what the owner kept")
    func bothSides() throws {
        var (prekeys, dice) = Prekeys.fresh()
        var cache = PrekeyCache()
        for (number, text) in ["m1", "m2", "m3"].enumerated() {
            let offer = try #require(prekeys.offer)
            let bundle = PrekeyBundle(signing: offer, with: Prekeys.secret(9), using: Prekeys.cryptography)
            let insertion = cache.insert(bundle, at: Prekeys.time(0))
            #expect(insertion != .ignored)
            let assignment = cache.assign(
                MessageID(text), to: prekeys.owner, announced: .prekeys, at: Prekeys.time(0))
            let prekey = try #require(assignment).prekey
            #expect(prekey.id == UInt32(number))
            let mail = try envelope(.prekey(prekey.id), to: prekey.key, naming: prekey.id)
            #expect(try open(mail, with: prekeys).get().payload == Self.message)
            _ = prekeys.consume(prekey.id, 0, dice)
        }
    }
}
