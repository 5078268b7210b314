/// The payload of a mesh probe (0x26) and of its answer (0x27).
///
/// Source: spec, packet §4.7.
public struct PingPayload: Hashable, Sendable {
    /// Eight random bytes that tie the answer to the probe, the first one most significant.
    public let nonce: UInt64
    /// The TTL that the packet started with.
    public let originTTL: UInt8

    /// Makes a payload.
    public init(nonce: UInt64, originTTL: UInt8) {
        self.nonce = nonce
        self.originTTL = originTTL
    }

    /// The nine bytes.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: nonce)
        bytes.append(originTTL)
        return bytes
    }

    /// Reads the first nine bytes and passes over the rest; `nil` when there are fewer.
    public init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let nonce = reader.take(UInt64.self), let ttl = reader.take(UInt8.self) else { return nil }
        self.init(nonce: nonce, originTTL: ttl)
    }

    /// How many links the packet crossed; `nil` when it arrived with more TTL than it started with.
    ///
    /// - Parameter receivedTTL: The TTL in the header of the packet as it arrived.
    public func hops(receivedTTL: UInt8) -> Int? {
        receivedTTL > originTTL ? nil : Int(originTTL - receivedTTL) + 1
    }
}
