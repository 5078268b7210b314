import Domain
import Testing

@Suite("Announces")
struct AnnounceTests {
    private static let noiseKey = [UInt8](repeating: 0x11, count: 32)
    private static let signingKey = [UInt8](repeating: 0x22, count: 32)

    private func announce(
        _ nickname: String = "bob", neighbours: [PeerID]? = nil, capabilities: Capabilities? = nil, cell: String? = nil
    ) -> Announce {
        Announce(
            nickname: nickname, noiseKey: Self.noiseKey, signingKey: Self.signingKey, neighbours: neighbours,
            capabilities: capabilities, bridgeCell: cell)
    }

    private func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { [tag, UInt8(value.count)] + value }

    @Test("the specification's example comes out byte for byte (packet §9, 13)")
    func example() throws {
        let capabilities: Capabilities = [.prekeys, .groups, .vouch, .privateMedia, .privateMediaReceipts]
        let payload = try #require(
            announce(neighbours: [PeerID(rawValue: 0x8899_AABB_CCDD_EEFF)], capabilities: capabilities).encoded)
        #expect(payload.count == 87)
        #expect(
            payloadCryptography.sha256(payload.span).hex
                == "ff381d5c2e358ac080ee17fb73d76878db1f9767040e28278f09e83b149427ec")
    }

    @Test("an unknown field in the middle is passed over")
    func unknownField() throws {
        let payload = field(1, [0x61]) + field(0xFF, [1, 2, 3]) + field(2, Self.noiseKey) + field(3, Self.signingKey)
        #expect(Announce(payload[...])?.nickname == "a")
    }

    @Test("neighbours of another length are ignored, and the announce stays", arguments: [0, 7, 9, 15])
    func badNeighbours(count: Int) throws {
        let payload = try #require(announce().encoded) + field(4, [UInt8](repeating: 1, count: count))
        let decoded = try #require(Announce(payload[...]))
        #expect(decoded.neighbours == nil)
    }

    @Test("of twelve neighbours the first ten are sent")
    func tooManyNeighbours() throws {
        let peers = (1...12).map { PeerID(rawValue: UInt64($0)) }
        let payload = try #require(announce(neighbours: peers).encoded)
        #expect(Announce(payload[...])?.neighbours == Array(peers.prefix(10)))
    }

    @Test("a bridge cell above twelve bytes is left out and ignored")
    func longCell() throws {
        let payload = try #require(announce(cell: "9q8yyk8yutc7x").encoded)
        #expect(payload == announce().encoded)
        let received = payload + field(6, Array("9q8yyk8yutc7x".utf8))
        #expect(try #require(Announce(received[...])).bridgeCell == nil)
    }

    @Test("capabilities keep unknown bits, take the low eight bytes, and absent is not empty")
    func capabilities() throws {
        let base = try #require(announce().encoded)
        func decoded(_ bytes: [UInt8]) -> Capabilities?? { Announce((base + field(5, bytes))[...])?.capabilities }
        #expect(decoded([0x80, 0x01]) == .some(Capabilities(rawValue: 0x0180)))
        #expect(decoded([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) == .some(Capabilities(rawValue: 0x0807_0605_0403_0201)))
        #expect(decoded([]) == .some(Capabilities([])))
        #expect(Announce(base[...])?.capabilities == .some(nil))
        #expect(announce(capabilities: []).encoded == base + [5, 1, 0])
    }

    @Test("a nickname of 255 bytes is sent, one of 256 is not")
    func longNickname() {
        #expect(announce(String(repeating: "n", count: 255)).encoded != nil)
        #expect(announce(String(repeating: "n", count: 256)).encoded == nil)
    }

    @Test("a missing last byte spoils it, one byte more does not")
    func length() throws {
        let payload = try #require(announce().encoded)
        #expect(Announce(payload.dropLast()) == nil)
        #expect(Announce((payload + [0x05])[...]) == announce())
    }

    @Test("each required field is required", arguments: [1, 2, 3] as [UInt8])
    func required(missing: UInt8) {
        let all: [(UInt8, [UInt8])] = [(1, [0x61]), (2, Self.noiseKey), (3, Self.signingKey)]
        let payload = all.filter { $0.0 != missing }.flatMap { field($0.0, $0.1) }
        #expect(Announce(payload[...]) == nil)
    }
}

