/// What a peer is told when a user takes it among the favorites or strikes it off: a private text that is never shown.
///
/// Source: spec, store-and-forward §7; app §6.7; noise §6.3.
public struct FavoriteMessage: Hashable, Sendable {
    /// Whether the sender favors us from now on.
    public let isFavorite: Bool
    /// The sender's Nostr key; `nil` without one that can be read.
    public let nostrKey: NostrPublicKey?

    private static let added = "[FAVORITED]"
    private static let removed = "[UNFAVORITED]"
    private static let separator = UInt8(ascii: ":")

    /// Makes a message of ours.
    public init(isFavorite: Bool, nostrKey: NostrPublicKey?) {
        self.isFavorite = isFavorite
        self.nostrKey = nostrKey
    }

    /// Reads a private text; `nil` for one that is no favorite message but something to show.
    ///
    /// The key is the second of the parts between colons, empty ones not counted. One that does not decode is as good as
    /// none: it would be kept, and mail to it lost.
    public init?(_ text: String) {
        guard let isFavorite = Self.marker(of: text) else { return nil }
        // The third cut is left out: a text over Nostr may have thousands.
        let parts = text.utf8.split(separator: Self.separator, maxSplits: 2)
        self.init(
            isFavorite: isFavorite,
            nostrKey: parts.count > 1 ? NostrPublicKey(npub: Substring(parts[1])) : nil)
    }

    /// Whether a text begins with a marker, byte by byte as the phones compare: it would be swallowed, not shown.
    public static func isMarked(_ text: String) -> Bool { marker(of: text) != nil }

    /// What is sent: the marker, and the key behind a colon if there is one.
    public var text: String {
        let marker = isFavorite ? Self.added : Self.removed
        return nostrKey.map { "\(marker):\($0.npub)" } ?? marker
    }

    private static func marker(of text: String) -> Bool? {
        if text.utf8.starts(with: added.utf8) { return true }
        return text.utf8.starts(with: removed.utf8) ? false : nil
    }
}
