/// Reads fields off the front of a byte string; every read is checked against what is left.
///
/// A failed read returns `nil` and consumes nothing. Slices share the storage they came from.
public struct ByteReader: Sendable {
    /// What has not been read yet.
    public private(set) var rest: ArraySlice<UInt8>

    /// Starts at the front of `bytes`.
    public init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Starts at the front of `bytes`.
    public init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The number of bytes left.
    public var count: Int { rest.count }

    /// Whether everything was read.
    public var isAtEnd: Bool { rest.isEmpty }

    /// Takes the next `count` bytes.
    public mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    /// Takes one big-endian number.
    @inlinable
    public mutating func take<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        take(Number.bitWidth / 8).map { Number(bigEndianBytes: $0) }
    }

    /// Takes 32 bytes.
    public mutating func takeBytes32() -> Bytes32? { take(Bytes32.count).flatMap { Bytes32($0) } }
}
