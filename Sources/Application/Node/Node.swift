import Domain

/// One member of the mesh: everything between "a frame came in on a link" and "bytes are handed to a link".
///
/// Synchronous and without I/O: whoever owns it calls its few entry points one after another, and everything that it
/// wants done goes out through ports that return at once. The same node runs in production, in tests and, by the
/// thousand, under a virtual clock.
public final class Node<C: Cryptography> {
    /// Our identifier.
    public let id: PeerID
    let settings: NodeSettings
    let ports: NodePorts
    let counters = Counters()
    let links = LinkTable()
    let registry = PeerRegistry()
    let outcomes = PendingOutcomes()
    let relayBudget: RelayBudget
    let peerEvents: PeerEvents
    let keys: IdentityKeys<C>
    let cryptography: C
    let names: DisplayNames
    let sessions: Sessions<C>
    let routes: Routes
    let transmitter: Transmitter<C>
    let relays: ScheduledRelays
    let clockWatch: WatchClock<C>
    let signatures: SignatureCheck<C>
    let signers: Signers<C>
    let presence: AnnouncePresence<C>
    let greeting: GreetNeighbour<C>
    let handleAnnounce: HandleAnnounce<C>
    let redundantLinks: RetireRedundantLinks
    let publicChat: PublicChat<C>
    let ledger: Ledger
    let outbox: DurableOutbox
    let privateChat: PrivateChat<C>
    let flushOutbox: FlushOutbox<C>
    let writePrivate: SendPrivate<C>
    let noise: ExchangeNoise<C>
    let files: TransferFiles<C>
    let pings: MeshPing<C>
    let startedAt: Uptime
    var ingress = IngressRegistry<LinkID>()
    var seen: SeenPackets
    var assemblies: FragmentAssemblies
    var lastTraffic: Uptime?
    private var ticks = 0
    /// Every so many ticks what has expired is swept out.
    private static var ticksPerSweep: Int {
        Int(FragmentPolicy.sweepInterval.count / MeshPolicy.maintenanceInterval.count)
    }
    /// After the goodbye nothing is said and nothing heard: an announce would bring us back.
    var isStopped = false
    var disconnects = RecentPeers(lifetime: MeshPolicy.disconnectReportInterval)

    /// Makes a node; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - keys: The identity.
    ///   - nickname: Our name, NFC, at most 255 bytes of UTF-8.
    ///   - stored: What the journal kept.
    public init(
        keys: IdentityKeys<C>, nickname: Nickname, stored: StoredState, settings: NodeSettings = NodeSettings(),
        ports: NodePorts, cryptography: C
    ) {
        self.settings = settings
        self.keys = keys
        self.ports = ports
        self.cryptography = cryptography
        let local = PeerID(of: cryptography.agreementPublicKey(of: keys.noise), using: cryptography)
        id = local
        startedAt = ports.clock.uptime
        relayBudget = RelayBudget(links: links, counters: counters, at: ports.clock.uptime)
        peerEvents = PeerEvents(links: links, ports: ports, counters: counters)
        seen = SeenPackets(seed: ports.randomness.next())
        assemblies = FragmentAssemblies(localPeer: local)
        let identities = KnownIdentities(
            stored.identities, links: links, ports: ports, counters: counters, cryptography: cryptography)
        names = DisplayNames(
            own: nickname.text, registry: registry, identities: identities, normalization: ports.normalization,
            cryptography: cryptography)
        signers = Signers(registry: registry, identities: identities)
        signatures = SignatureCheck(links: links, ports: ports, counters: counters, cryptography: cryptography)
        sessions = Sessions(localPeer: local, staticKey: keys.noise, ports: ports, cryptography: cryptography)
        routes = Routes(localPeer: local, registry: registry, ports: ports)
        relays = ScheduledRelays(ports.scheduler)
        clockWatch = WatchClock(
            localPeer: local, floor: stored.clockFloor, isTrusted: settings.trustsClock, links: links, ports: ports,
            counters: counters, cryptography: cryptography)
        transmitter = Transmitter(
            localPeer: local, signingKey: keys.signing, links: links, routes: routes, ports: ports,
            counters: counters, cryptography: cryptography)
        presence = AnnouncePresence(
            nickname: nickname.text, keys: keys, registry: registry, transmitter: transmitter, ports: ports,
            cryptography: cryptography)
        greeting = GreetNeighbour(
            links: links, presence: presence, transmitter: transmitter, ports: ports,
            counters: counters)
        redundantLinks = RetireRedundantLinks(
            links: links, queues: transmitter.queues, ports: ports, counters: counters)
        handleAnnounce = HandleAnnounce(
            localPeer: local, links: links, registry: registry, routes: routes, identities: identities,
            signatures: signatures, presence: presence, peerEvents: peerEvents, ports: ports, counters: counters,
            cryptography: cryptography)
        publicChat = PublicChat(
            localPeer: local, signers: signers, signatures: signatures, transmitter: transmitter, names: names,
            ports: ports, counters: counters, cryptography: cryptography)
        ledger = Ledger(journal: ports.journal, outcomes: outcomes, records: stored.records)
        outbox = DurableOutbox(ledger: ledger, records: stored.records, ports: ports)
        privateChat = PrivateChat(
            localPeer: local, registry: registry, routes: routes, sessions: sessions, transmitter: transmitter,
            outbox: outbox, outcomes: outcomes, names: names, ports: ports, counters: counters)
        flushOutbox = FlushOutbox(
            registry: registry, sessions: sessions, outbox: outbox, chat: privateChat, transmitter: transmitter,
            ports: ports)
        writePrivate = SendPrivate(
            localPeer: local, registry: registry, identities: identities, outbox: outbox, flush: flushOutbox,
            names: names, transmitter: transmitter, ports: ports)
        noise = ExchangeNoise(
            localPeer: local, keys: keys, links: links, registry: registry, identities: identities, sessions: sessions,
            chat: privateChat, transmitter: transmitter, presence: presence, names: names, peerEvents: peerEvents,
            ports: ports, counters: counters, cryptography: cryptography)
        files = TransferFiles(
            localPeer: local, signers: signers, signatures: signatures, transmitter: transmitter, names: names,
            ports: ports, counters: counters, cryptography: cryptography)
        pings = MeshPing(
            localPeer: local, links: links, registry: registry, transmitter: transmitter, ports: ports,
            counters: counters)
        connectParts()
        for event in stored.recentEvents {
            publicChat.remember(event)
            privateChat.remember(event)
        }
    }

