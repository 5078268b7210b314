/// How wide the length of a type-length-value field is.
///
/// Source: spec, packet §0.
public enum TLVLayout: Sendable {
    /// TLV8: `type u8 ‖ length u8 ‖ value`.
    case short
    /// TLV16: `type u8 ‖ length u16 ‖ value`.
    case long

    /// Bytes of type and length.
    var headerLength: Int { self == .short ? 2 : 3 }
    /// The longest value that the length can state.
    var maximumValueLength: Int { self == .short ? 0xFF : 0xFFFF }
}

/// One field of a type-length-value list.
public struct TLVField: Sendable {
    /// The type byte.
    public let tag: UInt8
    /// The value; shares the storage of the list.
    public let value: ArraySlice<UInt8>
}

/// Walks a type-length-value list, checking every length against what is left.
///
/// `next()` ends at the first fault; ``isIntact`` then says whether the list was well framed. A decoder must ask it after
/// its loop.
///
/// Source: spec, packet §4; the formats differ in what they make of bytes that are too few for a field.
public struct TLVReader {
    /// What bytes at the end mean that are too few for a type and a length.
    public enum Leftover: Sendable {
        /// They are passed over.
        case ignored
        /// They spoil the list.
        case refused
    }

    /// Whether no fault was met so far.
    public private(set) var isIntact = true
    private var reader: ByteReader
    private let layout: TLVLayout
    private let leftover: Leftover

    /// Starts at the first field.
    public init(_ bytes: ArraySlice<UInt8>, _ layout: TLVLayout, leftover: Leftover) {
        reader = ByteReader(bytes)
        self.layout = layout
        self.leftover = leftover
    }

    /// The next field; `nil` at the end and at a fault.
    public mutating func next() -> TLVField? {
        guard isIntact, !reader.isAtEnd else { return nil }
        guard reader.count >= layout.headerLength else {
            if leftover == .refused { isIntact = false }
            return nil
        }
        guard let tag = reader.take(UInt8.self), let length = takeLength(), let value = reader.take(length) else {
            isIntact = false
            return nil
        }
        return TLVField(tag: tag, value: value)
    }

    private mutating func takeLength() -> Int? {
        switch layout {
        case .short: reader.take(UInt8.self).map(Int.init)
        case .long: reader.take(UInt16.self).map(Int.init)
        }
    }
}
