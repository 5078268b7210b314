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
    /// Buckets kept of each kind; attackers mint keys. The one untouched for longest goes first.
    static let maximumBuckets = 2000

    private var senders = Buckets<PeerID>()
    private var texts = Buckets<ContentKey>()

    private struct Buckets<Key: Hashable & Sendable> {
        var entries: [Key: TokenBucket] = [:]
        private var order = RecencyOrder<Key>()

        /// Takes tokens from a key's bucket, which is new if the key is.
        mutating func take(_ price: Int64, of key: Key, fresh: TokenBucket, at now: Uptime) -> Bool {
            if entries[key] == nil, entries.count >= maximumBuckets, let oldest = order.removeOldest() {
                entries[oldest] = nil
            }
            order.touch(key)
            return entries[key, default: fresh].spend(price, at: now)
        }
    }

    /// Buckets held, of both kinds.
    var bucketCount: Int { senders.entries.count + texts.entries.count }

    /// Takes a token of the sender and, if there was one, a token of the text; both are needed.
    mutating func allows(_ text: String, from sender: PeerID, at now: Uptime) -> Bool {
        let sender = senders.take(
            1, of: sender, fresh: TokenBucket(capacity: Self.senderBurst, perSecond: Self.senderPerSecond, at: now),
            at: now)
        return sender
            && texts.take(
                Self.textPrice, of: ContentKey(text),
                fresh: TokenBucket(capacity: Self.textBurst, perSecond: Self.textPerSecond, at: now), at: now)
    }
}
