import Domain

/// What an attribute is.
///
/// Held as 128 bits, so that a short UUID and its long form are the same thing, as the specification wants.
///
/// Source: Core Specification, Vol 3, Part B, 2.5.1; Part F, 3.2.1.
struct AttributeUUID: Hashable, Sendable, CustomStringConvertible {
    /// 00000000-0000-1000-8000-00805F9B34FB: what short UUIDs are put into, at its topmost 32 bits.
    private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB
    private static let shortPlace: UInt128 = 96

    /// The 128 bits, the byte that people write first being the most significant.
    let rawValue: UInt128

    /// Takes the 128 bits.
    init(rawValue: UInt128) { self.rawValue = rawValue }

    /// An assigned number.
    init(_ short: UInt16) { rawValue = Self.base | UInt128(short) << Self.shortPlace }

    /// Reads the two or sixteen bytes of a UUID, least significant first; `nil` for another length.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        switch bytes.count {
        case 2: self.init(reader.takeLittleEndian(UInt16.self) ?? 0)
        case 16: self.init(rawValue: reader.takeLittleEndian(UInt128.self) ?? 0)
        default: return nil
        }
    }

    /// The assigned number; `nil` for a UUID that has none.
    var short: UInt16? {
        guard rawValue & ~(0xFFFF << Self.shortPlace) == Self.base else { return nil }
        return UInt16(truncatingIfNeeded: rawValue >> Self.shortPlace)
    }

    /// The bytes as ATT and advertisements carry them, least significant first: two for an assigned number, else sixteen.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if let short { bytes.append(littleEndian: short) } else { bytes.append(littleEndian: rawValue) }
        return bytes
    }

    /// Hexadecimal, without hyphens: four digits or thirty-two.
    var description: String {
        let digits = String(short.map { UInt128($0) } ?? rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: (short == nil ? 32 : 4) - digits.count) + digits
    }
}

extension AttributeUUID {
    /// Source: Assigned Numbers, 3.4.1, 3.5, 3.7, 3.8.1.
    static let primaryService = AttributeUUID(0x2800)
    static let secondaryService = AttributeUUID(0x2801)
    static let include = AttributeUUID(0x2802)
    static let characteristic = AttributeUUID(0x2803)
    static let clientConfiguration = AttributeUUID(0x2902)
    static let genericAccess = AttributeUUID(0x1800)
    static let genericAttribute = AttributeUUID(0x1801)
    static let deviceName = AttributeUUID(0x2A00)
    static let appearance = AttributeUUID(0x2A01)
    static let serviceChanged = AttributeUUID(0x2A05)
    /// The one characteristic of the mesh, which carries both directions (spec: ble-gatt §1).
    static let mesh = AttributeUUID(rawValue: 0xA1B2_C3D4_E5F6_4A5B_8C9D_0E1F_2A3B_4C5D)
}

extension BluetoothService {
    /// The UUID that is advertised and discovered (spec: ble-gatt §1).
    var uuid: AttributeUUID {
        switch self {
        case .production: AttributeUUID(rawValue: 0xF47B_5E2D_4A9E_4C5A_9B3F_8E1D_2C3A_4B5C)
        case .test: AttributeUUID(rawValue: 0xF47B_5E2D_4A9E_4C5A_9B3F_8E1D_2C3A_4B5A)
        }
    }
}
