import Domain

/// Tells the mesh that we are here: at once where a link came up, and again at the pace that the surroundings ask for.
///
/// Source: spec, mesh §12.
final class AnnouncePresence<C: Cryptography> {
    /// Our nickname, NFC.
    var nickname: String
    private let keys: IdentityKeys<C>
    private let registry: PeerRegistry
    private let transmitter: Transmitter<C>
    private let ports: NodePorts
    private let cryptography: C
    private var lastSent: Uptime?
    private var scheduledAt: Uptime?

    init(
        nickname: String, keys: IdentityKeys<C>, registry: PeerRegistry, transmitter: Transmitter<C>, ports: NodePorts,
        cryptography: C
    ) {
        self.nickname = nickname
        self.keys = keys
        self.registry = registry
        self.transmitter = transmitter
        self.ports = ports
        self.cryptography = cryptography
    }

    /// Announces now, or as soon as the throttle for forced announces allows; requests that meet are one.
    func announceSoon(after delay: Milliseconds = 0) {
        let now = ports.clock.uptime
        let allowed = lastSent.map { $0 + MeshPolicy.forcedAnnounceInterval } ?? now
        let time = max(now + delay, allowed)
        if time <= now { return send() }
        // The earliest of the requests that wait counts: a link that came up must not wait for an afterglow.
        if let scheduledAt, scheduledAt <= time { return }
        scheduledAt = time
        ports.scheduler.schedule(.announce, at: time)
    }

    /// The scheduled moment is here.
    func fired() {
        scheduledAt = nil
        announceSoon()
    }

    /// The periodic announce, asked for in every maintenance tick.
    func maintain(lastTraffic: Uptime?) {
        let now = ports.clock.uptime
        let isDue = AnnounceCadence.isDue(
            sinceLast: lastSent.map { now - $0 }, sinceTraffic: lastTraffic.map { now - $0 }, degree: registry.degree,
            draw: ports.randomness.number(in:))
        if isDue { announceSoon() }
    }

    private func send() {
        guard transmitter.links.count > 0 else { return }
        let neighbours = registry.connected.map(\.id).prefix(Announce.maximumNeighboursSent)
        let limit = transmitter.links.ids.compactMap { transmitter.links[$0]?.description.frameLimit }.min() ?? .max
        // An announce in fragments is not direct and binds no link: fewer neighbours until it fits (mesh §12.1).
        for count in stride(from: neighbours.count, through: 0, by: -1) {
            guard let packet = packet(neighbours: Array(neighbours.prefix(count))) else { return }
            let size = packet.encoded(padding: false, using: ports.compression)?.count ?? .max
            if size <= limit || count == 0 {
                lastSent = ports.clock.uptime
                _ = transmitter.send(packet)
                return
            }
        }
    }

    private func packet(neighbours: [PeerID]) -> Packet? {
        let announce = Announce(
            nickname: nickname, noiseKey: cryptography.agreementPublicKey(of: keys.noise).bytes.bytes,
            signingKey: cryptography.signingPublicKey(of: keys.signing).bytes.bytes, neighbours: neighbours,
            capabilities: NodeCapabilities.announced)
        return announce.encoded.flatMap { transmitter.sign(transmitter.makePacket(.announce, payload: $0)) }
    }
}

/// What this node can do. Only what is built is announced (spec: packet §4.2).
enum NodeCapabilities {
    /// Nothing yet that has a bit: private media, prekeys, groups and vouches come with later work.
    static let announced = Capabilities()
}