    /// Tells the parts whom to call back.
    private func connectParts() {
        noise.isForRelay = settings.role == .relay
        noise.sessionStands = { [unowned self] in flushOutbox.sessionEstablished(with: $0) }
        files.isForRelay = settings.role == .relay
        publicChat.isForRelay = settings.role == .relay
        transmitter.holdsBack = { [unowned self] in clockWatch.isHolding ? clockWatch.refusal : nil }
        clockWatch.released = { [unowned self] in clockIsRight() }
        clockWatch.heldBack = { [unowned self] in transmitter.trains.abandonOwn() }
        transmitter.trains.finished = { [unowned self] in trainLeft($0) }
        registry.evicted = { [unowned self] in
            counters.add(.peersDisplaced)
            routes.forget($0.id)
            report(.left, $0)
        }
    }

    // MARK: Life

    /// Begins to announce and to keep house.
    public func start() {
        clockWatch.tellAtStart()
        presence.announceSoon(after: MeshPolicy.initialAnnounceDelay)
        flushOutbox.sweep()
        scheduleMaintenance()
    }

    /// Says goodbye; the links should stay up long enough to carry it (50 ms, spec: mesh §25).
    public func stop() {
        isStopped = true
        ports.scheduler.cancel(.announce)
        ports.scheduler.cancel(.maintenance)
        publicChat.giveUpHeld()
        guard links.count > 0, let leave = transmitter.sign(transmitter.makePacket(.leave, payload: [])) else {
            return
        }
        transmitter.sendOnEveryLink(leave)
    }

    // MARK: Links

    /// A link came up.
    public func linkUp(_ description: LinkDescription) {
        guard links.count < MeshPolicy.maximumLinks else {
            ports.events.emit(.log(.warning, "closed \(description.name): \(MeshPolicy.maximumLinks) links are open"))
            return ports.links.close(description.id)
        }
        guard description.frameLimit >= MeshPolicy.minimumFrameLimit else {
            let limit = "its frames hold \(description.frameLimit) bytes, \(MeshPolicy.minimumFrameLimit) are needed"
            ports.events.emit(.log(.warning, "closed \(description.name): \(limit)"))
            return ports.links.close(description.id)
        }
        let isFresh = links.insert(description, tag: ports.randomness.next(), at: ports.clock.uptime)
        ports.events.emit(.log(.info, "link up: \(description.name)"))
        if description.frameLimit < FragmentPolicy.frameBudget {
            let limit = "its frames hold \(description.frameLimit) bytes, phones use \(FragmentPolicy.frameBudget)"
            ports.events.emit(.log(.warning, "narrow link: \(description.name): \(limit); their files do not fit"))
        }
        greeting.linkUp(description, isFresh: isFresh)
    }

    /// A link is gone.
    public func linkDown(_ link: LinkID) {
        guard let state = links.remove(link) else { return }
        transmitter.queues.forget(link)
        ports.scheduler.cancel(.linkSettled(link))
        clockWatch.linkDown(link)
        ports.events.emit(.log(.info, "link down: \(state.description.name)"))
        guard let peer = state.boundPeer, !links.hasLink(to: peer) else { return }
        disconnect(peer)
        noise.linkLost(to: peer)
    }

    /// A link that was full takes frames again.
    public func linkWritable(_ link: LinkID) {
        guard links[link] != nil else { return }
        transmitter.drain(link)
    }

