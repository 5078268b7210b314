import Domain
import Support
import Testing

@testable import App

@Suite("Inspection")
struct InspectTests {
    @Test(
        "every packet that decodes is explained as the vector says",
        arguments: Vectors.cases("packet-decode", op: "decode"))
    func vectors(vector: VectorCase) throws {
        let frame = try #require(vector.input.member("wire").hex)
        let explanation: Explanation
        do throws(Failure) {
            explanation = try PacketExplanation.explain(frame)
        } catch {
            #expect(vector.output.isNull, "\(error.message)")
            #expect(error.code == .badInput)
            return
        }
        let json = explanation.json["frame"]
        if vector.output.isNull {
            // The header is fine; what is refused is the payload behind it.
            #expect(json?["problem"] != nil)
            return
        }
        for name in ["version", "type", "ttl", "timestamp", "sender", "recipient", "signature"] {
            #expect(json?[name] == vector.output.member(name), "\(name)")
        }
        #expect(json?["payloadLength"]?.unsigned == vector.output.member("payload").hex.map { UInt64($0.count) })
        #expect(!explanation.text.isEmpty)
    }

    @Test("an announce is taken apart, and its signature checked under its own key")
    func announce() throws {
        let vector = try #require(Vectors.cases("announce").first { $0.input["nickname"]?.string == "heidi37" })
        let payload = try #require(vector.output.member("payload").hex)
        let packet = Packet(
            type: .announce, ttl: 7, timestamp: WallTime(milliseconds: 1), sender: PeerID(rawValue: 1), payload: payload
        )
        let frame = try #require(packet.encoded(padding: false, using: NoCompression()))
        let explanation = try PacketExplanation.explain(frame).json["payload"]
        #expect(explanation?["nickname"] == "heidi37")
        #expect(explanation?["noiseKey"] == vector.input.member("noise_key"))
        #expect(explanation?["signatureVerdict"] == "missing")
    }

    @Test(
        "a payload that is not what its type says is shown as bytes, and nothing traps",
        arguments: (0...0x30).map { UInt8($0) })
    func malformed(type: UInt8) throws {
        for payload in [[], [0xFF], [UInt8](repeating: 0xFF, count: 300)] as [[UInt8]] {
            let packet = Packet(
                type: MessageType(rawValue: type), ttl: 1, timestamp: WallTime(milliseconds: .max),
                sender: PeerID(rawValue: 0), payload: payload)
            let frame = try #require(packet.encoded(padding: false, using: NoCompression()))
            #expect(try !PacketExplanation.explain(frame).text.isEmpty)
        }
    }

    @Test("every frame cut short is refused with 65", arguments: [0, 1, 2, 12, 21, 22, 30, 51])
    func short(length: Int) throws {
        let frame = try #require(
            Hex.decode(
                "0102070000019b2b01875400001eb4daab22a576d2ea9e647ff7dbca22be503a1a4cb0653862caf0cf0c4eb33385ba8d8db8a844"
            ))
        #expect(throws: Failure.self) { try PacketExplanation.explain(Array(frame.prefix(length))) }
    }

    @Test(
        "digits may be apart and have a prefix",
        arguments: [("01 02\n0a", [1, 2, 10]), ("01:02:0A", [1, 2, 10]), ("0x01", [1]), ("", [])] as [(String, [UInt8])]
    )
    func digits(text: String, bytes: [UInt8]) { #expect(InspectVerb.bytes(fromHex: Array(text.utf8)) == bytes) }

    @Test("what is no digit is refused", arguments: ["1", "xy", "0102-03", "0x0"])
    func noDigits(text: String) { #expect(InspectVerb.bytes(fromHex: Array(text.utf8)) == nil) }
}

/// Leaves payloads as they are.
private struct NoCompression: Compression {
    func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]? { nil }
    func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]? { nil }
}
