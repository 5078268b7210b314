/// Whom we asked lately: only they may send us old packets.
///
/// Broadcast requests are not noted, so nobody's answer to them is due.
///
/// Source: spec, store-and-forward §5.9.
public struct SyncRequests: Sendable {
    private var times: [PeerID: Uptime] = [:]
    /// The peer asked longest ago first.
    private var order = RecencyOrder<PeerID>()

    /// Starts with nobody asked.
    public init() {}

    /// The number of peers noted.
    public var count: Int { times.count }

    /// Notes that a request for this peer alone has been sent.
    public mutating func record(_ peer: PeerID, at now: Uptime) {
        times[peer] = now
        order.touch(peer)
        if order.count > SyncPolicy.maximumRequested { forgetOldest() }
    }

    /// Whether an answer of this peer is due: it was asked 30 s ago or later. Any number of packets may come.
    public func isAnswerDue(from peer: PeerID, at now: Uptime) -> Bool {
        IngressGuard.isSolicited(requestedAt: times[peer], at: now)
    }

    /// Forgets requests that can have no answer any more; due every ``SyncPolicy/tick``.
    public mutating func prune(at now: Uptime) {
        while let oldest = order.oldest, !isAnswerDue(from: oldest, at: now) { forgetOldest() }
    }

    private mutating func forgetOldest() {
        if let oldest = order.removeOldest() { times[oldest] = nil }
    }
}
