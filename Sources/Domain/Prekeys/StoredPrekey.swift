/// A prekey of ours as a store keeps it.
///
/// Source: spec, noise §10.3.
public struct StoredPrekey: Hashable, Sendable {
    /// Our number for it.
    public let id: UInt32
    /// The private key under the wrapping key of ``LocalPrekeys``: 12 bytes nonce, 32 bytes ciphertext, 16 bytes tag.
    public let wrapped: [UInt8]
    /// The date of the first offer that it was in.
    public let createdAt: WallTime
    /// When mail to it was first opened; `nil` before.
    public var consumedAt: WallTime?

    /// Makes a record.
    public init(id: UInt32, wrapped: [UInt8], createdAt: WallTime, consumedAt: WallTime? = nil) {
        self.id = id
        self.wrapped = wrapped
        self.createdAt = createdAt
        self.consumedAt = consumedAt
    }

    /// The first moment at which it must not exist any more (spec: store-and-forward §4.3; both spans are inclusive).
    public var expiry: WallTime {
        let end = consumedAt.map { $0.adding(PrekeyPolicy.grace) } ?? createdAt.adding(PrekeyPolicy.retention)
        return end.adding(1)
    }

    /// Whether its time is over: then it opens nothing, even if it is still there.
    public func isOver(at now: WallTime) -> Bool { now >= expiry }
}

/// What of our prekeys outlives all of them.
///
/// Without it a node whose prekeys are all gone would start again at 0, and bundles with the old numbers are still about.
///
/// Source: spec, store-and-forward §4.3.
public struct PrekeySequence: Hashable, Sendable {
    /// The number that the next prekey gets; wraps around.
    public var nextID: UInt32
    /// The date of our offer. Others take a bundle only if it is newer than the one they have.
    public private(set) var generatedAt: WallTime

    /// Makes a record.
    public init(nextID: UInt32 = 0, generatedAt: WallTime = WallTime(milliseconds: 0)) {
        self.nextID = nextID
        self.generatedAt = generatedAt
    }

    /// Dates the offer anew, later than before even if the clock is not.
    mutating func advance(at now: WallTime) { generatedAt = max(now, generatedAt.adding(1)) }
}
