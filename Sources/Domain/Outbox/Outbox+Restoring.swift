extension Outbox {
    /// What putting stored entries back has changed.
    public struct Restoration: Hashable, Sendable {
        /// Entries that differ from what is stored, to be written down again.
        public let changed: [Entry]
        /// Entries that found no room: the oldest.
        public let dropped: [Drop]
    }

    /// Puts entries from the disk back, beside what this run has put in already.
    ///
    /// Of a message that is in both, the fields of this run count, the larger number of attempts, and the couriers of both. The
    /// lists are ordered by time. Marks are of this run: what is put back has none.
    ///
    /// Source: spec, store-and-forward §1.12 rules 2 to 4.
    ///
    /// - Parameter acknowledged: What was confirmed in this run before the disk could be read; it does not come back.
    public mutating func restore(_ entries: [Entry], acknowledged: Set<Key> = []) -> Restoration {
        var (owners, changed): (Set<Owner>, [Key]) = ([], [])
        for var entry in entries where !acknowledged.contains(entry.key) {
            entry.isDurable = true
            owners.insert(entry.owner)
            if merge(entry) { changed.append(entry.key) }
        }
        var dropped: [Drop] = []
        for owner in owners.sorted() {
            dropped += change(owner) { list in
                list.sortByTime()
                return list.keepLast(OutboxPolicy.entriesPerOwner)
            }.map { Drop(entry: $0, reason: .overflow) }
        }
        dropped += trim()
        return Restoration(changed: changed.compactMap { self[$0] }, dropped: dropped)
    }

    /// Merges a stored entry; answers whether the result differs from it.
    private mutating func merge(_ stored: Entry) -> Bool {
        change(stored.owner) { list in
            let merged = list.update(stored.id) { slot in
                slot.entry.inherit(from: stored)
                slot.entry.sendAttempts = max(slot.entry.sendAttempts, stored.sendAttempts)
                return slot.entry
            }
            if merged == nil { list.append(stored, isMarked: false) }
            return merged.map { $0 != stored } ?? false
        }
    }

    /// Drops the oldest of all that are too many.
    private mutating func trim() -> [Drop] {
        let excess = count - capacity
        guard excess > 0 else { return [] }
        return sorted(lists.values.lazy.flatMap(\.slots)).prefix(excess)
            .compactMap { drop($0.key, because: .overflow) }
    }
}
