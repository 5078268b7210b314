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
    /// Whether what is scheduled must not be dropped by the throttle.
    private var isOwed = false

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

    /// Announces after a delay, unless the throttle for forced announces refuses then: somebody has just been told.
    ///
    /// Requests that wait at the same time are one, and the earliest counts: what is sent then serves the others too.
    func announceSoon(after delay: Milliseconds = 0) {
        let now = ports.clock.uptime
        guard delay > 0 else {
            if allowedAt <= now { send() }
            return
        }
        if let scheduledAt, scheduledAt <= now + delay { return }
        schedule(at: now + delay)
    }

    /// Announces now, or as soon as the throttle allows; for what nobody has been told yet.
    ///
    /// - Returns: When the announce goes, if not now.
    func announceSurely() -> Uptime? {
        let now = ports.clock.uptime
        // One that went this very moment went everywhere.
        guard lastSent != now else { return nil }
        let due = allowedAt
        guard due > now else {
            send()
            return nil
        }
        isOwed = true
        schedule(at: due)
        return due
    }

    /// The scheduled moment is here.
    func fired() {
        scheduledAt = nil
        let isOwed = isOwed
        self.isOwed = false
        if isOwed { _ = announceSurely() } else { announceSoon() }
    }

    /// The throttle: when the next forced announce may go.
    private var allowedAt: Uptime { lastSent.map { $0 + MeshPolicy.forcedAnnounceInterval } ?? ports.clock.uptime }

    private func schedule(at time: Uptime) {
        scheduledAt = time
        ports.scheduler.schedule(.announce, at: time)
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
        guard transmitter.links.count > 0, transmitter.hold == nil else { return }
        guard let packet = fittingPacket() else { return }
        lastSent = ports.clock.uptime
        isOwed = false
        if transmitter.send(packet) { releaseLinks() }
    }

    /// The announce with as many neighbours as every link carries in one frame: in fragments it is not direct and binds no
    /// link (mesh §12.1). Links that are too narrow for it even without neighbours do not count: they get fragments anyhow.
    private func fittingPacket() -> Packet? {
        let neighbours = registry.connected.map(\.id).prefix(Announce.maximumNeighboursSent)
        let limits = transmitter.links.ids.compactMap { transmitter.links[$0]?.description.frameLimit }
        guard let narrowest = limits.min(), let full = packet(neighbours: Array(neighbours)) else { return nil }
        if size(of: full) <= narrowest { return full }
        guard let bare = packet(neighbours: []) else { return nil }
        let bareSize = size(of: bare)
        guard let limit = limits.filter({ $0 >= bareSize }).min() else { return bare }
        if size(of: full) <= limit { return full }
        for count in stride(from: neighbours.count - 1, to: 0, by: -1) {
            guard let packet = packet(neighbours: Array(neighbours.prefix(count))) else { return nil }
            if size(of: packet) <= limit { return packet }
        }
        return bare
    }

    private func size(of packet: Packet) -> Int {
        packet.encoded(padding: false, using: ports.compression)?.count ?? .max
    }

    /// Every link has been told who we are; what waited for that on new ones goes.
    private func releaseLinks() {
        for link in transmitter.links.ids { transmitter.queues.greeted(link) }
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
