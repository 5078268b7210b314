import Domain

/// Writes down who came, went or changed; within a budget, so that invented identities cannot push messages out of the
/// event log.
final class PeerEvents {
    private let links: LinkTable
    private let ports: NodePorts
    private let counters: Counters
    private var all: TokenBucket

    init(links: LinkTable, ports: NodePorts, counters: Counters) {
        self.links = links
        self.ports = ports
        self.counters = counters
        all = TokenBucket(MeshPolicy.peerEventsInAll, at: ports.clock.uptime)
    }

    /// Logs a change. A new session is always logged: handshakes are bounded themselves.
    ///
    /// - Parameter link: The link that the peer is known through.
    func report(_ kind: PeerChange.Kind, _ peer: PeerID, name: String, on link: LinkID?) {
        switch kind {
        case .appeared, .left, .renamed:
            guard affords(\.peerEvents, on: link), all.spend(1, at: ports.clock.uptime) else {
                return counters.add(.peerEventsNotLogged)
            }
        case .keyConflict:
            guard affords(\.keyAlarms, on: link) else { return counters.add(.keyAlarmsNotLogged) }
        case .connected, .disconnected:
            guard affords(\.linkEvents, on: link) else { return counters.add(.peerEventsNotLogged) }
        case .secured: break
        }
        _ = ports.journal.append(
            .event(.peer(PeerChange(kind: kind, peer: peer, name: name, at: ports.clock.wall))))
    }

    /// Spends from the link's budget; a link that is gone has none, and what it brought leaves within the budget of all.
    private func affords(_ budget: WritableKeyPath<LinkBudgets, TokenBucket>, on link: LinkID?) -> Bool {
        guard let link, links[link] != nil else { return true }
        return links.spend(of: budget, on: link, at: ports.clock.uptime)
    }
}
