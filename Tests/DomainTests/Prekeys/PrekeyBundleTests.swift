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
