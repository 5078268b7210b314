import Domain

/// Keeps one talker, or one text from many identities, from flooding the timeline.
///
/// Source: spec, app §5.5.
struct PublicRateLimiter {
    /// Messages at once, and per second, from one sender.
    private static let senderBurst: Int64 = 5
    private static let senderPerSecond: Int64 = 1
    /// The same text at once; one more every two seconds, so counted in halves.
    private static let textBurst: Int64 = 6
    private static let textPerSecond: Int64 = 1
    private static let textPrice: Int64 = 2
    /// Buckets kept of each kind; attackers mint keys.
    private static let maximumBuckets = 2000
    /// A bucket untouched this long is forgotten.
    private static let idleTime: Milliseconds = .seconds(600)

    private var senders: [PeerID: Entry] = [:]
    private var texts: [ContentKey: Entry] = [:]

    private struct Entry {
        var bucket: TokenBucket
        var last: Uptime
    }

    /// Buckets held, of both kinds.
    var bucketCount: Int { senders.count + texts.count }

    /// Takes a token of the sender and, if there was one, a token of the text; both are needed.
    mutating func allows(_ text: String, from sender: PeerID, at now: Uptime) -> Bool {
        guard
            Self.take(
                1, sender, &senders, TokenBucket(capacity: Self.senderBurst, perSecond: Self.senderPerSecond, at: now),
                now)
        else { return false }
        return Self.take(
            Self.textPrice, ContentKey(text), &texts,
            TokenBucket(capacity: Self.textBurst, perSecond: Self.textPerSecond, at: now), now)
    }

    private static func take<Key: Hashable & Comparable>(
        _ price: Int64, _ key: Key, _ entries: inout [Key: Entry], _ fresh: TokenBucket, _ now: Uptime
    ) -> Bool {
        if entries[key] == nil, entries.count >= maximumBuckets {
            entries = entries.filter { now - $0.value.last < idleTime }
            if entries.count >= maximumBuckets,
                let oldest = entries.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })
            {
                entries[oldest.key] = nil
            }
        }
        var entry = entries[key] ?? Entry(bucket: fresh, last: now)
        let allowed = entry.bucket.spend(price, at: now)
        entry.last = now
        entries[key] = entry
        return allowed
    }
}
