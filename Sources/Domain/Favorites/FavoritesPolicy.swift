/// Limits of the favorites.
public enum FavoritesPolicy {
    /// Records kept. [ours]: a person has tens of favorites. The rest is for peers that favor us, whose identities are free
    /// to invent; each costs its owner a handshake and us some 300 bytes.
    public static let maximumRecords = 1000
    /// The longest name kept, in bytes of UTF-8: as long as an announce can carry.
    public static let maximumNicknameLength = Nickname.maximumBytes
    /// A name that the phones put where they know none.
    public static let unknownNickname = "Unknown"
}
