import Domain

extension [UInt8] {
    /// Appends the value's bytes, least significant first: the order of HCI, L2CAP and ATT.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

extension ByteReader {
    /// Takes one number, least significant byte first; `nil`, and nothing taken, when too few bytes are left.
    mutating func takeLittleEndian<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        take(Number.bitWidth / 8).map { bytes in
            bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }
    }
}
