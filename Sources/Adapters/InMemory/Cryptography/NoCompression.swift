import Domain

/// Compresses nothing and expands nothing: packets then travel as they are.
public struct NoCompression: Compression {
    /// Makes one.
    public init() {}
    /// Always `nil`: no stream fits.
    public func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]? { nil }
    /// Always `nil`: every stream counts as damaged.
    public func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]? { nil }
}
