/// Whether a peer is told that our user took it among the favorites or struck it off, and by which way.
///
/// On the mesh always. A peer that is away is told over Nostr that it was struck off; that it was taken in, only if it
/// favors us already: our Nostr key goes with it, and goes to nobody who did not choose us. What cannot be told now is
/// never told; it does not wait in the outbox.
///
/// Source: spec, store-and-forward §7; app §8.2.
public enum FavoriteNotification: Hashable, Sendable {
    /// Over the peer's Noise session.
    case overMesh
    /// As a message to this key.
    case overNostr(NostrPublicKey)
    /// Not at all.
    case none

    /// Decides by what is known of the peer.
    ///
    /// - Parameters:
    ///   - isAdded: Whether our user favors the peer from now on.
    ///   - isOnMesh: Whether the peer is connected or reachable.
    ///   - favorsUs: Whether the peer favors our user.
    ///   - nostrKey: The peer's Nostr key, if known.
    public init(isAdded: Bool, isOnMesh: Bool, favorsUs: Bool, nostrKey: NostrPublicKey?) {
        if isOnMesh {
            self = .overMesh
        } else if let nostrKey, favorsUs || !isAdded {
            self = .overNostr(nostrKey)
        } else {
            self = .none
        }
    }

    /// Decides by a change; one that our user did not make is told to nobody. Do not ask for one that a block made: a
    /// block is told to nobody either (spec: app §2.4).
    ///
    /// - Parameter isOnMesh: Whether the peer is connected or reachable.
    public init(of update: FavoriteUpdate, isOnMesh: Bool) {
        guard update.oursChanged, let record = update.after ?? update.before else {
            self = .none
            return
        }
        self.init(
            isAdded: update.after?.isFavorite ?? false, isOnMesh: isOnMesh, favorsUs: record.favorsUs,
            nostrKey: record.nostrKey)
    }
}
