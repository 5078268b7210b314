import Domain
import Support
import Testing

@Suite("Voice vectors")
struct VoiceBurstVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("voice-burst"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "encode": try encode(vector)
        case "decode": vector.expect(VoiceBurst(try vector.input.bytes("payload")[...])?.json)
        case "packetize": try packetize(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func encode(_ vector: VectorCase) throws {
        let input = vector.input
        let sequence: UInt16 = try input.number("seq")
        let content: VoiceBurst.Content
        switch input["kind"]?.string {
        case "start":
            #expect(input.member("codec").unsigned == 1)
            content = .start
        case "frames": content = .frames(try input.list("frames").map { try #require($0.hex) })
        case "end":
            content = .end(
                dataPackets: try input.number("total_packets"), milliseconds: try input.number("duration_ms"))
        // A refused burst identifier comes without a kind: any would do.
        case "canceled", nil: content = .canceled
        default: throw VectorFault(description: "an unknown kind in \(vector.label)")
        }
        let burst = UInt64(exactBigEndianBytes: try input.bytes("burst_id")).flatMap {
            VoiceBurst(burstID: $0, sequence: sequence, content: content)
        }
        vector.expect(burst?.encoded, is: "payload")
    }

    private func packetize(_ vector: VectorCase) throws {
        let input = vector.input
        var packetizer = VoicePacketizer(
            burstID: try input.identifier("burst_id"), budget: try input.number("budget"))
        var packets: [VoiceBurst] = []
        for frame in try input.list("frames") {
            if let packet = packetizer.add(try #require(frame.hex)) { packets.append(packet) }
        }
        if let packet = packetizer.flush() { packets.append(packet) }
        vector.expect(
            .object([
                "packets": .array(packets.map { .hex($0.encoded) }), "data_packets": .number(packetizer.dataPackets),
                "next_seq": .number(packetizer.nextSequence),
            ]))
    }
}

extension VoiceBurst {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("burst_id", .hex(encoded.prefix(8))), .init("seq", .number(sequence)),
        ]
        switch content {
        case .start: members += [.init("kind", "start"), .init("codec", 1)]
        case .frames(let frames):
            members += [.init("kind", "frames"), .init("frames", .array(frames.map { .hex($0) }))]
        case .end(let packets, let milliseconds):
            members += [
                .init("kind", "end"), .init("total_packets", .number(packets)),
                .init("duration_ms", .number(milliseconds)),
            ]
        case .canceled: members.append(.init("kind", "canceled"))
        }
        return .object(members)
    }
}
