/// The 128-bit UUID of the mesh's GATT service: devices that advertise it are neighbours, all others are not.
///
/// Source: spec, ble-gatt §1.
public struct ServiceUUID: Hashable, Sendable {
    /// The UUID as people write it, its first digit most significant.
    public let rawValue: UInt128

    /// The number of bytes.
    public static let count = 16

    /// The mesh of released apps: `F47B5E2D-4A9E-4C5A-9B3F-8E1D2C3A4B5C`.
    public static let production = ServiceUUID(rawValue: 0xf47b_5e2d_4a9e_4c5a_9b3f_8e1d_2c3a_4b5c)
    /// The mesh of debug builds for iOS and macOS; only the last byte differs.
    public static let test = ServiceUUID(rawValue: 0xf47b_5e2d_4a9e_4c5a_9b3f_8e1d_2c3a_4b5a)

    /// Takes the UUID as a number.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// The bytes as they appear in advertisements and in ATT, least significant first.
    public var bytes: [UInt8] { (0..<Self.count).map { UInt8(truncatingIfNeeded: rawValue >> UInt128(8 * $0)) } }

    /// Whether these are the UUID's bytes, least significant first.
    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == Self.count && UInt128(bigEndianBytes: bytes.reversed()) == rawValue
    }
}
