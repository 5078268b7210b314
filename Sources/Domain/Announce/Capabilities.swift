/// What a peer can do, as a set of bits. Unknown bits are kept as they came.
///
/// In an announce they are hints; only the copy inside a Noise session (``AuthenticatedPeerState``) is proof.
///
/// Source: spec, noise §1.4; packet §4.2.
public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits; bit 0 is the least significant.
    public let rawValue: UInt64

    /// Takes the bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Publishes one-time prekeys.
    public static let prekeys = Capabilities(rawValue: 1 << 0)
    /// Moves bulk data over Wi-Fi.
    public static let wifiBulk = Capabilities(rawValue: 1 << 1)
    /// Carries Nostr events to and from the internet.
    public static let gateway = Capabilities(rawValue: 1 << 2)
    /// Takes part in private groups.
    public static let groups = Capabilities(rawValue: 1 << 3)
    /// Keeps the notice board; the board works without the bit too.
    public static let board = Capabilities(rawValue: 1 << 4)
    /// Exchanges vouches.
    public static let vouch = Capabilities(rawValue: 1 << 5)
    /// Answers mesh probes; they work without the bit too.
    public static let meshDiagnostics = Capabilities(rawValue: 1 << 6)
    /// Bridges a place's chat to and from Nostr.
    public static let bridge = Capabilities(rawValue: 1 << 7)
    /// Takes private files inside a Noise session.
    public static let privateMedia = Capabilities(rawValue: 1 << 8)
    /// Acknowledges private files under their stable identifier.
    public static let privateMediaReceipts = Capabilities(rawValue: 1 << 9)

    /// The longest encoding, in bytes.
    static let maximumLength = 8

    /// The shortest little-endian form, 1 to 8 bytes; the empty set is one zero byte.
    public var encoded: [UInt8] {
        var bytes = [UInt8(truncatingIfNeeded: rawValue)]
        var rest = rawValue >> 8
        while rest != 0 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return bytes
    }

    /// Reads the form of an announce: any length, the low eight bytes count, no bytes mean no bits.
    public init(lenient bytes: ArraySlice<UInt8>) {
        var value: UInt64 = 0
        for byte in bytes.prefix(Self.maximumLength).reversed() { value = value << 8 | UInt64(byte) }
        self.init(rawValue: value)
    }

    /// Reads the form of an authenticated peer state: 1 to 8 bytes, and only the shortest form (spec: noise §6.6).
    public init?(canonical bytes: ArraySlice<UInt8>) {
        guard let last = bytes.last, bytes.count <= Self.maximumLength, bytes.count == 1 || last != 0
        else { return nil }
        self.init(lenient: bytes)
    }
}
