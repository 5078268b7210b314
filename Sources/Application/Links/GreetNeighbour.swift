import Domain

/// What a link that came up gets once its far end listens: an announce of ours, and then what waits for a link.
///
/// The announce goes first: until a neighbour has it, it cannot tell whose link this is, and Android drops what we sign. A
/// device that keeps coming back is told less and less, so that nobody collects identities by reconnecting.
///
/// Source: spec, mesh §11, §12.2; ble-gatt §8.
final class GreetNeighbour<C: Cryptography> {
    private let links: LinkTable
    private let presence: AnnouncePresence<C>
    private let transmitter: Transmitter<C>
    private let ports: NodePorts
    private let counters: Counters
    private var limiter = SubscriptionLimiter<String>()

    init(
        links: LinkTable, presence: AnnouncePresence<C>, transmitter: Transmitter<C>, ports: NodePorts,
        counters: Counters
    ) {
        self.links = links
        self.presence = presence
        self.transmitter = transmitter
        self.ports = ports
        self.counters = counters
    }

    /// A link came up and is in the table.
    ///
    /// - Parameter isFresh: Whether links come up at a bearable rate; else it gets the next announce, and none of its own.
    func linkUp(_ description: LinkDescription, isFresh: Bool) {
        let now = ports.clock.uptime
        let verdict = isFresh ? judge(description, at: now) : .limited
        if verdict != .allow { counters.add(.announcesWithheld) }
        guard verdict != .suppress else { return }
        _ = links.update(description.id) { $0.isOwedAnnounce = verdict == .allow }
        if verdict == .allow { transmitter.queues.awaitGreeting(on: description.id) }
        let settling = description.isOutgoing ? 0 : MeshPolicy.acceptedLinkSettling
        ports.scheduler.schedule(.linkSettled(description.id), at: now + settling)
    }

    /// The link has been up long enough; or the announce that it was owed, and that the throttle held back, is out.
    func settled(_ link: LinkID) {
        guard let state = links[link] else { return }
        if state.isOwedAnnounce {
            _ = links.update(link) { $0.isOwedAnnounce = false }
            if let due = presence.announceSurely() {
                return ports.scheduler.schedule(.linkSettled(link), at: due)
            }
        }
        transmitter.queues.greeted(link)
        transmitter.flushSpool()
    }

    /// A radio went off: what is remembered of devices by their addresses has lost its meaning.
    func forgetDevices() { limiter.reset() }

    /// Who opens a link to us must not come back too often; whom we look for ourselves gets everything.
    private func judge(_ description: LinkDescription, at now: Uptime) -> SubscriptionVerdict {
        guard !description.isOutgoing, let device = description.device else { return .allow }
        return limiter.judge(device, at: now)
    }
}
