import Domain

/// One live link and what is known about its far end.
struct LinkState {
    let description: LinkDescription
    /// When it came up.
    let upSince: Uptime
    /// Whether it gets an announce of its own once it has settled.
    var isOwedAnnounce = false
    /// The peer that announced itself on this link; a claim, until a handshake proves it.
    var boundPeer: PeerID?
    /// The peer whose Noise handshake completed on this very link. Counts only while it is also the bound peer.
    var provenPeer: PeerID?
    /// When the bound peer last changed to another one.
    var reboundAt: Uptime?
    /// When a session was last proved again because of this link.
    var revalidatedAt: Uptime?
    /// A handshake made for this link's sake completed without proving it: its messages came another way.
    var isUnprovable = false
    /// Its peer announced itself on it verifiably, so that the binding is more than a sender field.
    var isAnnounced = false
    /// A handshake that we began on it stayed without an answer: who is at its far end is in doubt.
    var isDoubtful = false
    /// The link's name in the fanout's draw, UTF-8: random, because links that bear the same number at many nodes would be
    /// left out by all of them for the same packet. At most ten digits: what is hashed then fits one block of SHA-256.
    let fanoutName: [UInt8]
    /// What this link may still cost.
    var budgets: LinkBudgets

    init(_ description: LinkDescription, tag: UInt64, at now: Uptime, isSpent: Bool) {
        self.description = description
        upSince = now
        fanoutName = Array(String(tag >> 24, radix: 16).utf8)
        budgets = LinkBudgets(at: now, isSpent: isSpent)
    }

    /// The peer that provably holds the far end now.
    var authenticatedPeer: PeerID? { provenPeer == boundPeer ? provenPeer : nil }
}

/// The live links and which peer each is bound to.
///
/// Source: spec, mesh §13, §14.
final class LinkTable {
    private var states: [LinkID: LinkState] = [:]
    /// Links in order of age; the order in which a packet leaves on several of them.
    private(set) var ids: [LinkID] = []
    private var freshLinks: TokenBucket?
    /// Links that we opened, in order of age.
    private(set) var openedIDs: [LinkID] = []
    /// Links that neighbours opened, in order of age.
    private(set) var acceptedIDs: [LinkID] = []
    /// Links in the order in which they were bound to each peer.
    private var boundLinks: [PeerID: [LinkID]] = [:]

    /// The number of live links.
    var count: Int { ids.count }

    subscript(id: LinkID) -> LinkState? { states[id] }

    /// Adds a link that came up; `tag` is random.
    ///
    /// - Returns: Whether its budgets are full; not when links come up too fast.
    func insert(_ description: LinkDescription, tag: UInt64, at now: Uptime) -> Bool {
        guard states[description.id] == nil else { return true }
        var fresh = freshLinks ?? TokenBucket(MeshPolicy.freshLinks, at: now)
        // Links that we open are as many as we want.
        let isFresh = description.isOutgoing || fresh.spend(1, at: now)
        freshLinks = fresh
        states[description.id] = LinkState(description, tag: tag, at: now, isSpent: !isFresh)
        ids.append(description.id)
        if description.isOutgoing { openedIDs.append(description.id) } else { acceptedIDs.append(description.id) }
        return isFresh
    }

    /// Forgets a link that went down; answers its last state.
    func remove(_ id: LinkID) -> LinkState? {
        guard let state = states.removeValue(forKey: id) else { return nil }
        ids.removeAll { $0 == id }
        openedIDs.removeAll { $0 == id }
        acceptedIDs.removeAll { $0 == id }
        if let peer = state.boundPeer { unlist(id, from: peer) }
        return state
    }

    /// Changes the state of a link in place; no effect when it is gone.
    func update<Result>(_ id: LinkID, _ change: (inout LinkState) -> Result) -> Result? {
        guard let place = states.index(forKey: id) else { return nil }
        return change(&states.values[place])
    }

    /// Binds a link to a peer, or with `nil` to nobody; the earlier binding's proof ends.
    ///
    /// Nobody is called like "everyone". A link that is bound to the peer already does not become its preferred one: anybody
    /// can replay announces.
    func bind(_ id: LinkID, to peer: PeerID?) {
        guard let state = states[id], state.boundPeer != peer, peer != .broadcast else { return }
        if let old = state.boundPeer { unlist(id, from: old) }
        states[id]?.boundPeer = peer
        states[id]?.provenPeer = nil
        states[id]?.isUnprovable = false
        states[id]?.isDoubtful = false
        states[id]?.isAnnounced = false
        if let peer { boundLinks[peer, default: []].append(id) }
    }

    /// The links bound to a peer in the order of preference: those that we opened, the one bound last first (earlier ones
    /// are often stale), then those that the peer opened, oldest first (spec: mesh §13.1).
    func links(boundTo peer: PeerID) -> [LinkID] {
        let bound = boundLinks[peer] ?? []
        if bound.count < 2 { return bound }
        return bound.reversed().filter(isOutgoing) + bound.filter { !isOutgoing($0) }.sorted()
    }

    /// Whether any link is bound to the peer.
    func hasLink(to peer: PeerID) -> Bool { boundLinks[peer] != nil }

    /// Whether just one link is bound to the peer.
    func hasOneLink(to peer: PeerID) -> Bool { boundLinks[peer]?.count == 1 }

    /// Whether a link of the peer may stand for it alone: one that was proved, or at least one where it announced itself.
    func hasUsableLink(to peer: PeerID, provedOnly: Bool) -> Bool {
        (boundLinks[peer] ?? []).contains { id in
            guard let state = states[id] else { return false }
            return state.authenticatedPeer == peer || !provedOnly && state.isAnnounced
        }
    }

    /// Whether a link bound to the peer was proved by a handshake.
    func hasAuthenticatedLink(to peer: PeerID) -> Bool {
        (boundLinks[peer] ?? []).contains { states[$0]?.authenticatedPeer == peer }
    }

    /// Whether another link than this one was proved to end at the peer.
    func hasAuthenticatedLink(to peer: PeerID, besides link: LinkID) -> Bool {
        (boundLinks[peer] ?? []).contains { $0 != link && states[$0]?.authenticatedPeer == peer }
    }

    /// Ends the proofs of all links bound to the peer.
    func retireProofs(of peer: PeerID) {
        for id in boundLinks[peer] ?? [] { states[id]?.provenPeer = nil }
    }

    /// The peer's preferred link: of those that we opened one that was proved, else the one bound last (spec: mesh §13).
    func preferred(by peer: PeerID) -> LinkID? {
        let opened = (boundLinks[peer] ?? []).filter(isOutgoing)
        return opened.last { states[$0]?.authenticatedPeer == peer } ?? opened.last
    }

    /// A handshake with the peer stayed without an answer: links that only claim to end at it are not to be trusted alone.
    func markDoubtful(_ peer: PeerID) {
        for id in boundLinks[peer] ?? [] where states[id]?.authenticatedPeer != peer { states[id]?.isDoubtful = true }
    }

    /// Whether every link of the peer is in doubt; not when it has none.
    func isInDoubt(_ peer: PeerID) -> Bool {
        guard let bound = boundLinks[peer], !hasAuthenticatedLink(to: peer) else { return false }
        return bound.allSatisfy { states[$0]?.isDoubtful == true }
    }

    func isOutgoing(_ id: LinkID) -> Bool { states[id]?.description.isOutgoing ?? false }

    private func unlist(_ id: LinkID, from peer: PeerID) {
        boundLinks[peer]?.removeAll { $0 == id }
        if boundLinks[peer]?.isEmpty == true { boundLinks[peer] = nil }
    }
}
