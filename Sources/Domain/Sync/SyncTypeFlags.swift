/// The packet types that a sync request asks for.
///
/// Source: spec, store-and-forward §5.6.
public struct SyncTypeFlags: OptionSet, Hashable, Sendable {
    /// The bits; bit 0 is the least significant.
    public let rawValue: UInt64

    /// Takes the bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The type of each bit, from bit 0 on.
    private static let types: [MessageType] = [
        .announce, .message, .leave, .noiseHandshake, .noiseEncrypted, .fragment, .requestSync, .fileTransfer,
        .boardPost, .prekeyBundle, .groupMessage,
    ]

    /// Every bit that stands for a type.
    public static let all = SyncTypeFlags(rawValue: 1 << UInt64(types.count) - 1)

    /// The bits of the types that have one; others are passed over.
    public init(_ types: some Sequence<MessageType>) {
        self.init(rawValue: types.reduce(0) { $0 | Self.bit(of: $1) })
    }

    /// The bit of a type; zero for one that has none.
    private static func bit(of type: MessageType) -> UInt64 {
        types.firstIndex(of: type).map { 1 << UInt64($0) } ?? 0
    }

    /// Whether a type is asked for.
    public func contains(_ type: MessageType) -> Bool { rawValue & Self.bit(of: type) != 0 }

    /// The types asked for, by rising bit.
    public var types: [MessageType] { Self.types.filter { contains($0) } }

    /// The shortest little-endian form; `nil` for no bits, which are not sent.
    public var encoded: [UInt8]? { isEmpty ? nil : Capabilities(rawValue: rawValue).encoded }

    /// Reads 1 to 8 little-endian bytes, clearing bits that stand for nothing; `nil` for any other length.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard (1...Capabilities.maximumLength).contains(bytes.count) else { return nil }
        self = SyncTypeFlags(rawValue: Capabilities(lenient: bytes).rawValue).intersection(.all)
    }
}
