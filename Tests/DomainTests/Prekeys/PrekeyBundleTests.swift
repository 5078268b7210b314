import Domain
import Testing

@Suite("Prekey bundles")
struct PrekeyBundleTests {
    private func key(_ byte: UInt8) throws -> AgreementPublicKey {
        let bytes = try #require(Bytes32([UInt8](repeating: byte, count: 32)))
        return AgreementPublicKey(bytes)
    }

    private func offer(_ ids: [UInt32]) throws -> PrekeyOffer? {
        let key = try key(0x22)
        return PrekeyOffer(
            owner: try self.key(0x11), prekeys: ids.map { Prekey(id: $0, key: key) },
            generatedAt: WallTime(milliseconds: 1_750_000_000_123))
    }

    @Test("the signed bytes are those of the specification (packet §9, 17)")
    func example() throws {
        let offer = try #require(try self.offer([7]))
        #expect(offer.signedBytes.count == 102)
        #expect(
            payloadCryptography.sha256(offer.signedBytes.span).hex
                == "1c33126c1b07e2004524a307cb33f8c1c8da56a7798201513e1a726490421087")
    }

    @Test("the bundle computed in the specification comes out byte for byte (noise §12.3)")
    func computed() throws {
        let owner = "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62"
        let keys = [
            "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843",
            "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944",
        ]
        let entries = "00000007" + keys[0] + "00000008" + keys[1]
        let prekeys = try zip([7, 8] as [UInt32], keys).map { Prekey(id: $0, key: try Noise.key($1)) }
        let offer = try #require(
            PrekeyOffer(
                owner: try Noise.key(owner), prekeys: prekeys,
                generatedAt: WallTime(milliseconds: 1_700_000_000_123)))
        #expect(
            Hex.encode(offer.signedBytes) == "18626974636861742d7072656b65792d62756e646c652d7631" + owner + "02"
                + entries + "0000018bcfe5687b")
        let seed = [UInt8](0..<32)
        let bundle = PrekeyBundle(
            signing: offer, with: payloadCryptography.importSecret(seed.span), using: payloadCryptography)
        let payload = try #require(bundle.encoded)
        #expect(payload.count == 188)
        #expect(
            Hex.encode(payload) == "010020" + owner + "020048" + entries + "0300080000018bcfe5687b"
                + "04004092055af26d0dd03bee458caaf4f7fb28f034c67b0b178fd71763d4e30e79fcdeab891e12bab8c14e726c6cde2b"
                + "e871ae8c50cb6aae2a648493b9da641f24ec09")
    }

    @Test("one to eight prekeys with different numbers")
    func limits() throws {
        #expect(try offer([]) == nil)
        #expect(try offer(Array(0..<8)) != nil)
        #expect(try offer(Array(0..<9)) == nil)
        #expect(try offer([3, 4, 3]) == nil)
    }

    @Test("a number used twice on the wire, and a byte left over, are refused")
    func repeated() throws {
        let offer = try #require(try self.offer([3, 4]))
        let seedBytes = [UInt8](repeating: 5, count: 32)
        let bundle = PrekeyBundle(
            signing: offer, with: payloadCryptography.importSecret(seedBytes.span), using: payloadCryptography)
        var payload = try #require(bundle.encoded)
        #expect(PrekeyBundle(payload[...]) == bundle)
        #expect(PrekeyBundle((payload + [0])[...]) == nil)
        #expect(PrekeyBundle(payload.dropLast()) == nil)
        // The number of the second entry: behind owner field, entries header and the first entry.
        payload[35 + 3 + 36 + 3] = 3
        #expect(PrekeyBundle(payload[...]) == nil)
    }

    @Test("another's key does not verify it, nor does another order of the keys")
    func signature() throws {
        let seedBytes = [UInt8](repeating: 5, count: 32)
        let seed = payloadCryptography.importSecret(seedBytes.span)
        let owner = payloadCryptography.signingPublicKey(of: seed)
        let offer = try #require(try self.offer([3, 4]))
        let bundle = PrekeyBundle(signing: offer, with: seed, using: payloadCryptography)
        #expect(bundle.verifies(by: owner, using: payloadCryptography))
        let stranger = SigningPublicKey(offer.owner.bytes)
        #expect(!bundle.verifies(by: stranger, using: payloadCryptography))
        let swapped = try #require(try self.offer([4, 3]))
        #expect(
            !PrekeyBundle(offer: swapped, signature: bundle.signature).verifies(by: owner, using: payloadCryptography))
    }
}
