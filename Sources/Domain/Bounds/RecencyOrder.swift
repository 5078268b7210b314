/// Keys in the order in which they were last used; every operation takes constant time.
///
/// For tables that let go of what was silent longest. The order depends on the calls alone, never on hashes.
public struct RecencyOrder<Key: Hashable & Sendable>: Sendable {
    private struct Node {
        var key: Key
        var older: Int?
        var newer: Int?
    }

    private var places: [Key: Int] = [:]
    private var nodes: [Node] = []
    private var vacant: [Int] = []
    private var oldestPlace: Int?
    private var newestPlace: Int?

    /// Starts empty.
    public init() {}

    /// The number of keys.
    public var count: Int { places.count }

    /// The key that was not used for longest.
    public var oldest: Key? { oldestPlace.map { nodes[$0].key } }

    /// Whether the key is in the order.
    public func contains(_ key: Key) -> Bool { places[key] != nil }

    /// Puts a key, new or known, at the newest end.
    public mutating func touch(_ key: Key) {
        if let place = places[key] {
            guard place != newestPlace else { return }
            unlink(place)
            link(place)
            return
        }
        let place: Int
        if let free = vacant.popLast() {
            place = free
            nodes[place].key = key
        } else {
            place = nodes.count
            nodes.append(Node(key: key))
        }
        places[key] = place
        link(place)
    }

    /// Takes a key out; `false` when it was not there.
    @discardableResult
    public mutating func remove(_ key: Key) -> Bool {
        guard let place = places.removeValue(forKey: key) else { return false }
        unlink(place)
        vacant.append(place)
        return true
    }

    /// Takes out the key that was not used for longest.
    public mutating func removeOldest() -> Key? {
        guard let key = oldest else { return nil }
        remove(key)
        return key
    }

    private mutating func link(_ place: Int) {
        nodes[place].older = newestPlace
        nodes[place].newer = nil
        if let newestPlace { nodes[newestPlace].newer = place } else { oldestPlace = place }
        newestPlace = place
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (nodes[place].older, nodes[place].newer)
        if let older { nodes[older].newer = newer } else { oldestPlace = newer }
        if let newer { nodes[newer].older = older } else { newestPlace = older }
    }
}
