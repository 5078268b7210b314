/// The packets that were processed lately: insertion-ordered, bounded, and never refreshed by a hit.
///
/// A ring of entries, oldest first, and a table of their places beside it, so that every operation costs the same few
/// dozen nanoseconds (a trim, its share of it).
///
/// A trim takes from the links that filled it most, so that a flood on one link cannot make the node forget, and relay
/// once more, what came on the others. Memory: 72 bytes an entry, 1.2 MiB at the full capacity, twice that in a trim.
///
/// Source: spec, mesh §5.
public struct SeenPackets: Sendable {
    private struct Entry {
        let key: DedupKey
        let hash: UInt64
        let time: Uptime
        /// The link that it came on first.
        let link: UInt64
    }

    private let lifetime: Milliseconds
    private let capacity: Int
    private let afterTrim: Int
    private let seed: UInt64

    /// Entries by sequence number; the number's low bits are the place.
    private var ring: [Entry?]
    /// Open addressing with linear probing: low bits of a sequence number plus one; 0 is a free slot.
    private var slots: [UInt32]
    /// The sequence number of the oldest entry.
    private var first = 0
    /// The sequence number that the next entry gets.
    private var next = 0

    /// Starts empty.
    ///
    /// - Parameters:
    ///   - seed: Random bits that spread the keys, so that nobody can choose packets that collide.
    ///   - lifetime: How long a packet is remembered, inclusive.
    ///   - capacity: The most packets that a check leaves behind.
    public init(
        seed: UInt64, lifetime: Milliseconds = DedupPolicy.processedLifetime,
        capacity: Int = DedupPolicy.processedCapacity
    ) {
        self.seed = seed
        self.lifetime = lifetime
        self.capacity = capacity
        afterTrim = capacity * DedupPolicy.processedAfterTrim / DedupPolicy.processedCapacity
        ring = []
        slots = []
        allocate(places: 16)
    }

    /// The number of remembered packets.
    public var count: Int { next - first }

    /// Checks for a packet and remembers it.
    ///
    /// - Parameter link: The number of the link that it came on; 0 for none.
    /// - Returns: `true` when it was known, and then nothing changed.
    public mutating func checkAndInsert(_ key: DedupKey, on link: UInt64 = 0, at now: Uptime) -> Bool {
        expire(at: now)
        let hash = key.mixed(with: seed)
        guard slot(of: key, hash: hash) == nil else { return true }
        insert(Entry(key: key, hash: hash, time: now, link: link))
        if count > capacity { trim() }
        return false
    }

    /// Remembers a packet without expiry or trimming; a known one keeps its time.
    public mutating func mark(_ key: DedupKey, at now: Uptime) {
        let hash = key.mixed(with: seed)
        guard slot(of: key, hash: hash) == nil else { return }
        insert(Entry(key: key, hash: hash, time: now, link: 0))
    }

    /// Whether a packet is known; one that is over age counts until the next cleanup.
    public func contains(_ key: DedupKey) -> Bool { slot(of: key, hash: key.mixed(with: seed)) != nil }

    /// Forgets what is over age; due every 15 s.
    public mutating func cleanUp(at now: Uptime) { expire(at: now) }

    /// Forgets everything.
    public mutating func reset() {
        (first, next) = (0, 0)
        allocate(places: 16)
    }

    private mutating func expire(at now: Uptime) {
        while first < next, let oldest = ring[first & (ring.count - 1)], now - oldest.time > lifetime { removeOldest() }
    }

    private func slot(of key: DedupKey, hash: UInt64) -> Int? {
        let (slotMask, ringMask) = (slots.count - 1, ring.count - 1)
        var slot = Int(truncatingIfNeeded: hash) & slotMask
        while slots[slot] != 0 {
            if let entry = ring[(Int(slots[slot]) - 1) & ringMask], entry.hash == hash, entry.key == key { return slot }
            slot = (slot + 1) & slotMask
        }
        return nil
    }

    private mutating func insert(_ entry: Entry) {
        if count == ring.count { grow() }
        let place = next & (ring.count - 1)
        ring[place] = entry
        link(hash: entry.hash, to: place)
        next += 1
    }

    private mutating func link(hash: UInt64, to place: Int) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(truncatingIfNeeded: place + 1)
    }

    private mutating func removeOldest() {
        let place = first & (ring.count - 1)
        first += 1
        guard let entry = ring[place], let freed = slot(of: entry.key, hash: entry.hash) else { return }
        ring[place] = nil
        closeGap(at: freed)
    }

    /// Moves later entries of a probe run back, so that no run is broken by the freed slot.
    private mutating func closeGap(at freed: Int) {
        let (slotMask, ringMask) = (slots.count - 1, ring.count - 1)
        var gap = freed
        var slot = (gap + 1) & slotMask
        while slots[slot] != 0 {
            let hash = ring[(Int(slots[slot]) - 1) & ringMask]?.hash ?? 0
            let home = Int(truncatingIfNeeded: hash) & slotMask
            if (slot - home) & slotMask >= (slot - gap) & slotMask {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = (slot + 1) & slotMask
        }
        slots[gap] = 0
    }

    /// Sets up empty storage for a power of two of entries, with four slots each so that runs stay short.
    private mutating func allocate(places: Int) {
        ring = [Entry?](repeating: nil, count: places)
        slots = [UInt32](repeating: 0, count: places * 4)
    }

    private var entries: [Entry] { (first..<next).compactMap { ring[$0 & (ring.count - 1)] } }

    private mutating func grow() { rebuild(entries, places: ring.count * 2) }

    /// Drops the oldest entries of the links that hold the most, until so many are left as a trim leaves.
    private mutating func trim() {
        let entries = entries
        var shares = FairShares<UInt64>()
        for entry in entries { shares.add(1, to: entry.link) }
        let level = shares.level(keeping: afterTrim)
        let kept = entries.filter { entry in
            guard shares[entry.link] > level else { return true }
            shares.add(-1, to: entry.link)
            return false
        }
        rebuild(kept, places: ring.count)
    }

    private mutating func rebuild(_ entries: [Entry], places: Int) {
        allocate(places: places)
        (first, next) = (0, 0)
        for entry in entries {
            ring[next] = entry
            link(hash: entry.hash, to: next)
            next += 1
        }
    }
}
