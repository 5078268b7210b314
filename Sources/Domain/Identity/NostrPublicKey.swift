/// A Nostr public key, x-only: whom mail over the internet is for. 32 bytes.
///
/// People and favorite messages carry it as an npub, 63 characters of bech32. Whether it is a point of the curve shows
/// where it is used.
///
/// Source: spec, nostr §1.2, §1.5.
public struct NostrPublicKey: Hashable, Sendable {
    /// The raw key bytes.
    public let bytes: Bytes32

    /// What an npub begins with.
    public static let prefix = "npub"
    /// The length of every npub, in characters: the prefix, `1`, 52 letters for 32 bytes, and the checksum.
    public static let textLength = 63

    /// Takes raw key bytes.
    public init(_ bytes: Bytes32) { self.bytes = bytes }

    /// Reads an npub; `nil` for any other text, a wrong checksum, capital letters, or another number of bytes.
    public init?(npub text: some StringProtocol) {
        guard text.utf8.count == Self.textLength, text.utf8.starts(with: Self.prefix.utf8),
            let (prefix, data) = Bech32.decode(text), prefix == Self.prefix, let bytes = Bytes32(data)
        else { return nil }
        self.init(bytes)
    }

    /// The key as people copy it.
    public var npub: String { Bech32.text(of: bytes.bytes, prefix: Self.prefix) }
}
