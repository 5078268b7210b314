/// Names the pieces of one fragmented packet: eight random bytes, drawn anew for every transmission.
public struct FragmentID: Hashable, Sendable {
    /// The eight bytes, the first one most significant.
    public let rawValue: UInt64

    /// The number of bytes on the wire.
    public static let count = 8

    /// Takes the eight bytes as a number, the first one most significant.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Reads exactly eight bytes; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init(rawValue: UInt64(bigEndianBytes: bytes))
    }

    /// Draws a new one.
    public init(from randomness: any Randomness) { self.init(rawValue: randomness.next()) }

    /// Sixteen lowercase hexadecimal digits.
    public var hex: String { PeerID(rawValue: rawValue).hex }
}

extension FragmentID: Comparable {
    /// Orders as the bytes do.
    public static func < (left: FragmentID, right: FragmentID) -> Bool { left.rawValue < right.rawValue }
}

/// The payload of a fragment packet: which piece of what it is, and the piece.
///
/// Source: spec, packet §4.4.
public struct FragmentHeader: Hashable, Sendable {
    /// Where the number of pieces stands in the payload.
    private static let totalOffset = 10
    /// Where the original type stands in the payload.
    static let typeOffset = 12

    /// The fragmented packet that the piece belongs to, unique for its sender.
    public let id: FragmentID
    /// The piece's place, from 0; below ``total``.
    public let index: UInt16
    /// How many pieces there are, 1...10,000.
    public let total: UInt16
    /// The type of the packet that was cut.
    public let originalType: MessageType
    /// The piece of the original frame; may be empty. Shares the storage of the payload that it was read from.
    public let chunk: ArraySlice<UInt8>

    /// Makes the header of one piece; `nil` for numbers that no receiver accepts.
    public init?(id: FragmentID, index: UInt16, total: UInt16, originalType: MessageType, chunk: ArraySlice<UInt8>) {
        guard total <= FragmentPolicy.maximumCount, index < total else { return nil }
        self.id = id
        self.index = index
        self.total = total
        self.originalType = originalType
        self.chunk = chunk
    }

    /// Reads a fragment packet's payload; `nil` when it is shorter than 13 bytes, names no piece, or more than 10,000.
    public init?(_ payload: ArraySlice<UInt8>) {
        guard payload.count >= FragmentPolicy.headerLength else { return nil }
        let bytes = payload.span
        self.init(
            id: FragmentID(rawValue: bytes.bigEndian(UInt64.self, at: 0)),
            index: bytes.bigEndian(UInt16.self, at: 8), total: bytes.bigEndian(UInt16.self, at: Self.totalOffset),
            originalType: MessageType(rawValue: bytes[Self.typeOffset]),
            chunk: payload.dropFirst(FragmentPolicy.headerLength))
    }

    /// How many pieces a payload says there are, whatever else is wrong with it; `nil` when it is too short to say.
    static func claimedTotal(_ payload: ArraySlice<UInt8>) -> UInt16? {
        payload.count >= typeOffset ? payload.span.bigEndian(UInt16.self, at: totalOffset) : nil
    }

    /// The payload bytes.
    public var encoded: [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(FragmentPolicy.headerLength + chunk.count)
        payload.append(bigEndian: id.rawValue)
        payload.append(bigEndian: index)
        payload.append(bigEndian: total)
        payload.append(originalType.rawValue)
        payload.append(contentsOf: chunk)
        return payload
    }
}
