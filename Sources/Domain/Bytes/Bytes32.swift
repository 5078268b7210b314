/// Thirty-two bytes as a value: a digest or a public key, compared and hashed without a heap.
public struct Bytes32: Hashable, Sendable {
    /// Bytes 0...15, the first byte most significant.
    public let high: UInt128
    /// Bytes 16...31, the first of them most significant.
    public let low: UInt128

    /// The number of bytes.
    public static let count = 32

    /// Makes a value of its two halves, each with its first byte most significant.
    public init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }

    /// Reads exactly 32 bytes in wire order; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        let middle = bytes.index(bytes.startIndex, offsetBy: 16)
        self.init(
            high: UInt128(bigEndianBytes: bytes[..<middle]),
            low: UInt128(bigEndianBytes: bytes[middle...]))
    }

    /// Reads exactly 32 bytes in wire order; `nil` for any other length.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var (high, low) = (UInt128(0), UInt128(0))
        for index in 0..<16 {
            high = high << 8 | UInt128(bytes[index])
            low = low << 8 | UInt128(bytes[index + 16])
        }
        self.init(high: high, low: low)
    }

    /// The 32 bytes in wire order.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Self.count)
        result.append(bigEndian: high)
        result.append(bigEndian: low)
        return result
    }

    /// 64 lowercase hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }
}

extension Bytes32: Comparable {
    /// Orders as the bytes do, first byte first.
    public static func < (left: Bytes32, right: Bytes32) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
