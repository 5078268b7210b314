import Domain
import Testing

@Suite("Whether a prekey bundle is believed")
struct BundleJudgementTests {
    private static let owner = Prekeys.key(20)
    private static let seed = Prekeys.secret(9)
    private static let signingKey = Prekeys.cryptography.signingPublicKey(of: seed)
    private static let ownerID = PeerID(of: owner, using: Prekeys.cryptography)

    /// A packet with a bundle, as it comes off the air.
    private func frame(
        _ bundle: PrekeyBundle, sender: PeerID = ownerID, signer: UInt8? = 9, timestamp: WallTime = Prekeys.time(5)
    ) throws -> PacketView {
        var packet = Packet(
            type: .prekeyBundle, ttl: 7, timestamp: timestamp, sender: sender,
            payload: try #require(bundle.encoded))
        if let signer {
            packet = try #require(
                packet.signed(
                    with: Prekeys.secret(signer), using: PacketTools.cryptography, PacketTools.compression))
        }
        return try #require(PacketView(try packet.plainFrame()))
    }

    private func judge(
        _ view: PacketView, signingKey: SigningPublicKey? = signingKey, cachedDate: WallTime? = nil,
        ownKey: AgreementPublicKey = Prekeys.identity.publicKey, budget: Int = 10
    ) -> BundleJudgement {
        var left = budget
        let spend = {
            left -= 1
            return left >= 0
        }
        return BundleJudgement.judge(
            view.payload(using: PacketTools.compression).flatMap { PrekeyBundle($0) }, from: view.sender,
            knowing: .init(ownKey: ownKey, signingKey: signingKey, cachedDate: cachedDate), spend: spend,
            checkPacket: {
                view.verifySignature(by: $0, using: PacketTools.cryptography, PacketTools.compression, spend: spend)
            }, using: Prekeys.cryptography)
    }

    @Test("a bundle signed inside and outside by the key bound to its owner is accepted")
    func accepted() throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        #expect(judge(try frame(bundle)) == .accepted(bundle))
        // Served from a store: TTL and the answer's flag are not signed.
        let view = try frame(bundle)
        var served = view.frame
        served[2] = 0
        served[11] |= 0x10
        #expect(judge(try #require(PacketView(served))) == .accepted(bundle))
    }

    // Noise edge case 43.
    @Test(
        "one that is not newer is known: not for the cache, but for gossip",
        arguments: [(-1, true), (0, false), (1, false)] as [(Int64, Bool)])
    func known(cached offset: Int64, isNew: Bool) throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        let judgement = judge(try frame(bundle), cachedDate: Prekeys.time(offset))
        #expect(judgement == (isNew ? .accepted(bundle) : .known(bundle)))
    }

    @Test("refused: what does not decode")
    func undecodable() throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        let payload = try #require(bundle.encoded)
        let packet = Packet(
            type: .prekeyBundle, ttl: 7, timestamp: Prekeys.time(5), sender: Self.ownerID,
            payload: Array(payload.dropLast()))
        let view = try #require(PacketView(try packet.plainFrame()))
        #expect(judge(view) == .undecodable)
    }

    @Test("refused: our own")
    func own() throws {
        #expect(judge(try frame(try Prekeys.bundle(of: Self.owner)), ownKey: Self.owner) == .own)
    }

    // Edge case 36; noise edge case 43.
    @Test("refused: under another sender, though everything is signed by the owner")
    func otherSender() throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(judge(try frame(bundle, sender: PeerID(rawValue: number))) == .senderMismatch)
        }
    }

    @Test("put aside: no signing key is bound to the owner, whatever the signatures say")
    func unbound() throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        #expect(judge(try frame(bundle), signingKey: nil) == .unbound(owner: Self.owner))
        #expect(judge(try frame(bundle, signer: nil), signingKey: nil) == .unbound(owner: Self.owner))
        // No check was paid for.
        #expect(judge(try frame(bundle), signingKey: nil, budget: 0) == .unbound(owner: Self.owner))
    }

    @Test("refused: the offer signed by another, or altered")
    func innerSignature() throws {
        let forged = try Prekeys.bundle(of: Self.owner, signer: 10)
        #expect(judge(try frame(forged)) == .badBundleSignature)
        let genuine = try Prekeys.bundle(of: Self.owner)
        let later = try Prekeys.bundle(of: Self.owner, at: 1)
        let altered = PrekeyBundle(offer: later.offer, signature: genuine.signature)
        #expect(judge(try frame(altered)) == .badBundleSignature)
    }

    // Noise edge case 43.
    @Test("refused: the packet unsigned, signed by another, or sent again under a new date")
    func outerSignature() throws {
        let bundle = try Prekeys.bundle(of: Self.owner)
        #expect(judge(try frame(bundle, signer: nil)) == .badPacketSignature)
        #expect(judge(try frame(bundle, signer: 10)) == .badPacketSignature)
        var redated = try frame(bundle).frame
        redated[10] ^= 1
        #expect(judge(try #require(PacketView(redated))) == .badPacketSignature)
    }

    @Test("the budget is asked before each check, and its end is nobody's fault", arguments: [0, 1])
    func budget(checks: Int) throws {
        #expect(judge(try frame(try Prekeys.bundle(of: Self.owner)), budget: checks) == .budgetExhausted)
    }

    @Test("what costs nothing is decided before what costs a signature check")
    func order() throws {
        let forged = try Prekeys.bundle(of: Self.owner, signer: 10)
        let view = try frame(forged, sender: PeerID(rawValue: 1), signer: nil)
        #expect(judge(view, ownKey: Self.owner, budget: 0) == .own)
        #expect(judge(view, signingKey: nil, budget: 0) == .senderMismatch)
        // An old one with a bad signature is bad, not known: it must not enter the gossip store.
        #expect(judge(try frame(forged), cachedDate: Prekeys.time(9)) == .badBundleSignature)
    }
}
