/// What became of a change to the favorites.
public enum FavoriteVerdict: Hashable, Sendable {
    /// Everything is as it was already; nothing is to be written, shown or told.
    case unchanged
    /// A record changed, appeared or went.
    case changed(FavoriteUpdate)
    /// No place is left, and only our user's own favorites could give way, which they never do.
    case full

    /// The change, if there is one.
    public var update: FavoriteUpdate? {
        guard case .changed(let update) = self else { return nil }
        return update
    }
}

/// How a record changed.
public struct FavoriteUpdate: Hashable, Sendable {
    /// The record as it was; `nil` when there was none.
    public let before: Favorite?
    /// The record as it is, to be written down; `nil` when it is gone, because nobody favors anybody any more.
    public let after: Favorite?
    /// The peer whose record went to make room.
    public let evicted: AgreementPublicKey?

    /// Whether our user's choice changed.
    public var oursChanged: Bool { before?.isFavorite ?? false != after?.isFavorite ?? false }

    /// Whether the peer's choice changed: only then our user is told.
    public var theirsChanged: Bool { before?.favorsUs ?? false != after?.favorsUs ?? false }

    /// The peers whose records are to be deleted from the disk.
    public var removed: [AgreementPublicKey] {
        var removed = evicted.map { [$0] } ?? []
        if after == nil, let before { removed.append(before.key) }
        return removed
    }
}
