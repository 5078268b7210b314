/// The entries for one peer, in the order in which they were put in; found by message without a walk along them.
struct OutboxList<Owner: Hashable & Comparable & Sendable>: Sendable {
    /// An entry with what is known of it in this run only.
    struct Slot: Sendable {
        var entry: OutboxEntry<Owner>
        /// The secure mark: its last transmission went into an established session.
        var isMarked: Bool
        /// Rises along the list.
        fileprivate(set) var place: UInt64
    }

    /// Ascending by place.
    private(set) var slots: [Slot] = []
    /// How many of the entries a courier could be given.
    private(set) var seeking = 0
    private var places: [MessageID: UInt64] = [:]
    private var nextPlace: UInt64 = 0

    /// The number of entries.
    var count: Int { slots.count }

    /// The entry of a message.
    subscript(id: MessageID) -> Slot? { index(of: id).map { slots[$0] } }

    /// Puts an entry at the end; there must be none with its message.
    mutating func append(_ entry: OutboxEntry<Owner>, isMarked: Bool) {
        slots.append(Slot(entry: entry, isMarked: isMarked, place: nextPlace))
        places[entry.id] = nextPlace
        nextPlace += 1
        if entry.seeksCouriers { seeking += 1 }
    }

    /// Changes an entry where it is; `nil` when there is none. The message's name must stay.
    mutating func update<Result>(_ id: MessageID, _ change: (inout Slot) -> Result) -> Result? {
        guard let index = index(of: id) else { return nil }
        if slots[index].entry.seeksCouriers { seeking -= 1 }
        defer { if slots[index].entry.seeksCouriers { seeking += 1 } }
        return change(&slots[index])
    }

    /// Takes an entry out.
    mutating func remove(_ id: MessageID) -> Slot? {
        guard let index = index(of: id) else { return nil }
        let slot = slots.remove(at: index)
        forget(slot)
        return slot
    }

    /// Takes the first entries out, so that at most so many are left; answers them in order.
    mutating func keepLast(_ limit: Int) -> [OutboxEntry<Owner>] {
        let removed = slots.prefix(max(0, slots.count - limit))
        slots.removeFirst(removed.count)
        for slot in removed { forget(slot) }
        return removed.map(\.entry)
    }

    /// Takes out, in one pass, all entries that are meant; answers them in order.
    mutating func removeAll(where isMeant: (OutboxEntry<Owner>) -> Bool) -> [OutboxEntry<Owner>] {
        let removed = slots.filter { isMeant($0.entry) }
        guard !removed.isEmpty else { return [] }
        slots.removeAll { isMeant($0.entry) }
        for slot in removed { forget(slot) }
        return removed.map(\.entry)
    }

    /// Orders by time; what was written in one millisecond keeps its order.
    mutating func sortByTime() {
        slots.sort { ($0.entry.timestamp, $0.place) < ($1.entry.timestamp, $1.place) }
        for index in slots.indices {
            slots[index].place = UInt64(index)
            places[slots[index].entry.id] = UInt64(index)
        }
        nextPlace = UInt64(slots.count)
    }

    private mutating func forget(_ slot: Slot) {
        places[slot.entry.id] = nil
        if slot.entry.seeksCouriers { seeking -= 1 }
    }

    private func index(of id: MessageID) -> Int? {
        guard let place = places[id] else { return nil }
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].place == place ? low : nil
    }
}
