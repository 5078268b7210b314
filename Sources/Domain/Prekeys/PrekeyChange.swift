/// What a call changed about our prekeys: what to write down, in one piece, and whether to publish.
///
/// **Order of durability.** What is removed and written here belongs into one append, removals first, and, when mail was
/// opened, the message into the same one. Until that is committed nothing that rests on it leaves: not the bundle (a prekey
/// whose private half is lost in a crash must never have been offered), not the acknowledgement, and not the message to the
/// user. Then:
///
/// - A crash before the commit leaves the prekey unconsumed and the mail undelivered; a courier brings it again, and the
///   grace begins then.
/// - A crash after it finds the prekey consumed. If its removal was lost, ``LocalPrekeys`` refuses it all the same, since its
///   grace ended at a time that is on the disk, and the next ``LocalPrekeys/maintain(at:from:using:)`` removes it again.
/// - If the commit fails, the state in memory is the safe one and stays. Write ``LocalPrekeys/everything`` later.
///
/// Source: spec, store-and-forward §4.3; the order is [ours].
public struct PrekeyChange: Hashable, Sendable {
    /// Whether our bundle should be sent.
    public enum Publication: Hashable, Sendable {
        /// Nothing about it changed.
        case unneeded
        /// Its date did, or a prekey was used: send it if ``BundleThrottle`` lets it pass.
        case throttled
        /// Prekeys came or went otherwise than by being used: send it at once.
        case forced
    }

    /// Records to put, in the order of their numbers; a consumed one first.
    public var written: [StoredPrekey] = []
    /// Records to remove, ascending.
    public var removed: [UInt32] = []
    /// The sequence to put, if it changed.
    public var sequence: PrekeySequence?
    /// What to do about the bundle once all this is committed.
    public var publication = Publication.unneeded

    /// Nothing changed.
    public init() {}

    /// Whether there is nothing to write down.
    public var isEmpty: Bool { written.isEmpty && removed.isEmpty && sequence == nil }
}
