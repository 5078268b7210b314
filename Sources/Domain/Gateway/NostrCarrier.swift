/// The payload of a carrier packet (0x28): a signed Nostr event on its way to or from the internet.
///
/// The event is opaque here; whether it is UTF-8, JSON and well signed is the consumer's check.
///
/// Source: spec, packet §4.8.
public struct NostrCarrier: Hashable, Sendable {
    /// Which way the event goes.
    public enum Direction: UInt8, Hashable, Sendable {
        /// From a peer without internet to a gateway; directed and signed.
        case toGateway = 0x01
        /// From a gateway to everyone; broadcast and unsigned.
        case fromGateway = 0x02
        /// From a peer to a bridge; directed and signed.
        case toBridge = 0x03
        /// From a bridge to everyone; broadcast and unsigned.
        case fromBridge = 0x04

        /// Whether the packet goes to one peer, and is signed.
        public var isUplink: Bool { self == .toGateway || self == .toBridge }
    }

    /// Which way the event goes.
    public let direction: Direction
    /// The place that it belongs to, 1 to 12 bytes of UTF-8.
    public let geohash: String
    /// The event as JSON, 1 to 16,384 bytes.
    public let event: [UInt8]

    /// The longest geohash, in bytes.
    public static let maximumGeohashLength = 12
    /// The longest event, in bytes: bounds what strangers make a gateway carry.
    public static let maximumEventLength = 16_384

    /// Makes a carrier; `nil` when the geohash or the event is empty or too long.
    public init?(direction: Direction, geohash: String, event: [UInt8]) {
        guard (1...Self.maximumGeohashLength).contains(geohash.utf8.count),
            (1...Self.maximumEventLength).contains(event.count)
        else { return nil }
        self.direction = direction
        self.geohash = geohash
        self.event = event
    }

    private enum Tag {
        static let direction: UInt8 = 0x01
        static let geohash: UInt8 = 0x02
        static let event: UInt8 = 0x03
    }

    /// The payload.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 10 + geohash.utf8.count + event.count)
        writer.append(Tag.direction, CollectionOfOne(direction.rawValue))
        writer.append(Tag.geohash, geohash.utf8)
        writer.append(Tag.event, event)
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts.
    ///
    /// - Returns: `nil` for an unknown direction, a geohash that is not UTF-8, a missing field, a value out of its limits,
    ///   or a fault in the framing.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (direction, geohash, event) = (Direction?.none, String?.none, ArraySlice<UInt8>?.none)
        var fields = TLVReader(payload, .long, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.direction:
                guard field.value.count == 1, let known = field.value.first.flatMap(Direction.init) else { return nil }
                direction = known
            case Tag.geohash:
                guard let text = field.value.text else { return nil }
                geohash = text
            case Tag.event: event = field.value
            default: break
            }
        }
        guard fields.isIntact, let direction, let geohash, let event, event.count <= Self.maximumEventLength
        else { return nil }
        self.init(direction: direction, geohash: geohash, event: Array(event))
    }
}
