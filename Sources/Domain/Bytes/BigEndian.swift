extension FixedWidthInteger where Self: UnsignedInteger {
    /// Reads bytes as one number, the first byte most significant; bytes beyond the type's width push earlier ones out.
    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        var value: Self = 0
        for byte in bytes { value = value << 8 | Self(truncatingIfNeeded: byte) }
        self = value
    }
}

extension [UInt8] {
    /// Appends the value's bytes, most significant first (the wire's order).
    @inlinable
    public mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { self.append(contentsOf: $0) }
    }
}
