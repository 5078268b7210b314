import Domain
import Testing

@Suite("Courier envelopes")
struct CourierEnvelopeTests {
    private func envelope(_ budget: SprayBudget = .single, ciphertext: Int = 8) -> CourierEnvelope? {
        CourierEnvelope(
            tag: RecipientTag(rawValue: 7), expiry: WallTime(milliseconds: 1000),
            ciphertext: [UInt8](repeating: 1, count: ciphertext), budget: budget)
    }

    @Test(
        "copies are clamped to one to eight, on both sides",
        arguments: [(0, 1), (1, 1), (8, 8), (9, 8), (200, 8)] as [(UInt8, UInt8)])
    func copies(claimed: UInt8, held: UInt8) throws {
        #expect(SprayBudget(clamping: claimed).copies == held)
        let payload = try #require(envelope()?.encoded) + [4, 0, 1, claimed]
        #expect(CourierEnvelope(payload[...])?.budget.copies == held)
    }

    @Test("one copy is written as the oldest format has it: not at all")
    func single() throws {
        let silent = try #require(envelope()?.encoded)
        #expect(silent.count == 19 + 11 + 3 + 8)
        #expect(CourierEnvelope(silent[...])?.budget == .single)
        let spoken = CourierEnvelope((silent + [4, 0, 1, 1])[...])
        #expect(spoken?.encoded == silent)
        #expect(try #require(envelope(.initial)?.encoded).suffix(4) == [4, 0, 1, 4])
    }

    @Test("1 to 16,384 bytes of seal", arguments: [(0, false), (1, true), (16_384, true), (16_385, false)])
    func ciphertext(length: Int, fits: Bool) { #expect((envelope(ciphertext: length) != nil) == fits) }

    @Test("the last millisecond before the expiry counts, the expiry does not")
    func expiry() throws {
        let envelope = try #require(self.envelope())
        #expect(!envelope.isExpired(at: WallTime(milliseconds: 999)))
        #expect(envelope.isExpired(at: WallTime(milliseconds: 1000)))
    }
}

@Suite("Recipient tags")
struct RecipientTagTests {
    private static let dayLength: UInt64 = 86_400_000

    @Test("mail sealed yesterday or tomorrow is recognised, that of other days is not")
    func days() throws {
        let bytes = try #require(Bytes32([UInt8](repeating: 0x11, count: 32)))
        let key = AgreementPublicKey(bytes)
        let today = UTCDay(number: 20_000)
        let candidates = RecipientTag.candidates(for: key, around: today, using: payloadCryptography)
        func tag(_ number: UInt32) -> RecipientTag {
            RecipientTag(for: key, on: UTCDay(number: number), using: payloadCryptography)
        }
        #expect(candidates == [tag(19_999), tag(20_000), tag(20_001)])
        #expect(!candidates.contains(tag(19_998)) && !candidates.contains(tag(20_002)))
    }

    @Test("days begin at midnight, and the ends of the count hold")
    func calendar() {
        #expect(UTCDay(WallTime(milliseconds: 0)).number == 0)
        #expect(UTCDay(WallTime(milliseconds: Self.dayLength - 1)).number == 0)
        #expect(UTCDay(WallTime(milliseconds: Self.dayLength)).number == 1)
        #expect(UTCDay(WallTime(milliseconds: .max)).number == .max)
        #expect(UTCDay(number: 0).withNeighbours.map(\.number) == [0, 0, 1])
        #expect(UTCDay(number: .max).withNeighbours.map(\.number) == [.max - 1, .max, .max])
    }
}
