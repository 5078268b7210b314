import Domain

/// Writes down who came, went or changed; within a budget, so that invented identities cannot push messages out of the
/// event log.
final class PeerEvents {
    private let ports: NodePorts
    private let counters: Counters
    private var budget: TokenBucket
    /// Changes logged at once, and per second. [ours]: a crowd arriving fits the burst.
    private static let burst: Int64 = 100
    private static let perSecond: Int64 = 1

    init(ports: NodePorts, counters: Counters) {
        self.ports = ports
        self.counters = counters
        budget = TokenBucket(capacity: Self.burst, perSecond: Self.perSecond, at: ports.clock.uptime)
    }

    /// Logs a change. What concerns links and keys is always logged: links and handshakes are bounded themselves.
    func report(_ kind: PeerChange.Kind, _ peer: PeerID, name: String) {
        switch kind {
        case .appeared, .left, .renamed:
            guard budget.spend(1, at: ports.clock.uptime) else { return counters.add(.peerEventsNotLogged) }
        case .connected, .disconnected, .keyConflict, .secured: break
        }
        _ = ports.journal.append(
            .event(.peer(PeerChange(kind: kind, peer: peer, name: name, at: ports.clock.wall))))
    }
}
