/// How many sync requests of one peer are answered: each may replay the whole store.
///
/// A request that is refused does not count. Of too many peers the one answered longest ago is forgotten: to forget is to
/// answer eight more, which an identity costs anyway.
///
/// Source: spec, store-and-forward §5.8 (6).
public struct SyncResponseLimiter: Sendable {
    private var windows: [PeerID: RateWindow] = [:]
    private var order = RecencyOrder<PeerID>()

    /// Starts with nobody counted.
    public init() {}

    /// The number of peers counted.
    public var count: Int { windows.count }

    /// Whether a request of this peer may be answered now; counts it if so.
    public mutating func admit(_ requester: PeerID, at now: Uptime) -> Bool {
        var window =
            windows[requester]
            ?? RateWindow(limit: SyncPolicy.responsesPerWindow, window: SyncPolicy.responseWindow)
        guard window.allows(at: now) else { return false }
        window.record(at: now)
        windows[requester] = window
        order.touch(requester)
        if order.count > SyncPolicy.maximumRequesters { forgetOldest() }
        return true
    }

    /// Forgets the peers of whom no answer counts any more; due every ``SyncPolicy/tick``.
    public mutating func prune(at now: Uptime) {
        while let oldest = order.oldest, windows[oldest]?.isIdle(at: now) ?? true { forgetOldest() }
    }

    private mutating func forgetOldest() {
        if let oldest = order.removeOldest() { windows[oldest] = nil }
    }
}
