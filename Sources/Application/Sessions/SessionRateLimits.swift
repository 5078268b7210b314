import Domain

/// One budget for each peer and one for all, asked in the order: all, then the peer.
///
/// Source: spec, noise §3.7.
struct PeerRateLimit {
    private let perPeer: Int
    private let window: Milliseconds
    private var all: RateWindow
    private var peers: [PeerID: RateWindow] = [:]

    init(perPeer: Int, inAll: Int, window: Milliseconds) {
        self.perPeer = perPeer
        self.window = window
        all = RateWindow(limit: inAll, window: window)
    }

    /// Spends one unit, if both budgets have one; a refusal costs nothing.
    mutating func spend(for peer: PeerID, at now: Uptime) -> Bool {
        guard all.allows(at: now) else { return false }
        var own = peers[peer] ?? RateWindow(limit: perPeer, window: window)
        guard own.allows(at: now) else { return false }
        own.record(at: now)
        all.record(at: now)
        peers[peer] = own
        return true
    }

    /// Forgets peers whose window has run out; the global budget bounds how many there are.
    mutating func prune(at now: Uptime) { peers = peers.filter { !$0.value.isIdle(at: now) } }
}
