import Domain
import Support
import Testing

/// Every decoder against thousands of damaged inputs, the same ones each time.
///
/// None may trap, and what one accepts must settle: encoded and decoded again it is the same bytes.
@Suite("Damaged payloads")
struct DecoderMutationTests {
    /// A decoder followed by its encoder; `nil` when the decoder refuses.
    struct Codec: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let seeds: @Sendable () -> [[UInt8]]
        let rewrite: @Sendable (ArraySlice<UInt8>) -> [UInt8]?

        init(
            _ name: String, _ base: String, _ op: String, _ member: String,
            rewrite: @escaping @Sendable (ArraySlice<UInt8>) -> [UInt8]?
        ) {
            testDescription = name
            seeds = { Vectors.cases(base, op: op).compactMap { $0.input.member(member).hex } }
            self.rewrite = rewrite
        }
    }

    static let codecs: [Codec] = [
        Codec("announce", "announce", "decode", "payload") { Announce($0)?.encoded },
        Codec("typed payload", "payloads", "typed_decode", "typed") { NoisePayload($0)?.encoded },
        Codec("private message", "payloads", "private_message_decode", "tlv") { PrivateMessagePayload($0)?.encoded },
        Codec("peer state", "payloads", "peer_state_decode", "state") { AuthenticatedPeerState($0)?.encoded },
        Codec("ping", "payloads", "ping_decode", "payload") { PingPayload($0)?.encoded },
        Codec("file", "file-packet", "decode", "tlv") { FilePacket($0)?.encoded },
        Codec("voice", "voice-burst", "decode", "payload") { VoiceBurst($0)?.encoded },
        Codec("carrier", "nostr-carrier", "decode", "payload") { NostrCarrier($0)?.encoded },
        Codec("board", "board", "decode", "payload") {
            _ = BoardNotice.claimsUrgency($0)
            return BoardNotice($0)?.encoded
        },
        Codec("prekeys", "prekey-bundle", "decode", "payload") { PrekeyBundle($0)?.encoded },
        Codec("envelope", "courier-envelope", "decode", "payload") { CourierEnvelope($0)?.encoded },
        Codec("sync request", "request-sync", "decode", "payload") {
            let request = RequestSync($0)
            _ = request?.fragmentFilter?.streams
            return request?.encoded
        },
        Codec("challenge", "verification", "challenge_decode", "data") { VerificationChallenge($0)?.encoded },
        Codec("response", "verification", "response_decode", "data") { VerificationResponse($0)?.encoded },
        Codec("attestation", "vouch", "decode", "tlv") { VouchAttestation($0)?.encoded },
        Codec("vouch batch", "vouch", "decode_list", "payload") { VouchBatch(reading: $0).encoded },
        Codec("roster", "group", "roster_decode", "blob") { GroupRoster($0)?.encoded },
        Codec("group state", "group", "state_decode", "tlv") {
            GroupState($0, using: payloadCryptography)?.encoded(using: payloadCryptography)
        },
        Codec("group message", "group", "message_open", "payload") { GroupMessage($0)?.encoded },
    ]

    @Test("no damage traps a decoder, and what it accepts settles", arguments: codecs)
    func damage(codec: Codec) throws {
        var generator = Mutator(state: 0x5A7C_4E10)
        let seeds = codec.seeds()
        #expect(!seeds.isEmpty)
        var accepted = 0
        for round in 0..<3000 {
            let damaged = generator.damage(seeds[round % seeds.count], seeds)
            // Behind another byte, so that a decoder that counts from zero instead of from its slice's start is caught.
            guard let once = codec.rewrite(([0xEE] + damaged).dropFirst()) else { continue }
            accepted += 1
            guard codec.rewrite(once[...]) == once else {
                Issue.record("\(codec.testDescription) does not settle: \(Hex.encode(damaged))")
                return
            }
        }
        #expect(accepted > 0, "the damage is so heavy that nothing behind the framing was reached")
    }

    @Test("no damage to a verification code traps, and none passes")
    func verificationCodes() throws {
        var generator = Mutator(state: 0xC0DE)
        let vectors = Vectors.cases("verification", op: "qr_verify").filter { !$0.output.isNull }
        for vector in vectors {
            let (url, now) = (
                try vector.input.text("url"), WallTime(milliseconds: try vector.input.number("now") * 1000)
            )
            let honest = try VerificationCode(scanning: url, at: now, using: payloadCryptography)
            for _ in 0..<200 {
                let damaged = String(decoding: generator.damage(Array(url.utf8), [Array(url.utf8)]), as: UTF8.self)
                guard let code = try? VerificationCode(scanning: damaged, at: now, using: payloadCryptography) else {
                    continue
                }
                // Damage to what is ignored leaves the same code; an empty address and none are signed alike.
                if code.signedBytes != honest.signedBytes { Issue.record("another code passes: \(damaged)") }
            }
        }
    }

    /// Flips, cuts, repeats and splices, from a seed (xorshift64*).
    private struct Mutator {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % max(limit, 1)
        }

        mutating func damage(_ seed: [UInt8], _ others: [[UInt8]]) -> [UInt8] {
            var bytes = seed
            for _ in 0...next(below: 3) {
                let place = next(below: bytes.count)
                switch next(below: 8) {
                case 0: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(next(below: 8)) }
                case 1: if !bytes.isEmpty { bytes[place] = [0x00, 0x01, 0x7F, 0x80, 0xFF][next(below: 5)] }
                case 2: bytes.removeLast(bytes.count - place)
                case 3: bytes.insert(UInt8(next(below: 256)), at: place)
                case 4: bytes.append(contentsOf: bytes[place...].prefix(next(below: 64)))
                case 5: bytes.removeSubrange(place..<min(bytes.count, place + next(below: 16)))
                case 6: bytes.append(contentsOf: others[next(below: others.count)])
                default: bytes.append(UInt8(next(below: 256)))
                }
                if bytes.count > 4096 { bytes.removeLast(bytes.count - 4096) }
            }
            return bytes
        }
    }
}
