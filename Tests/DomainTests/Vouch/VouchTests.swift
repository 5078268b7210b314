import Domain
import Testing

@Suite("Vouches")
struct VouchTests {
    private func attestation(_ byte: UInt8) throws -> VouchAttestation {
        let bytes = [UInt8](repeating: byte, count: 32)
        let value = try #require(Bytes32(bytes))
        let vouch = Vouch(
            subject: Fingerprint(digest: value), subjectSigningKey: SigningPublicKey(value),
            timestamp: WallTime(milliseconds: 1_750_000_000_000))
        return VouchAttestation(
            signing: vouch, with: payloadCryptography.importSecret(bytes.span), using: payloadCryptography)
    }

    private func entry(_ bytes: [UInt8]) -> [UInt8] { PacketBytes.of(UInt16(bytes.count)) + bytes }

    @Test("an attestation has 144 bytes, its signed form 88")
    func lengths() throws {
        let attestation = try attestation(1)
        #expect(attestation.encoded?.count == 144)
        #expect(attestation.vouch.signedBytes.count == 88)
    }

    @Test("of seventeen entries sixteen are read, and seventeen are never sent")
    func seventeen() throws {
        let all = try (0..<17).map { try attestation($0) }
        #expect(VouchBatch(all) == nil)
        let entries: [UInt8] = all.flatMap { entry($0.encoded ?? []) }
        let body: [UInt8] = [17] + entries
        #expect(VouchBatch(reading: body[...]).attestations == Array(all.prefix(16)))
    }

    @Test("a malformed entry in the middle is passed over and does not count")
    func malformed() throws {
        let (first, last) = (try attestation(1), try attestation(2))
        let middle: [UInt8] = [0, 3, 1, 2, 3] + [0, 0]
        let body: [UInt8] = [2] + entry(first.encoded ?? []) + middle + entry(last.encoded ?? [])
        #expect(VouchBatch(reading: body[...]).attestations == [first, last])
    }

    @Test("thirty days back and one hour ahead count, a millisecond more does not")
    func age() throws {
        let vouch = try attestation(1).vouch
        func isExpired(_ offset: Int64) -> Bool {
            vouch.isExpired(at: WallTime(milliseconds: UInt64(1_750_000_000_000 + offset)))
        }
        #expect(!isExpired(0) && !isExpired(2_592_000_000) && !isExpired(-3_600_000))
        #expect(isExpired(2_592_000_001) && isExpired(-3_600_001))
    }
}
