import Domain

/// Sends what the outbox holds, when its peer can be reached: at first, when the peer comes back, and over a new session.
///
/// Source: spec, store-and-forward §1.3 to §1.8.
final class FlushOutbox<C: Cryptography> {
    private let registry: PeerRegistry
    private let sessions: Sessions<C>
    private let outbox: DurableOutbox
    private let chat: PrivateChat<C>
    private let transmitter: Transmitter<C>
    private let ports: NodePorts
    /// Peers with mail that were out of reach since their mail was last sent; all of them, at the start.
    private var away: Set<PeerID>

    init(
        registry: PeerRegistry, sessions: Sessions<C>, outbox: DurableOutbox, chat: PrivateChat<C>,
        transmitter: Transmitter<C>, ports: NodePorts
    ) {
        self.registry = registry
        self.sessions = sessions
        self.outbox = outbox
        self.chat = chat
        self.transmitter = transmitter
        self.ports = ports
        away = Set(outbox.outbox.owners)
        outbox.dropped = { [unowned chat] in chat.giveUp($0) }
    }

    /// What is known about the ways to a peer. Relays on the internet are not built yet.
    private func signals(of peer: PeerID) -> TransportSignals {
        let entry = registry[peer]
        return TransportSignals(
            mesh: PeerSignals(
                isKnown: entry != nil, isConnected: entry?.isConnected ?? false,
                silence: entry.map { ports.clock.uptime - $0.lastSeen } ?? 0, hasNeighbours: registry.degree > 0,
                hasSession: sessions.established(with: peer) != nil))
    }

    /// A new message takes its first way; without any it waits for its peer.
    func dispatch(_ entry: OutboxEntry<PeerID>) {
        guard transmitter.hold == nil else { return }
        let route = SendRoute(signals(of: entry.owner))
        guard let begun = outbox.begin(entry.key, by: route) else { return }
        if route.transport == .mesh { chat.take(begun) } else { away.insert(entry.owner) }
    }

    /// A peer was heard of. One that came back gets what waits for it, and again what it never confirmed.
    ///
    /// - Parameter isBack: Whether it is a neighbour that was none before.
    func peerAnnounced(_ peer: PeerID, isBack: Bool) {
        let wasAway = away.remove(peer) != nil
        guard wasAway || isBack, transmitter.hold == nil else { return }
        // What was written to a peer that we knew by name only could not be sealed for couriers.
        if let key = registry[peer]?.noiseKey { outbox.learn(key, of: peer) }
        outbox.flush(outbox.keys(of: peer), isRetry: false, signals: { signals(of: peer) }) { entry, _ in
            chat.take(entry)
        }
    }

    /// A session stands: what went over an earlier one may have met nobody.
    func sessionEstablished(with peer: PeerID) {
        outbox.flush(outbox.markedKeys(of: peer), isRetry: true, signals: { signals(of: peer) }) { entry, _ in
            chat.take(entry)
        }
    }

    /// The clock is right again: what was written meanwhile is dated now, and leaves.
    func clockIsRight() {
        for entry in outbox.restampUnsent() { dispatch(entry) }
    }

    /// Notes who is out of reach.
    func maintain() {
        let now = ports.clock.uptime
        for peer in outbox.outbox.owners where !registry.isReachable(peer, at: now) { away.insert(peer) }
        away = away.filter { !outbox.outbox.entries(of: $0).isEmpty }
    }

    /// Gives up what is too old; with a wrong clock nothing is known to be.
    func sweep() {
        if transmitter.hold == nil { outbox.expire() }
        ports.scheduler.schedule(.outboxSweep, at: ports.clock.uptime + OutboxPolicy.sweepInterval)
    }
}
