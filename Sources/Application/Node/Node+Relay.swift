import Domain

/// Passing packets on: along their route, or by the rules of their class, a random little while later.
///
/// Source: spec, mesh §7, §8, §17.3.
extension Node {
    /// Decides about a packet that its handler found fit to be passed on.
    func passOn(_ packet: Inbound, key: DedupKey) {
        guard !packet.isRebuilt else { return }
        // Ciphertext for nobody is never sent (spec: mesh §10.3). An announce takes no route [ours]: one that is forwarded
        // with the TTL as it came could arrive with the mark of a direct one.
        guard packet.type != .noiseEncrypted || packet.view.recipient != nil else { return counters.add(.droppedRelay) }
        if packet.view.hopCount > 0, packet.type != .announce, !followsNoRoute(packet, key: key) { return }
        guard
            let decision = RelayDecision(
                of: packet.view, payload: packet.payload, localPeer: id, degree: registry.degree)
        else { return }
        guard relayBudget.spendRelay(on: packet.link, at: ports.clock.uptime) else { return }
        let job = ScheduledRelays.Job(
            key: key, view: packet.view, priority: OutboundPriority(type: packet.type, payload: packet.payload),
            ttl: decision.ttl, link: packet.link, from: packet.from)
        let delay = Milliseconds(ports.randomness.number(in: decision.delay))
        counters.add(.droppedRelay, relays.schedule(job, at: ports.clock.uptime + delay))
    }

    /// Lets a packet with a route take its next hop; `true` when it is to be treated like one without.
    private func followsNoRoute(_ packet: Inbound, key: DedupKey) -> Bool {
        let forwarding = RouteForwarding(of: packet.view, route: packet.view.route, localPeer: id) {
            registry[$0]?.isConnected == true
        }
        switch forwarding {
        case .flood: return true
        case .forward(let hop):
            guard relayBudget.spendRelay(on: packet.link, at: ports.clock.uptime) else { return false }
            return transmitter.forward(packet, key: key, to: hop) == .nowhere
        case .suppress:
            if packet.view.recipient != id { counters.add(.droppedRoute) }
            return false
        }
    }

    /// A relay's moment is here: never back to where the packet came from, as far as is known by now.
    func relayNow(_ number: UInt64) {
        guard let job = relays.take(number) else { return }
        let record = ingress[job.key]
        transmitter.relay(
            job.view, key: job.key, job.priority, ttl: job.ttl, ingress: record?.link ?? job.link,
            source: record?.peer ?? job.from)
    }

    /// A neighbour passed on what we were about to: ours would only cost air, unless the mesh is thin here.
    ///
    /// The reference drops the duplicate before it looks for the relay, so that phones hardly ever give one up
    /// (spec: mesh §8, quirk Q3).
    func giveUpRelay(of key: DedupKey) {
        guard settings.cancelsRelays, RelayDecision.duplicateCancels(degree: registry.degree), relays.cancel(key) else {
            return
        }
        counters.add(.relaysCancelled)
    }
}
