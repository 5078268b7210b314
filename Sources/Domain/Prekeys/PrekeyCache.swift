/// Other people's prekeys, and which of them we used for what.
///
/// Bounded by the number of owners; an owner has at most eight prekeys, so there are at most eight marks for each.
///
/// Source: spec, store-and-forward §4.4; noise §10.4, §10.5.
public struct PrekeyCache: Sendable {
    /// What became of a bundle.
    public enum Insertion: Hashable, Sendable {
        /// What we have is as new or newer.
        case ignored
        /// It is kept: put this record, and remove that of the owner who had to give way, in one append.
        case stored(CachedBundle, evicted: AgreementPublicKey?)
    }

    /// A prekey for a message.
    public struct Assignment: Hashable, Sendable {
        /// The prekey to seal to.
        public let prekey: Prekey
        /// The record to put if the message did not have it before. Nothing sealed to the prekey leaves before that is
        /// committed, or a crash could give it to a second message. When the commit fails, put
        /// ``PrekeyCache/subscript(_:)`` again before another attempt.
        public let changed: CachedBundle?
    }

    private var bundles: [AgreementPublicKey: CachedBundle] = [:]
    private var order = RecencyOrder<AgreementPublicKey>()
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most owners.
    public init(capacity: Int = PrekeyPolicy.maximumOwners) { self.capacity = capacity }

    /// Takes up what was written down, in any order.
    ///
    /// - Returns: The cache, and the owners for whom there is no room, whose records are to be removed.
    public static func restoring(
        _ records: [CachedBundle], capacity: Int = PrekeyPolicy.maximumOwners
    ) -> (cache: PrekeyCache, dropped: [AgreementPublicKey]) {
        var (cache, dropped) = (PrekeyCache(capacity: capacity), [AgreementPublicKey]())
        for record in records.sorted(by: { ($0.updatedAt, $0.owner.bytes) < ($1.updatedAt, $1.owner.bytes) }) {
            if let evicted = cache.keep(record) { dropped.append(evicted) }
        }
        return (cache, dropped)
    }

    /// The number of owners.
    public var count: Int { bundles.count }

    /// What we have of an owner.
    public subscript(owner: AgreementPublicKey) -> CachedBundle? { bundles[owner] }

    /// Keeps a bundle that was found good, if it is newer than the one we have.
    ///
    /// What we used stays used, and a message keeps its prekey, as long as the new bundle offers it too.
    public mutating func insert(_ bundle: PrekeyBundle, at now: WallTime) -> Insertion {
        let known = bundles[bundle.offer.owner]
        if let known, bundle.offer.generatedAt <= known.bundle.offer.generatedAt { return .ignored }
        let record = CachedBundle(bundle: bundle, updatedAt: now, spent: known?.spent ?? [])
        let evicted = keep(record)
        return .stored(record, evicted: evicted)
    }

    /// Chooses what to seal a message to; the same message gets the same prekey again, so that all its copies share one.
    ///
    /// - Parameters:
    ///   - announced: What the recipient's announce says that it can do, if it is known on the mesh now, an announce without
    ///     capabilities being an empty set; `nil` when it is not known. Who stopped offering prekeys may have lost them.
    /// - Returns: `nil` for: seal to the static key. The bundle is missing or too old, the recipient does not use prekeys, or
    ///   all of them are used.
    public mutating func assign(
        _ message: MessageID, to recipient: AgreementPublicKey, announced: Capabilities?, at now: WallTime
    ) -> Assignment? {
        if let announced, !announced.contains(.prekeys) { return nil }
        guard var record = bundles[recipient],
            !record.bundle.offer.generatedAt.isStale(at: now, maximumAge: PrekeyPolicy.maximumBundleAge)
        else { return nil }
        if let prekey = record.prekey(of: message) { return Assignment(prekey: prekey, changed: nil) }
        guard let prekey = record.spend(on: message) else { return nil }
        bundles[recipient] = record
        return Assignment(prekey: prekey, changed: record)
    }

    /// Puts a record at the newest end; answers the owner that had to give way.
    private mutating func keep(_ record: CachedBundle) -> AgreementPublicKey? {
        bundles[record.owner] = record
        order.touch(record.owner)
        guard bundles.count > capacity, let oldest = order.removeOldest() else { return nil }
        bundles[oldest] = nil
        return oldest
    }
}
