/// How far a peer is trusted with places in the courier store.
///
/// Source: spec, store-and-forward §3.5, §3.6.
public enum TrustTier: Hashable, Sendable, CaseIterable {
    /// A mutual favorite: each has marked the other.
    case favorite
    /// A peer whose announce was signed with the key in it, which nearly every known peer is; a stranger else.
    case verified

    /// Judges a peer; `nil` for one that gets no place.
    public init?(isMutualFavorite: Bool, isVerified: Bool) {
        if isMutualFavorite {
            self = .favorite
        } else if isVerified {
            self = .verified
        } else {
            return nil
        }
    }

    /// How many envelopes are carried for one depositor of this tier.
    public var quota: Int {
        switch self {
        case .favorite: CourierPolicy.favoriteQuota
        case .verified: CourierPolicy.verifiedQuota
        }
    }
}
