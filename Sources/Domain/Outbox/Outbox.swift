/// Our private messages that wait for their recipients' confirmation, one list for each.
///
/// An entry stays until its recipient confirms it, whatever was sent in the meantime. Everything is told apart by recipient
/// and message, so that nobody can touch what is for somebody else.
///
/// The owner of a list is any name of a peer. Where all names of one peer mean the same list, as the short ID does, mail
/// written to an absent favorite is found when it connects; in the reference it lies under another name and is not.
///
/// What a call changes it answers, so that it can be written down: an entry to be put in place of its earlier version, a drop
/// or a removed entry to be taken away.
///
/// Source: spec, store-and-forward §1.
public struct Outbox<Owner: Hashable & Comparable & Sendable>: Sendable {
    /// An entry of this outbox.
    public typealias Entry = OutboxEntry<Owner>
    /// The name of an entry.
    public typealias Key = OutboxKey<Owner>
    /// An entry that was given up.
    public typealias Drop = OutboxDrop<Owner>

    var lists: [Owner: OutboxList<Owner>] = [:]
    /// Owners with an entry that a courier could be given.
    var seekers: Set<Owner> = []
    /// Entries in all lists.
    public private(set) var count = 0
    let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most entries in all lists.
    public init(capacity: Int = OutboxPolicy.entriesInAll) { self.capacity = capacity }

    // MARK: Looking

    /// Those for whom something is kept, ascending.
    public var owners: [Owner] { lists.keys.sorted() }

    /// A peer's entries, in the order in which they are sent.
    ///
    /// A flush goes along this and asks for a step for each: what an acknowledgement takes out meanwhile is gone then.
    public func entries(of owner: Owner) -> [Entry] { lists[owner]?.slots.map(\.entry) ?? [] }

    /// An entry.
    public subscript(key: Key) -> Entry? { lists[key.owner]?[key.id]?.entry }

    /// How many more messages for a peer are kept without one being dropped for them.
    public func freePlaces(for owner: Owner) -> Int {
        min(OutboxPolicy.entriesPerOwner - (lists[owner]?.count ?? 0), max(0, capacity - count))
    }

    /// Whether the last transmission went into a session that stood, and is not confirmed yet.
    public func isMarked(_ key: Key) -> Bool { lists[key.owner]?[key.id]?.isMarked ?? false }

    // MARK: Putting in

    /// What became of an entry that was to be put in.
    public enum Admission: Hashable, Sendable {
        /// It is in, in this form; `displaced` had to make room.
        case queued(Entry, displaced: Drop?)
        /// It is not in.
        case refused(Refusal)
    }

    /// Why an entry is not put in.
    public enum Refusal: Hashable, Sendable {
        /// Neither the mesh nor a courier's seal can hold it: more than 255 bytes of text or of identifier.
        case tooLong
        /// As many messages wait as may.
        case full
    }

    /// Puts a message in, at the end of its recipient's list.
    ///
    /// One that is in already moves there, with the new time and attempts; couriers that hold it stay noted, so that none of
    /// them gets a second copy. Beyond 100 the first of the list is dropped. The message is not sent with this:
    /// see ``begin(_:by:)``.
    public mutating func enqueue(_ entry: Entry) -> Admission {
        guard PrivateMessagePayload(id: entry.id, content: entry.content).encoded != nil else {
            return .refused(.tooLong)
        }
        // Another version of the message, or the first of a full list, makes room itself.
        let takesPlace = self[entry.key] == nil && lists[entry.owner]?.count ?? 0 < OutboxPolicy.entriesPerOwner
        guard !takesPlace || count < capacity else { return .refused(.full) }
        return change(entry.owner) { list in
            var entry = entry
            let earlier = list.remove(entry.id)
            if let earlier { entry.inherit(from: earlier.entry) }
            list.append(entry, isMarked: earlier?.isMarked ?? false)
            let displaced = list.keepLast(OutboxPolicy.entriesPerOwner).first
            return .queued(entry, displaced: displaced.map { Drop(entry: $0, reason: .overflow) })
        }
    }

    /// The disk has a message.
    ///
    /// - Returns: The entry, when this is news: now it may be told as queued. `nil` when it is gone, or was durable before.
    public mutating func committed(_ key: Key) -> Entry? {
        guard self[key]?.isDurable == false else { return nil }
        return update(key) { $0.isDurable = true }
    }

    /// The disk will never have a change of a message: one that was never there is taken out, for it would be lost with this
    /// run. One that is there in an earlier form stays. What was dropped to make room stays dropped.
    public mutating func commitFailed(_ key: Key) -> Drop? {
        guard self[key]?.isDurable == false else { return nil }
        return drop(key, because: .notKept)
    }

    /// Gives an entry a new time of writing, where the old one was read from a clock that was wrong: else a corrected clock
    /// ages it by years. [ours]
    public mutating func restamp(_ key: Key, at now: WallTime) -> Entry? { update(key) { $0.timestamp = now } }

    /// A peer's Noise key became known: from now on couriers can take its messages. Answers the entries that changed.
    public mutating func learn(_ recipientKey: AgreementPublicKey, of owner: Owner) -> [Entry] {
        entries(of: owner).filter { $0.recipientKey == nil }
            .compactMap { entry in update(entry.key) { $0.recipientKey = recipientKey } }
    }

    // MARK: Taking out

    /// A recipient confirmed a message: it goes from the lists of exactly these names of that peer.
    ///
    /// - Returns: What was taken out; empty when nothing was, which changes nothing about the receipt's other effects.
    public mutating func acknowledge(_ id: MessageID, by aliases: [Owner]) -> [Entry] {
        // One name given twice finds nothing the second time.
        aliases.compactMap { remove(Key(owner: $0, id: id)) }
    }

    /// Drops everything that was tried for too long, in one pass; by owner, then in the order of the lists.
    public mutating func expire(at now: WallTime) -> [Drop] {
        owners.flatMap { owner in
            change(owner) { list in list.removeAll { $0.isExpired(at: now) } }
                .map { Drop(entry: $0, reason: .age) }
        }
    }

    // MARK: Shared with the other parts

    mutating func drop(_ key: Key, because reason: Drop.Reason) -> Drop? {
        remove(key).map { Drop(entry: $0, reason: reason) }
    }

    private mutating func remove(_ key: Key) -> Entry? {
        guard lists[key.owner] != nil else { return nil }
        return change(key.owner) { $0.remove(key.id)?.entry }
    }

    mutating func update(_ key: Key, _ edit: (inout Entry) -> Void) -> Entry? {
        guard lists[key.owner] != nil else { return nil }
        return change(key.owner) { list in
            list.update(key.id) { slot in
                edit(&slot.entry)
                return slot.entry
            }
        } ?? nil
    }

    mutating func mark(_ key: Key, as isMarked: Bool) {
        guard lists[key.owner] != nil else { return }
        change(key.owner) { list in _ = list.update(key.id) { $0.isMarked = isMarked } }
    }

    /// Changes a list, in place, and keeps the figures about it.
    mutating func change<Result>(_ owner: Owner, _ body: (inout OutboxList<Owner>) -> Result) -> Result {
        let before = lists[owner]?.count ?? 0
        let result = body(&lists[owner, default: OutboxList()])
        let (after, seeking) = (lists[owner]?.count ?? 0, lists[owner]?.seeking ?? 0)
        count += after - before
        if after == 0 { lists[owner] = nil }
        if seeking > 0 { seekers.insert(owner) } else { seekers.remove(owner) }
        return result
    }
}
