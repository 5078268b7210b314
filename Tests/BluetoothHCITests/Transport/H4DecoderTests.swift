import Testing

@testable import BluetoothHCI

/// What a decoder makes of a stream that comes in these pieces.
private func decode(
    _ pieces: [ArraySlice<UInt8>], startsWithin: Bool = false
) -> (packets: [[UInt8]], fault: H4Decoder.LostFraming?) {
    var decoder = H4Decoder(startsWithin: startsWithin)
    var packets: [[UInt8]] = []
    for piece in pieces {
        decoder.append(piece)
        do { while let packet = try decoder.next() { packets.append(packet) } } catch { return (packets, error) }
    }
    return (packets, nil)
}

@Suite("H4 framing")
struct H4DecoderTests {
    private static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
    private static let command: [UInt8] = [1, 0x01, 0x20, 8] + Array(1...8)
    private static let acl: [UInt8] = [2, 0x40, 0x20, 5, 0, 1, 0, 4, 0, 9]
    private static let emptyACL: [UInt8] = [2, 0x40, 0x10, 0, 0]
    private static let longACL: [UInt8] = [2, 0x40, 0x20, 0, 0x10] + [UInt8](repeating: 4, count: 4096)
    private static let sco: [UInt8] = [3, 0x01, 0x00, 2, 7, 7]
    private static let event: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
    private static let emptyEvent: [UInt8] = [4, 0xFF, 0]
    private static let longEvent: [UInt8] = [4, 0x3E, 255] + [UInt8](repeating: 1, count: 255)
    /// The two bits above the length are set, and mean nothing.
    private static let iso: [UInt8] = [5, 0x01, 0x00, 3, 0xC0, 1, 2, 3]
    private static let all = [
        reset, command, acl, emptyACL, sco, event, emptyEvent, longEvent, iso, longACL, event, acl,
    ]

    @Test("every kind of packet comes out whole, at once or byte by byte")
    func kinds() {
        let stream = Self.all.flatMap { $0 }
        #expect(decode([stream[...]]).packets == Self.all)
        #expect(decode(stream.indices.map { stream[$0...$0] }).packets == Self.all)
    }

    @Test("it does not matter where the stream is cut")
    func everyCut() {
        let packets = Self.all.filter { $0.count < 4096 }
        let stream = packets.flatMap { $0 }
        for cut in stream.indices {
            let (decoded, fault) = decode([stream[..<cut], stream[cut...]])
            #expect(decoded == packets && fault == nil, "cut at \(cut)")
        }
    }

    @Test("nor how often", arguments: 1...20 as ClosedRange<UInt64>)
    func randomCuts(seed: UInt64) {
        var dice = Dice(seed: seed)
        let packets = (0..<200).map { _ in Self.all.randomElement(using: &dice) ?? [] }
        let stream = packets.flatMap { $0 }
        var rest = stream[...]
        var pieces: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            pieces.append(rest.prefix(Int.random(in: 1...(dice.next() % 2 == 0 ? 7 : 3000), using: &dice)))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        let (decoded, fault) = decode(pieces)
        #expect(decoded == packets && fault == nil)
    }

    @Test("pieces may pile up before packets are asked for")
    func pileUp() throws {
        var decoder = H4Decoder()
        for byte in Self.all.flatMap({ $0 }) { decoder.append([byte]) }
        for packet in Self.all {
            let next = try decoder.next()
            #expect(next == packet)
        }
        let none = try decoder.next()
        #expect(none == nil)
    }

    @Test(
        "a start that is no packet's loses the framing, behind the packets before it",
        arguments: 0...255 as ClosedRange<UInt8>)
    func indicators(byte: UInt8) {
        let (packets, fault) = decode([(Self.event + [byte])[...]])
        #expect(packets == [Self.event])
        #expect(fault == ((1...5).contains(byte) ? nil : .unknownIndicator(byte)))
    }

    @Test("lost framing stays lost")
    func stays() {
        var decoder = H4Decoder()
        decoder.append([9])
        for _ in 0..<2 {
            #expect(throws: H4Decoder.LostFraming.unknownIndicator(9)) { try decoder.next() }
            decoder.append(Self.event[...])
        }
    }

    @Test(
        "data beyond the limit is refused from its header alone",
        arguments: [
            ([2, 0, 0, 0x01, 0x10], .tooLong(indicator: 2, length: 4097)),
            ([2, 0, 0, 0xFF, 0xFF], .tooLong(indicator: 2, length: 65_535)),
            ([5, 0, 0, 0x01, 0x10], .tooLong(indicator: 5, length: 4097)),
            ([5, 0, 0, 0xFF, 0xFF], .tooLong(indicator: 5, length: 16_383)),
            ([2, 0, 0, 0x00, 0x10], nil),
        ] as [([UInt8], H4Decoder.LostFraming?)])
    func tooLong(header: [UInt8], expected: H4Decoder.LostFraming?) {
        let (packets, fault) = decode(header.map { [$0] })
        #expect(packets.isEmpty && fault == expected)
    }

    @Test("a port in the middle of a conversation gives nothing before the answer to a reset")
    func hunt() {
        let noise: [UInt8] = [4, 0x0E, 4, 1, 3, 9, 9, 2, 0x40, 0x20, 4, 0x0E, 4]
        let stream = noise + Self.event + Self.acl + Self.emptyEvent
        let expected = [Self.event, Self.acl, Self.emptyEvent]
        for cut in stream.indices {
            #expect(decode([stream[..<cut], stream[cut...]], startsWithin: true).packets == expected, "cut at \(cut)")
        }
        #expect(decode(stream.map { [$0] }, startsWithin: true).packets == expected)
        #expect(decode([noise[...]], startsWithin: true).packets.isEmpty)
    }

    @Test("a megabyte of tiny packets at once takes no time", .timeLimit(.minutes(15)))
    func linear() {
        // Copying what is left behind each packet would move 175 GB.
        let count = 350_000
        let stream = Array(repeatElement(Self.emptyEvent, count: count).joined())
        #expect(decode([stream[...]]).packets.count == count)
    }
}
