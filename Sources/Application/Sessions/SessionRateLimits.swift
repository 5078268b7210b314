import Domain

/// One budget for each peer (or each peer on each link) and one for all, asked in the order: all, then the peer.
///
/// Source: spec, noise §3.7.
struct PeerRateLimit<Peer: Hashable> {
    private let perPeer: Int
    private let window: Milliseconds
    private var all: RateWindow
    private var peers: [Peer: RateWindow] = [:]

    init(perPeer: Int, inAll: Int, window: Milliseconds) {
        self.perPeer = perPeer
        self.window = window
        all = RateWindow(limit: inAll, window: window)
    }

    /// Spends one unit, if both budgets have one; a refusal costs nothing.
    mutating func spend(for peer: Peer, at now: Uptime) -> Bool {
        guard allows(for: peer, at: now) else { return false }
        peers[peer, default: RateWindow(limit: perPeer, window: window)].record(at: now)
        all.record(at: now)
        return true
    }

    /// Whether both budgets have a unit.
    func allows(for peer: Peer, at now: Uptime) -> Bool {
        all.allows(at: now) && peers[peer]?.allows(at: now) ?? true
    }

    /// Forgets peers whose window has run out; the global budget bounds how many there are.
    mutating func prune(at now: Uptime) { peers = peers.filter { !$0.value.isIdle(at: now) } }
}

/// A peer on one link: whoever borrows its name elsewhere must not use up what it may do here.
struct PeerOnLink: Hashable {
    let peer: PeerID
    let link: LinkID?
}

/// What handshakes may cost: those that we begin, those of neighbours on their own links, and all others have budgets of
/// their own, so that a stranger with invented senders stops none but strangers.
struct HandshakeLimits {
    private var own = Self.limit(of: PeerID.self)
    private var neighbours = Self.limit(of: PeerOnLink.self)
    private var others = Self.limit(of: PeerOnLink.self)

    private static func limit<Peer>(of: Peer.Type) -> PeerRateLimit<Peer> {
        PeerRateLimit(
            perPeer: SessionPolicy.handshakesPerPeer, inAll: SessionPolicy.handshakesInAll,
            window: SessionPolicy.handshakeWindow)
    }

    /// Spends a unit for a handshake that we begin.
    mutating func spendOwn(for peer: PeerID, at now: Uptime) -> Bool { own.spend(for: peer, at: now) }

    /// Spends a unit for a message of a peer's.
    ///
    /// - Parameter isOwnLink: Whether the link is the peer's own.
    mutating func spend(for peer: PeerID, on link: LinkID?, isOwnLink: Bool, at now: Uptime) -> Bool {
        let sender = PeerOnLink(peer: peer, link: link)
        return isOwnLink ? neighbours.spend(for: sender, at: now) : others.spend(for: sender, at: now)
    }

    /// Forgets those whose window has run out.
    mutating func prune(at now: Uptime) {
        own.prune(at: now)
        neighbours.prune(at: now)
        others.prune(at: now)
    }
}
