import Domain

/// Where a packet may go.
struct Destination {
    /// What the packet is; several types have rules of their own.
    let type: MessageType
    /// Send to this peer's link, if it has one; else to everyone, who will pass it on.
    var peer: PeerID?
    /// This link alone, as long as it is bound to the peer: what is to prove the link must not take another.
    var via: LinkID?
    /// Nobody but that peer may get it.
    var requiresDirect = false
    /// Only a link that a handshake proved is enough for the peer: anybody can replay an announce and so claim to be the far
    /// end of a link. Without one the packet goes there and everywhere else.
    var needsProof = false
    /// The link that the packet came in on: never sent back there.
    var ingress: LinkID?
    /// The peer that the packet came from: none of its links gets it back.
    var source: PeerID?
    /// A direct announce is what binds links, so it goes on each of them, also on a second one to the same peer.
    var isDirectAnnounce = false
    /// The packet's name; seeds the choice among many links.
    let key: DedupKey

    /// The same for the packet's fragments: those of a broadcast leave on all links, not on a subset, and a fragmented
    /// announce is never direct.
    var fragmented: Destination {
        Destination(
            type: .fragment, peer: peer, requiresDirect: requiresDirect, needsProof: needsProof, ingress: ingress,
            source: source, key: key)
    }
}

/// Which links a handshake message of ours may take.
enum HandshakeWay: Equatable {
    /// Those that claim to end at the peer; when no answer came that way before, all others too.
    case claimed
    /// One link, which it is to prove, as long as it is bound to the peer.
    case via(LinkID)
    /// One that was proved; without one, all.
    case proved
}

extension LinkTable {
    /// The links that a packet leaves on (spec: mesh §9).
    func select(_ destination: Destination, using cryptography: some Cryptography) -> [LinkID] {
        if let via = destination.via, let peer = destination.peer, self[via]?.boundPeer == peer { return [via] }
        var (opened, accepted) = (openedIDs, acceptedIDs)
        if let peer = destination.peer, hasUsableLink(to: peer, provedOnly: destination.needsProof) {
            // The target is a neighbour: what leads elsewhere plays no part.
            let own = links(boundTo: peer)
            (opened, accepted) = (own.filter(isOutgoing), own.filter { !isOutgoing($0) })
        }
        let isSeeded = destination.peer == nil && max(opened.count, accepted.count) > 2
        let request = Fanout.Request(
            type: destination.type, target: destination.peer, requiresDirect: destination.requiresDirect,
            collapses: !destination.isDirectAnnounce, seed: isSeeded ? Array(destination.key.text.utf8) : [])
        let (ours, theirs) = (candidates(opened, for: destination), candidates(accepted, for: destination))
        let places = Fanout.select(request, opened: ours.traits, accepted: theirs.traits, using: cryptography)
        return places.map { $0 < ours.links.count ? ours.links[$0] : theirs.links[$0 - ours.links.count] }
    }

    /// The links that come into question, and what the choice needs to know of each.
    private func candidates(
        _ ids: [LinkID], for destination: Destination
    ) -> (links: [LinkID], traits: [Fanout.Candidate]) {
        var candidates: (links: [LinkID], traits: [Fanout.Candidate]) = ([], [])
        candidates.links.reserveCapacity(ids.count)
        candidates.traits.reserveCapacity(ids.count)
        for id in ids {
            guard let state = self[id] else { continue }
            var peer = state.boundPeer
            let isOnly = peer.map(hasOneLink) ?? true
            if let bound = peer, state.authenticatedPeer == nil {
                if !isOnly, hasAuthenticatedLink(to: bound) {
                    // The peer has a link that is proved; one that only claims to be its own must not stand in for it.
                    if !destination.isDirectAnnounce { continue }
                } else if !state.isAnnounced || destination.needsProof && bound == destination.peer {
                    peer = nil
                }
            }
            // A peer's only link is its preferred one if we opened it; most peers have one.
            let isPreferred =
                state.description.isOutgoing && (isOnly ? peer != nil : peer.map { preferred(by: $0) == id } ?? false)
            let isExcluded =
                id == destination.ingress || destination.source != nil && state.boundPeer == destination.source
            candidates.links.append(id)
            candidates.traits.append(
                Fanout.Candidate(
                    name: state.fanoutName, peer: peer, isPreferred: isPreferred, isExcluded: isExcluded))
        }
        return candidates
    }
}
