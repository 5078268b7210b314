/// The only peer identifier in packet headers: the first eight bytes of SHA-256 over the Noise static public key.
///
/// Source: spec, packet §1.1.
public struct PeerID: Hashable, Sendable {
    /// The eight bytes, the first one most significant.
    public let rawValue: UInt64

    /// The number of bytes on the wire.
    public static let count = 8

    /// Eight `FF` bytes: a recipient that means everyone, as Android writes it (spec: packet §2.3).
    public static let broadcast = PeerID(rawValue: .max)

    /// Takes the eight bytes as a number, the first one most significant.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Reads exactly eight bytes; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init(rawValue: UInt64(bigEndianBytes: bytes))
    }

    /// Reads the first eight bytes, with zeros behind a shorter string, as encoders treat identifiers of other lengths
    /// (spec: packet §2.3).
    public init(fitting bytes: some Collection<UInt8>) {
        let first = bytes.prefix(Self.count)
        self.init(rawValue: UInt64(bigEndianBytes: first) << UInt64((Self.count - first.count) * 8))
    }

    /// Derives the identifier of a Noise static public key.
    public init(of key: AgreementPublicKey, using cryptography: some Cryptography) {
        self.init(Fingerprint(of: key, using: cryptography))
    }

    /// The identifier that a fingerprint begins with.
    public init(_ fingerprint: Fingerprint) {
        self.init(rawValue: UInt64(truncatingIfNeeded: fingerprint.digest.high >> 64))
    }

    /// The eight bytes in wire order.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.append(bigEndian: rawValue)
        return result
    }

    /// Sixteen lowercase hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }

    /// Reads sixteen hexadecimal digits.
    public init?(hex: some StringProtocol) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }
}

extension PeerID: Comparable {
    /// Orders as the bytes do; the lower identifier keeps the initiator's role when handshakes cross.
    public static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

extension PeerID: CustomStringConvertible {
    /// Sixteen lowercase hexadecimal digits.
    public var description: String { hex }
}
