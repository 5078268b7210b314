import Domain
import Testing

@Suite("Live voice")
struct VoiceBurstTests {
    private static let id: UInt64 = 0x0102_0304_0506_0708
    private static let header = "0102030405060708"

    @Test(
        "the specification's examples (app §16.1)",
        arguments: [
            (0, .start, "00000101"), (1, .frames([[0xDE, 0xAD, 0xBE]]), "0001000003deadbe"),
            (42, .end(dataPackets: 41, milliseconds: 2688), "002a02002900000a80"), (3, .canceled, "000304"),
        ] as [(UInt16, VoiceBurst.Content, String)])
    func examples(sequence: UInt16, content: VoiceBurst.Content, hex: String) throws {
        let packet = try #require(VoiceBurst(burstID: Self.id, sequence: sequence, content: content))
        #expect(Hex.encode(packet.encoded) == Self.header + hex)
        #expect(VoiceBurst(packet.encoded[...]) == packet)
    }

    @Test(
        "bytes behind start, end and canceled are passed over", arguments: ["00000101", "002a02002900000a80", "000304"])
    func trailing(hex: String) throws {
        let bytes = try #require(Hex.decode(Self.header + hex))
        #expect(VoiceBurst((bytes + [9])[...]) == VoiceBurst(bytes[...]))
    }

    @Test(
        "refused: unknown or combined flags, no frame, nine frames, an empty frame, a cut frame, another codec",
        arguments: [
            "0001ff", "000103", "000108", "000100", "000100" + String(repeating: "000101", count: 9), "0001000000",
            "00010000", "0001000002aa", "00010000017f00", "0000017f", "000001", "0002020029000000", "0001",
        ])
    func refused(hex: String) throws {
        #expect(VoiceBurst(try #require(Hex.decode(Self.header + hex))[...]) == nil)
    }

    @Test("eight frames pass, and what cannot be read cannot be made")
    func frames() {
        func packet(_ frames: [[UInt8]]) -> VoiceBurst? {
            VoiceBurst(burstID: 1, sequence: 1, content: .frames(frames))
        }
        #expect(packet([[UInt8]](repeating: [1], count: 8)) != nil)
        #expect(packet([[UInt8]](repeating: [1], count: 9)) == nil)
        #expect(packet([]) == nil)
        #expect(packet([[1], []]) == nil)
        #expect(packet([[UInt8](repeating: 1, count: 65_536)]) == nil)
    }
}

@Suite("Packets of live voice")
struct VoicePacketizerTests {
    private func packets(_ lengths: [Int]) -> (sizes: [Int], frames: [Int], next: UInt16) {
        var packetizer = VoicePacketizer(burstID: 1)
        var packets = lengths.compactMap { packetizer.add([UInt8](repeating: 1, count: $0)) }
        if let last = packetizer.flush() { packets.append(last) }
        let frames = packets.map { if case .frames(let frames) = $0.content { frames.count } else { 0 } }
        return (packets.map(\.encoded.count), frames, packetizer.nextSequence)
    }

    @Test("four frames of 40 bytes share a packet, two of 130 do not, one of 500 is dropped")
    func examples() {
        #expect(packets([40, 40, 40, 40]).sizes == [179])
        #expect(packets([130, 130]).frames == [1, 1])
        #expect(packets([500]).frames == [])
        #expect(packets([40, 500, 40]).frames == [2], "a dropped frame flushes nothing")
        #expect(packets([]).next == 1)
    }

    @Test("the ninth small frame opens the next packet, and an empty one is dropped")
    func eight() {
        #expect(packets([Int](repeating: 1, count: 9)).frames == [8, 1])
        #expect(packets([1, 0, 1]).frames == [2])
        #expect(packets([Int](repeating: 1, count: 9)).next == 3)
    }

    @Test("a packet may fill the budget exactly")
    func exact() {
        #expect(packets([197]).sizes == [210])
        #expect(packets([198]).sizes == [])
        #expect(packets([97, 98]).sizes == [210])
        #expect(packets([97, 99]).frames == [1, 1])
    }

    @Test("numbers wrap instead of trapping")
    func wrapping() {
        var packetizer = VoicePacketizer(burstID: 1, budget: 20)
        for _ in 0..<70_000 { _ = packetizer.add([1, 2, 3, 4]) }
        #expect(packetizer.flush() != nil)
        #expect(packetizer.dataPackets == UInt16(truncatingIfNeeded: 70_000))
    }
}
