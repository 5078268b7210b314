/// The flag byte of a frame.
///
/// Source: spec, packet §2.2.
public struct PacketFlags: OptionSet, Hashable, Sendable {
    /// The byte on the wire, reserved bits included.
    public let rawValue: UInt8

    /// Takes the byte on the wire.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A recipient follows the sender.
    public static let recipient = PacketFlags(rawValue: 0x01)
    /// A signature follows the payload section.
    public static let signature = PacketFlags(rawValue: 0x02)
    /// The payload section is an original size and a raw deflate stream.
    public static let compressed = PacketFlags(rawValue: 0x04)
    /// A route precedes the payload section; without meaning in version 1.
    public static let route = PacketFlags(rawValue: 0x08)
    /// The packet answers a sync request.
    public static let syncResponse = PacketFlags(rawValue: 0x10)
}