    /// A radio went off, and its links have gone down: devices that come back count as new (spec: mesh §12.2).
    public func adapterWentDown() { greeting.forgetDevices() }

    /// A peer has no link any more; it stays known for as long as it may be heard of through others.
    func disconnect(_ peer: PeerID) {
        guard let entry = registry[peer], entry.isConnected else { return }
        registry.update(peer) { $0.isConnected = false }
        if disconnects.insert(peer, at: ports.clock.uptime) { report(.disconnected, entry) }
    }

    func report(_ kind: PeerChange.Kind, _ entry: PeerEntry) {
        peerEvents.report(kind, entry.id, name: entry.nickname, on: entry.link)
    }

    // MARK: Time

    /// A timer is due.
    public func fired(_ timer: Timer) {
        guard !isStopped else { return }
        switch timer {
        case .maintenance: maintain()
        case .announce: presence.fired()
        case .relay(let number): relayNow(number)
        case .linkSettled(let link): greeting.settled(link)
        case .train(let id): transmitter.trains.advance(id)
        case .handshakeInitiator(let peer):
            noise.stayedUnanswered(by: peer)
            sessions.initiatorTimedOut(peer)
        case .handshakeResponder(let peer):
            noise.stayedUnanswered(by: peer)
            sessions.responderTimedOut(peer)
        case .handshakeGrace(let peer): sessions.graceEnded(peer)
        case .handshakeRecovery(let peer): sessions.recover(peer)
        case .privateConfirmation(let peer): privateChat.confirm(peer)
        case .privateQueue(let peer): privateChat.flush(peer)
        case .outboxSweep: flushOutbox.sweep()
        case .ping(let nonce): pings.timedOut(nonce)
        }
    }

    /// A packet has left in pieces: tell its sender, and let what had to wait behind it go.
    private func trainLeft(_ train: FragmentTrains.Train) {
        files.left(train)
        if train.isOwn, train.type == .noiseEncrypted, let peer = train.destination.peer { privateChat.flush(peer) }
    }

    /// What was held back for the clock's sake may go: who we are first, for phones drop what comes from strangers.
    private func clockIsRight() {
        guard !isStopped else { return }
        presence.announceSoon()
        publicChat.sendHeld()
        flushOutbox.clockIsRight()
        privateChat.sendHeld()
    }

    private func scheduleMaintenance() {
        ports.scheduler.schedule(.maintenance, at: ports.clock.uptime + MeshPolicy.maintenanceInterval)
    }

    /// The five-second tick (spec: mesh §23).
    private func maintain() {
        let now = ports.clock.uptime
        ticks += 1
        clockWatch.maintain()
        presence.maintain(lastTraffic: lastTraffic)
        reconcilePeers(at: now)
        sessions.maintain()
        flushOutbox.maintain()
        privateChat.maintain()
        noise.maintain()
        routes.maintain()
        transmitter.queues.drainAll()
        if !ticks.isMultiple(of: 2) { transmitter.flushSpool() }
        if ticks.isMultiple(of: Self.ticksPerSweep) {
            seen.cleanUp(at: now)
            ingress.cleanUp(at: now)
            counters.add(.droppedAssembly, assemblies.sweep(at: now))
            routes.sweep()
            transmitter.sweepSpool()
        }
        scheduleMaintenance()
    }

    /// Takes back what a peer's silence disproves (spec: mesh §15).
    private func reconcilePeers(at now: Uptime) {
        for entry in registry.sorted {
            let age = now - entry.lastSeen
            if entry.isConnected {
                if age > MeshPolicy.linklessPeerTimeout, !links.hasLink(to: entry.id) { disconnect(entry.id) }
            } else if age > MeshPolicy.peerRetention {
                _ = registry.remove(entry.id)
                routes.forget(entry.id)
                report(.left, entry)
            }
        }
    }

    // MARK: Storage

    /// Everything up to this change is durable.
    public func committed(_ commit: CommitID) {
        for outcome in outcomes.release(upTo: commit) {
            switch outcome {
            case .acknowledge(let peer, let id): privateChat.acknowledge(id, to: peer)
            case .dispatch(let peer, let id): writePrivate.committed(id, to: peer)
            }
        }
    }

    /// This change will never be durable.
    public func commitFailed(_ commit: CommitID, reason: String) {
        counters.add(.journalFailures)
        ports.events.emit(.log(.error, "a change could not be kept: \(reason)"))
        for outcome in outcomes.fail(commit) {
            switch outcome {
            case .acknowledge(let peer, let id): privateChat.forget(id, from: peer)
            case .dispatch(let peer, let id): writePrivate.commitFailed(id, to: peer)
            }
        }
    }

    /// A received file is on the disk.
    public func fileStored(_ ticket: FileTicket, path: String) { files.stored(ticket, path: path) }

    /// A received file could not be written.
    public func fileFailed(_ ticket: FileTicket, reason: String) { files.failed(ticket, reason: reason) }
}
