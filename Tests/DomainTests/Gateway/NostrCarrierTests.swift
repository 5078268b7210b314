import Domain
import Testing

@Suite("Nostr carriers")
struct NostrCarrierTests {
    private func payload(direction: UInt8 = 1, geohash: String = "u4pru", event: Int = 2) -> [UInt8] {
        [1, 0, 1, direction] + [2] + PacketBytes.of(UInt16(geohash.utf8.count)) + geohash.utf8
            + [3] + PacketBytes.of(UInt16(event)) + [UInt8](repeating: 0x7B, count: event)
    }

    @Test("the edges that pass", arguments: [("u", 1), ("u4pruydqqvj8", 16_384)])
    func accepted(geohash: String, event: Int) throws {
        let bytes = payload(geohash: geohash, event: event)
        let carrier = try #require(NostrCarrier(bytes[...]))
        #expect(carrier.encoded == bytes)
    }

    @Test("the edges that are refused", arguments: [("", 2), ("u4pruydqqvj8h", 2), ("u", 0), ("u", 16_385)])
    func refused(geohash: String, event: Int) {
        #expect(NostrCarrier(payload(geohash: geohash, event: event)[...]) == nil)
        let content = [UInt8](repeating: 1, count: event)
        #expect(NostrCarrier(direction: .toGateway, geohash: geohash, event: content) == nil)
    }

    @Test("other directions and one byte left over are refused", arguments: [0, 5, 77] as [UInt8])
    func direction(direction: UInt8) {
        #expect(NostrCarrier(payload(direction: direction)[...]) == nil)
        #expect(NostrCarrier((payload() + [0])[...]) == nil)
    }

    @Test("what goes to a gateway or bridge is directed")
    func uplink() {
        let uplinks = (1...4).compactMap { NostrCarrier.Direction(rawValue: $0) }.filter(\.isUplink)
        #expect(uplinks == [.toGateway, .toBridge])
    }
}