@Suite("Verdict on an announce")
struct AnnounceVerdictTests {
    private static let now = WallTime(milliseconds: 1_756_000_000_000)

    private func reading(signingKey: [UInt8] = [UInt8](repeating: 0x22, count: 32)) throws -> AnnounceReading {
        let announce = Announce(
            nickname: "a", noiseKey: [UInt8](repeating: 0x11, count: 32), signingKey: signingKey)
        let payload = try #require(announce.encoded)
        return try #require(AnnounceReading(payload[...], using: payloadCryptography))
    }

    private func origin(
        _ reading: AnnounceReading, sender: PeerID? = nil, age: UInt64 = 0, local: PeerID = PeerID(rawValue: 1)
    ) -> AnnounceVerdict? {
        reading.refusalOfOrigin(
            sender: sender ?? reading.derivedPeer,
            timestamp: WallTime(milliseconds: Self.now.milliseconds - age), localPeer: local, at: Self.now)
    }

    @Test("the identifier is that of the announced key (packet §9, 11)")
    func derivedPeer() throws { #expect(try reading().derivedPeer.hex == "02d449a31fbb267c") }

    @Test("another sender than the key's is refused before everything else")
    func mismatch() throws {
        let local = PeerID(rawValue: 7)
        #expect(origin(try reading(), sender: local, age: 900_001, local: local) == .senderMismatch)
    }

    @Test("our own is refused before age counts")
    func own() throws {
        let reading = try reading()
        #expect(origin(reading, age: 900_001, local: reading.derivedPeer) == .ownEcho)
    }

    @Test(
        "900 s are allowed, one millisecond more is not",
        arguments: [(900_000, nil), (900_001, .stale)] as [(UInt64, AnnounceVerdict?)])
    func age(milliseconds: UInt64, verdict: AnnounceVerdict?) throws {
        #expect(origin(try reading(), age: milliseconds) == verdict)
    }

    @Test("the signature is asked for only where there is one, and under a key that can be one")
    func signature() throws {
        let reading = try reading()
        #expect(reading.refusalOfSignature(isSigned: false) { _ in true } == .missingSignature)
        #expect(reading.refusalOfSignature(isSigned: true) { _ in false } == .invalidSignature)
        #expect(reading.refusalOfSignature(isSigned: true) { $0.bytes.bytes == reading.announce.signingKey } == nil)
        let short = try self.reading(signingKey: [UInt8](repeating: 0x22, count: 31))
        #expect(short.refusalOfSignature(isSigned: true) { _ in true } == .invalidSignature)
    }

    @Test("a payload that does not decode has no reading")
    func malformed() { #expect(AnnounceReading([1, 2, 0x61][...], using: payloadCryptography) == nil) }
}

@Suite("Capabilities")
struct CapabilitiesTests {
    @Test(
        "the shortest form is written (packet §9, 12)",
        arguments: [
            ([], "00"), (.prekeys, "01"), (.meshDiagnostics, "40"), (.privateMedia, "0001"),
            (.privateMediaReceipts, "0002"), (Capabilities(rawValue: 1 << 11), "0008"),
            ([.prekeys, .groups, .vouch, .privateMedia, .privateMediaReceipts], "2903"),
        ] as [(Capabilities, String)])
    func encoded(capabilities: Capabilities, hex: String) {
        #expect(Hex.encode(capabilities.encoded) == hex)
        #expect(Capabilities(canonical: capabilities.encoded[...]) == capabilities)
    }

    @Test(
        "the strict form refuses what is empty, too long or not the shortest",
        arguments: [[], [1, 0], [0, 0], [1, 2, 3, 4, 5, 6, 7, 8, 9]] as [[UInt8]])
    func strict(bytes: [UInt8]) { #expect(Capabilities(canonical: bytes[...]) == nil) }
}
