/// What is between our user and one peer, when either favors the other.
///
/// Source: spec, store-and-forward §7.
public struct Favorite: Hashable, Sendable {
    /// The peer's Noise static key. Nothing shorter names a record: an 8-byte identifier written here would never match
    /// (spec: app §8.2).
    public let key: AgreementPublicKey
    /// Where mail over Nostr reaches it, as it said itself; once known never cleared.
    public internal(set) var nostrKey: NostrPublicKey?
    /// Its name when it was last heard; empty when none is known. At most
    /// ``FavoritesPolicy/maximumNicknameLength`` bytes.
    public internal(set) var nickname: String
    /// Since when our user favors it; `nil` when not.
    public internal(set) var favoritedAt: WallTime?
    /// Whether it said that it favors us.
    public internal(set) var favorsUs: Bool
    /// When the record last changed.
    public internal(set) var lastUpdated: WallTime

    /// Makes a record, as a store gives it back. The name is cut to size at a character; that of a peer without one is
    /// empty.
    public init(
        key: AgreementPublicKey, nostrKey: NostrPublicKey?, nickname: String, favoritedAt: WallTime?, favorsUs: Bool,
        lastUpdated: WallTime
    ) {
        self.key = key
        self.nostrKey = nostrKey
        self.nickname = Self.usable(nickname) ?? ""
        self.favoritedAt = favoritedAt
        self.favorsUs = favorsUs
        self.lastUpdated = lastUpdated
    }

    /// Whether our user favors it.
    public var isFavorite: Bool { favoritedAt != nil }

    /// Whether both favor each other: such a peer carries our mail first, and we keep its mail when strangers offer theirs.
    public var isMutual: Bool { isFavorite && favorsUs }

    /// Takes what was learned: a name replaces the old one unless it is a placeholder, a key unless there is none.
    mutating func learn(nickname: String?, nostrKey: NostrPublicKey?) {
        if let nickname = nickname.flatMap(Self.usable) { self.nickname = nickname }
        if let nostrKey { self.nostrKey = nostrKey }
    }

    /// A name worth keeping, cut to size; `nil` for an empty one and for the phones' placeholder.
    private static func usable(_ nickname: String) -> String? {
        guard !nickname.trimmedForWire.isEmpty, nickname != FavoritesPolicy.unknownNickname else { return nil }
        return nickname.prefix(utf8Bytes: FavoritesPolicy.maximumNicknameLength)
    }
}
