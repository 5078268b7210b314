/// What the fixed bytes of a frame say about its shape; enough to tell how long it is.
///
/// Source: spec, packet §2.1, §2.10.
struct FrameHeader {
    /// Where the TTL stands, in either version.
    static let ttlOffset = 2
    /// Where the flag byte stands, in either version.
    static let flagsOffset = 11

    /// Whether lengths have four bytes and a route may follow: version 2.
    let isLong: Bool
    let flags: PacketFlags
    /// The declared length of the payload section, up to 2^32 - 1 bytes.
    let sectionLength: Int

    /// Reads the header at an offset; `nil` when it is not all there, or of an unknown version.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, at start: Int) {
        guard bytes.count - start >= PacketPolicy.shortestFrame1 else { return nil }
        switch bytes[start] {
        case PacketPolicy.version1:
            isLong = false
            sectionLength = Int(bytes.bigEndian(UInt16.self, at: start + 12))
        case PacketPolicy.version2:
            guard bytes.count - start >= PacketPolicy.shortestFrame2 else { return nil }
            isLong = true
            sectionLength = Int(bytes.bigEndian(UInt32.self, at: start + 12))
        default: return nil
        }
        flags = PacketFlags(rawValue: bytes[start + Self.flagsOffset])
    }

    /// Bytes up to the recipient: the fixed header and the sender.
    var length: Int { isLong ? PacketPolicy.shortestFrame2 : PacketPolicy.shortestFrame1 }

    /// The offset of the sender.
    var senderOffset: Int { isLong ? PacketPolicy.headerLength2 : PacketPolicy.headerLength1 }

    /// Bytes of the original size in front of a compressed payload.
    var sizeFieldLength: Int { isLong ? PacketPolicy.sizeFieldLength2 : PacketPolicy.sizeFieldLength1 }

    /// Bytes behind the payload section.
    var signatureLength: Int { flags.contains(.signature) ? Signature.count : 0 }

    /// The offset behind sender and recipient, where a route would begin.
    var routeOffset: Int { flags.contains(.recipient) ? length + PeerID.count : length }

    /// Whether a count of hops follows.
    var hasRoute: Bool { isLong && flags.contains(.route) }

    /// The number of hops, 0 without a route; `nil` when the count is not there yet.
    @inline(__always)
    func hopCount(in bytes: Span<UInt8>, at start: Int) -> Int? {
        guard hasRoute else { return 0 }
        return bytes.count - start > routeOffset ? Int(bytes[start + routeOffset]) : nil
    }

    /// The offset of the payload section.
    func sectionOffset(hops: Int) -> Int { hasRoute ? routeOffset + 1 + hops * PeerID.count : routeOffset }
}
