import Domain

/// Texts shown lately: the same one again within a second has come by another way. Bounded.
///
/// Source: spec, app §5.3.
struct RecentTexts {
    /// Texts whose times differ by less are one; the senders' clocks count.
    private static let window: UInt64 = 1000
    /// Texts remembered.
    static let capacity = 2000

    private var times: [ContentKey: WallTime] = [:]
    private var order: [ContentKey] = []

    /// The number of texts.
    var count: Int { order.count }

    /// Remembers a text; `false` when a near-equal one was written within a second of it.
    mutating func insert(_ text: String, sentAt: WallTime) -> Bool {
        let key = ContentKey(text)
        if let known = times[key], known.distance(to: sentAt) < Self.window { return false }
        if times.updateValue(sentAt, forKey: key) == nil { order.append(key) }
        if order.count > Self.capacity {
            let half = order.count / 2
            for old in order.prefix(half) { times[old] = nil }
            order.removeFirst(half)
        }
        return true
    }
}
