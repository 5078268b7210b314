/// An X25519 public key: a Noise static key, an ephemeral key or a prekey. 32 bytes.
public struct AgreementPublicKey: Hashable, Sendable {
    /// The raw key bytes.
    public let bytes: Bytes32

    /// Takes raw key bytes; weak keys are refused where the key is used, not here.
    public init(_ bytes: Bytes32) { self.bytes = bytes }
}

/// An Ed25519 public key (RFC 8032). 32 bytes.
public struct SigningPublicKey: Hashable, Sendable {
    /// The raw key bytes.
    public let bytes: Bytes32

    /// Takes raw key bytes.
    public init(_ bytes: Bytes32) { self.bytes = bytes }
}

/// A 64-byte signature: Ed25519, or BIP-340 Schnorr.
public struct Signature: Hashable, Sendable {
    /// Bytes 0...31.
    public let first: Bytes32
    /// Bytes 32...63.
    public let second: Bytes32

    /// The number of bytes.
    public static let count = 64

    /// Makes a signature of its halves.
    public init(first: Bytes32, second: Bytes32) {
        self.first = first
        self.second = second
    }

    /// Reads exactly 64 bytes; `nil` for any other length.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count, let first = Bytes32(bytes.prefix(32)),
            let second = Bytes32(bytes.dropFirst(32))
        else { return nil }
        self.init(first: first, second: second)
    }

    /// The 64 bytes in wire order.
    public var bytes: [UInt8] { first.bytes + second.bytes }
}

/// SHA-256 of a Noise static public key: what people compare, and what trust is bound to.
///
/// Source: spec, packet §1.1.
public struct Fingerprint: Hashable, Sendable {
    /// The digest.
    public let digest: Bytes32

    /// Takes a digest.
    public init(digest: Bytes32) { self.digest = digest }

    /// Computes the fingerprint of a key.
    public init(of key: AgreementPublicKey, using cryptography: some Cryptography) {
        self.init(ofKeyBytes: key.bytes.bytes.span, using: cryptography)
    }

    /// Computes the fingerprint of what an announce claims to be a key, whatever its length (spec: packet §4.2).
    public init(ofKeyBytes bytes: Span<UInt8>, using cryptography: some Cryptography) {
        self.init(digest: cryptography.sha256(bytes))
    }

    /// 64 lowercase hexadecimal digits.
    public var hex: String { digest.hex }
}
