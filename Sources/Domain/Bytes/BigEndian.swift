extension FixedWidthInteger where Self: UnsignedInteger {
    /// Reads bytes as one number, the first byte most significant; bytes beyond the type's width push earlier ones out.
    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        var value: Self = 0
        for byte in bytes { value = value << 8 | Self(truncatingIfNeeded: byte) }
        self = value
    }

    /// Reads exactly as many bytes as the type is wide, the first one most significant; `nil` for any other number.
    public init?(exactBigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self.init(bigEndianBytes: bytes)
    }
}

extension [UInt8] {
    /// Appends the value's bytes, most significant first (the wire's order).
    @inlinable
    public mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { self.append(contentsOf: $0) }
    }
}
