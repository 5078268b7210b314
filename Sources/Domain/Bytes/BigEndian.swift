extension FixedWidthInteger where Self: UnsignedInteger {
    /// Reads bytes as one number, the first byte most significant; bytes beyond the type's width push earlier ones out.
    @inlinable
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

extension Span<UInt8> {
    /// Reads one big-endian number at a byte offset, in one unaligned load.
    ///
    /// The offset is checked against the bounds and every bit pattern is a number; the load is called unsafe for types of
    /// which that is not true.
    @inline(__always)
    func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
        Number(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
