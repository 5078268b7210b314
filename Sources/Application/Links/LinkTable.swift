import Domain

/// One live link and what is known about its far end.
struct LinkState {
    let description: LinkDescription
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
    /// What this link may still cost.
    var budgets: LinkBudgets

    init(_ description: LinkDescription, at now: Uptime) {
        self.description = description
        budgets = LinkBudgets(at: now)
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
    private var boundLinks: [PeerID: [LinkID]] = [:]

    /// The number of live links.
    var count: Int { ids.count }

    subscript(id: LinkID) -> LinkState? { states[id] }

    /// Adds a link that came up.
    func insert(_ description: LinkDescription, at now: Uptime) {
        guard states[description.id] == nil else { return }
        states[description.id] = LinkState(description, at: now)
        ids.append(description.id)
    }

    /// Forgets a link that went down; answers its last state.
    func remove(_ id: LinkID) -> LinkState? {
        guard let state = states.removeValue(forKey: id) else { return nil }
        ids.removeAll { $0 == id }
        if let peer = state.boundPeer { unlist(id, from: peer) }
        return state
    }

    /// Changes the state of a link in place; no effect when it is gone.
    func update<Result>(_ id: LinkID, _ change: (inout LinkState) -> Result) -> Result? {
        guard let place = states.index(forKey: id) else { return nil }
        return change(&states.values[place])
    }

    /// Binds a link to a peer, or with `nil` to nobody; the earlier binding's proof ends.
    func bind(_ id: LinkID, to peer: PeerID?) {
        guard let state = states[id], state.boundPeer != peer else { return }
        if let old = state.boundPeer { unlist(id, from: old) }
        states[id]?.boundPeer = peer
        states[id]?.provenPeer = nil
        states[id]?.isUnprovable = false
        if let peer { boundLinks[peer, default: []].append(id) }
    }

    /// The links bound to a peer in the order of preference: those that we opened, the one bound last first (earlier ones
    /// are often stale), then those that the peer opened, oldest first (spec: mesh §13.1).
    func links(boundTo peer: PeerID) -> [LinkID] {
        let bound = boundLinks[peer] ?? []
        return bound.reversed().filter(isOutgoing) + bound.filter { !isOutgoing($0) }.sorted()
    }

    /// Whether any link is bound to the peer.
    func hasLink(to peer: PeerID) -> Bool { boundLinks[peer] != nil }

    /// Whether a link bound to the peer was proved by a handshake.
    func hasAuthenticatedLink(to peer: PeerID) -> Bool {
        (boundLinks[peer] ?? []).contains { states[$0]?.authenticatedPeer == peer }
    }

    /// Ends the proofs of all links bound to the peer.
    func retireProofs(of peer: PeerID) {
        for id in boundLinks[peer] ?? [] { states[id]?.provenPeer = nil }
    }

    private func isOutgoing(_ id: LinkID) -> Bool { states[id]?.description.isOutgoing ?? false }

    private func unlist(_ id: LinkID, from peer: PeerID) {
        boundLinks[peer]?.removeAll { $0 == id }
        if boundLinks[peer]?.isEmpty == true { boundLinks[peer] = nil }
    }
}
