/// Where a packet falls in a filter of any size: 63 bits of the digest of its identifier.
///
/// Computed once, when a packet is kept, so that building a filter or looking into one hashes nothing.
///
/// Source: spec, store-and-forward §5.7.
public struct SyncHash: Hashable, Sendable {
    /// The first eight bytes of the digest, the first one most significant, without the topmost bit.
    public let rawValue: UInt64

    /// Takes the bits; the topmost is cleared.
    public init(rawValue: UInt64) { self.rawValue = rawValue & (1 << 63 - 1) }

    /// Hashes an identifier.
    public init(of id: SyncID, using cryptography: some Cryptography) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: id.rawValue)
        self.init(ofBytes: bytes.span, using: cryptography)
    }

    /// Hashes the bytes of an identifier of any width.
    public init(ofBytes bytes: Span<UInt8>, using cryptography: some Cryptography) {
        self.init(rawValue: UInt64(truncatingIfNeeded: cryptography.sha256(bytes).high >> 64))
    }

    /// The value in a filter with this modulus, 1 or more; 0, which no filter contains, for a modulus that makes none.
    @inline(__always)
    public func value(modulus: UInt32) -> UInt32 {
        guard modulus > 1 else { return 0 }
        return max(1, UInt32(truncatingIfNeeded: rawValue % UInt64(modulus)))
    }
}
