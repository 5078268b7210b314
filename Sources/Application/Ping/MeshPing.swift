import Domain

/// Probes the mesh: asks a peer for an echo, and answers within a budget per link.
///
/// The claimed sender of a ping can be forged, so it must not be the key of the budget. Source: spec, mesh §18.
final class MeshPing<C: Cryptography> {
    private let localPeer: PeerID
    private let links: LinkTable
    private let registry: PeerRegistry
    private let transmitter: Transmitter<C>
    private let ports: NodePorts
    private let counters: Counters
    private var pending: [UInt64: (peer: PeerID, sentAt: Uptime)] = [:]
    /// Probes that may be under way at once. [ours]: memory.
    static var maximumPending: Int { 64 }

    init(
        localPeer: PeerID, links: LinkTable, registry: PeerRegistry, transmitter: Transmitter<C>, ports: NodePorts,
        counters: Counters
    ) {
        self.localPeer = localPeer
        self.links = links
        self.registry = registry
        self.transmitter = transmitter
        self.ports = ports
        self.counters = counters
    }

    /// Probes under way.
    var pendingCount: Int { pending.count }

    /// Sends a probe; the result comes as ``Notice/ping(_:)`` under the identifier answered here.
    func send(to peer: PeerID) throws(Refusal) -> UInt64 {
        guard peer != localPeer else { throw .invalid("that is this node itself") }
        if let hold = transmitter.hold { throw hold }
        guard registry[peer] != nil else { throw .noSuchPeer(peer.hex) }
        guard registry.isReachable(peer, at: ports.clock.uptime) else { throw .notReachable(peer) }
        guard pending.count < Self.maximumPending else { throw .busy("too many pings are under way") }
        let nonce = ports.randomness.next()
        pending[nonce] = (peer, ports.clock.uptime)
        ports.scheduler.schedule(.ping(nonce), at: ports.clock.uptime + MeshPolicy.pingTimeout)
        let payload = PingPayload(nonce: nonce, originTTL: MeshPolicy.originTTL)
        guard transmitter.send(transmitter.makePacket(.ping, to: peer, payload: payload.encoded)) else {
            pending[nonce] = nil
            ports.scheduler.cancel(.ping(nonce))
            throw .busy("no link takes the ping now")
        }
        return nonce
    }

    /// Answers a ping that is for us.
    func receive(ping packet: Inbound) {
        guard packet.view.recipient == localPeer else { return }
        guard let probe = PingPayload(packet.payload) else { return counters.add(.droppedMalformedPayload) }
        let now = ports.clock.uptime
        let isAllowed =
            links.update(packet.link) { state -> Bool in
                guard state.budgets.pingAnswers.allows(at: now) else { return false }
                state.budgets.pingAnswers.record(at: now)
                return true
            } ?? false
        guard isAllowed else { return counters.add(.droppedPingBudget) }
        let echo = PingPayload(nonce: probe.nonce, originTTL: MeshPolicy.originTTL)
        _ = transmitter.send(transmitter.makePacket(.pong, to: packet.sender, payload: echo.encoded))
    }

    /// Takes an answer; it counts only with a nonce of ours and from the peer that was asked.
    func receive(pong packet: Inbound) {
        guard packet.view.recipient == localPeer else { return }
        guard let echo = PingPayload(packet.payload) else { return counters.add(.droppedMalformedPayload) }
        guard let probe = pending[echo.nonce], probe.peer == packet.sender else { return }
        pending[echo.nonce] = nil
        ports.scheduler.cancel(.ping(echo.nonce))
        // A rebuilt packet has lost its hop count.
        let hops = packet.isRebuilt ? nil : echo.hops(receivedTTL: packet.ttl)
        let roundTrip = max(0, (ports.clock.uptime - probe.sentAt).count)
        ports.events.emit(.ping(PingResult(id: echo.nonce, peer: probe.peer, roundTrip: roundTrip, hops: hops)))
    }

    /// Nobody answered in time.
    func timedOut(_ nonce: UInt64) {
        guard let probe = pending.removeValue(forKey: nonce) else { return }
        ports.events.emit(.ping(PingResult(id: nonce, peer: probe.peer, roundTrip: nil, hops: nil)))
    }
}
