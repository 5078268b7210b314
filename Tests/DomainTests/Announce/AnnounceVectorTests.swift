import Domain
import Support
import Testing
import ZlibCompression

@Suite("Announce vectors")
struct AnnounceVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("announce"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "encode": try encode(vector)
        case "decode": vector.expect(Announce(try vector.input.bytes("payload")[...])?.json)
        case "accept": try accept(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func encode(_ vector: VectorCase) throws {
        let input = vector.input
        // The vectors also join neighbours that are not eight bytes long; only the bytes together count.
        let joined = input.member("neighbors").array?.prefix(Announce.maximumNeighboursSent).compactMap(\.hex)
        let announce = Announce(
            nickname: try input.text("nickname"), noiseKey: try input.bytes("noise_key"),
            signingKey: try input.bytes("signing_key"),
            neighbours: joined.flatMap { Announce.neighbours(in: Array($0.joined())[...]) },
            capabilities: input.member("capabilities").unsigned.map { Capabilities(rawValue: $0) },
            bridgeCell: input.member("bridge_geohash").string)
        vector.expect(announce.encoded, is: "payload")
    }

    private func accept(_ vector: VectorCase) throws {
        let view = try #require(PacketView(try vector.input.bytes("wire")))
        let payload = try #require(view.payload(using: ZlibCompression()))
        let now = try vector.input.time("now_ms")
        let local = PeerID(rawValue: try vector.input.identifier("local_peer"))
        let reading = AnnounceReading(payload, using: payloadCryptography)
        let verdict = reading.map { reading in
            reading.refusalOfOrigin(sender: view.sender, timestamp: view.timestamp, localPeer: local, at: now)
                ?? reading.refusalOfSignature(isSigned: view.isSigned) { key in
                    view.verifySignature(by: key, using: payloadCryptography, ZlibCompression()) { true } == .valid
                } ?? .accept
        }
        let result = (verdict ?? .malformed).rawValue
        #expect(vector.output.member("verdict").string == result)
        #expect(vector.output.member("derived_peer") == .optional(reading?.derivedPeer.hex))
        #expect(vector.output.member("announce") == reading?.announce.json ?? .null)
    }
}

extension Announce {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        .object([
            "nickname": .string(nickname), "noise_key": .hex(noiseKey), "signing_key": .hex(signingKey),
            "neighbors": neighbours.map { .array($0.map { .string($0.hex) }) } ?? .null,
            "capabilities": .number(capabilities?.rawValue), "bridge_geohash": .optional(bridgeCell),
        ])
    }
}
