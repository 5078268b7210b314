import Domain

/// Closes all but one of the links that we opened to a peer, after the peer announced itself directly and verifiably.
///
/// Links that the peer opened stay: the peer runs the same rule on them.
///
/// Source: spec, mesh §13.3.
final class RetireRedundantLinks {
    private let links: LinkTable
    private let queues: LinkQueues
    private let ports: NodePorts
    private let counters: Counters
    /// When links to each peer were last retired; those of a minute ago do not matter any more.
    private var retiredAt: [PeerID: Uptime] = [:]

    init(links: LinkTable, queues: LinkQueues, ports: NodePorts, counters: Counters) {
        self.links = links
        self.queues = queues
        self.ports = ports
        self.counters = counters
    }

    /// Retires what is redundant, once a handshake has proved the link that is to stay. [ours]: anybody can replay an
    /// announce on a link of ours; closing others for it would cut the peer off.
    ///
    /// - Parameter ingress: The link that the announce came in on.
    /// - Returns: The link that is to stay and has to be proved first.
    func callAsFunction(of peer: PeerID, announcedOn ingress: LinkID) -> LinkID? {
        let bound = links.links(boundTo: peer).filter(links.isOutgoing)
        guard bound.count > 1 else { return nil }
        let now = ports.clock.uptime
        retiredAt = retiredAt.filter { now - $0.value < MeshPolicy.retirementInterval }
        // A link layer tells of a link when frames can be sent on it.
        let candidates = bound.map {
            RedundantLinks.Candidate(link: $0, isWritable: true, connectedAt: links[$0]?.upSince)
        }
        guard
            let survivor = RedundantLinks.survivor(
                among: candidates, ingress: ingress, preferred: links.preferred(by: peer),
                retiredAt: retiredAt[peer], at: now)
        else { return nil }
        guard links[survivor]?.authenticatedPeer == peer else { return survivor }
        retiredAt[peer] = now
        for link in bound where link != survivor {
            // Identity first: nothing more may go there in the peer's name while the link closes.
            links.bind(link, to: nil)
            queues.forget(link)
            ports.links.close(link)
            counters.add(.linksRetired)
        }
        return nil
    }
}
