import Domain

/// What packets of the two Noise types lead to, and what follows when a session stands.
///
/// Source: spec, noise §5, §6.6.
final class ExchangeNoise<C: Cryptography>: SessionObserver {
    private let localPeer: PeerID
    private let links: LinkTable
    private let registry: PeerRegistry
    private let identities: KnownIdentities<C>
    private let sessions: Sessions<C>
    private let chat: PrivateChat<C>
    private let transmitter: Transmitter<C>
    private let routes: Routes
    private let presence: AnnouncePresence<C>
    private let names: DisplayNames
    private let peerEvents: PeerEvents
    private let ownState: AuthenticatedPeerState
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    /// Whether sessions stand for the links' sake only: nobody here reads messages, and none is acknowledged.
    var isForRelay = false
    /// Told of each session that stands, after what waited for it went.
    var sessionStands: ((PeerID) -> Void)?
    private var early = EarlyCiphertexts()
    /// The session whose 0x21 was sent initially and echoed; at most once each.
    private var introductions: [PeerID: Introduction] = [:]
    /// Peers whose unfinished handshake a link loss ended: tried again when they are back, within the limit on handshakes.
    private var toResume: Set<PeerID> = []

    /// The way that handshake messages to a peer take while one is under way.
    private var ways: [PeerID: HandshakeWay] = [:]

    private struct Introduction {
        let generation: UInt64
        /// Whether the peer's proof was taken and answered; the first one of a session counts.
        var isProved = false
    }

    init(
        localPeer: PeerID, keys: IdentityKeys<C>, links: LinkTable, registry: PeerRegistry,
        identities: KnownIdentities<C>, sessions: Sessions<C>, chat: PrivateChat<C>, transmitter: Transmitter<C>,
        presence: AnnouncePresence<C>, names: DisplayNames, peerEvents: PeerEvents,
        ports: NodePorts, counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.links = links
        self.registry = registry
        self.identities = identities
        self.sessions = sessions
        self.chat = chat
        self.transmitter = transmitter
        routes = transmitter.routes
        self.presence = presence
        self.names = names
        self.peerEvents = peerEvents
        ownState = AuthenticatedPeerState(
            capabilities: NodeCapabilities.announced, signingKey: cryptography.signingPublicKey(of: keys.signing))
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        sessions.observer = self
    }

    // MARK: Handshakes

    /// Takes a handshake message for us.
    func receive(handshake packet: Inbound) {
        guard packet.view.recipient == localPeer else { return }
        // Our answer could not leave; the peer tries again.
        guard transmitter.hold == nil else { return counters.add(.droppedWhileClockWrong) }
        let peer = packet.sender
        guard mayHandshake(on: packet.link) else { return counters.add(.droppedHandshakeLinkBudget) }
        // Answered where it came from: on the peer's own link, which it proves, or else the way that ciphertext takes. Who
        // only claims to be the peer must not swallow the answer.
        let isOwnLink = !packet.isRebuilt && links[packet.link]?.boundPeer == peer
        ways[peer] = isOwnLink ? .via(packet.link) : .proved
        let result = sessions.receive(
            packet.payload, from: peer, on: packet.link,
            isOwnLink: isOwnLink && links[packet.link]?.isAnnounced == true)
        // What the limits of all or of the peer refused has cost nothing.
        if case .limited = result {} else { recordHandshake(on: packet.link) }
        switch result {
        case .progress(let reply, let established):
            // The reply first: a peer must be able to open what follows.
            if let reply { sendHandshake(reply, to: peer) }
            guard let established else { return }
            ways[peer] = nil
            prove(packet, of: peer)
            markUnprovable(peer)
            stand(established)
        case .ignored, .managed: break
        case .limited: counters.add(.droppedHandshakeRateLimit)
        case .identityMismatch: counters.add(.droppedHandshake)
        case .failed:
            counters.add(.droppedHandshake)
            provokeHandshake(packet)
        }
    }

    private func mayHandshake(on link: LinkID) -> Bool {
        links[link]?.budgets.handshakes.allows(at: ports.clock.uptime) ?? false
    }

    private func recordHandshake(on link: LinkID) {
        let now = ports.clock.uptime
        _ = links.update(link) { $0.budgets.handshakes.record(at: now) }
    }

    /// Starts a handshake because of a packet that cannot be made sense of without one; its link pays.
    private func provokeHandshake(_ packet: Inbound) {
        guard !sessions.exists(for: packet.sender), session(canReach: packet.sender) else { return }
        guard mayHandshake(on: packet.link) else { return counters.add(.droppedHandshakeLinkBudget) }
        if sessions.start(with: packet.sender) { recordHandshake(on: packet.link) }
    }

    private func sendHandshake(_ message: [UInt8], to peer: PeerID) {
        _ = transmitter.send(
            transmitter.makePacket(.noiseHandshake, to: peer, payload: message), way: ways[peer] ?? .claimed)
    }

    /// Marks the very link on which the handshake completed, if it is bound to that peer.
    private func prove(_ packet: Inbound, of peer: PeerID) {
        guard !packet.isRebuilt, links[packet.link]?.boundPeer == peer else { return }
        _ = links.update(packet.link) { $0.provenPeer = peer }
    }

    /// A link whose session was proved anew for its sake, and which is still not proved, will not be soon.
    private func markUnprovable(_ peer: PeerID) {
        for link in links.links(boundTo: peer) {
            _ = links.update(link) { state in
                state.isUnprovable = state.revalidatedAt != nil && state.authenticatedPeer == nil
            }
        }
    }

    /// What follows a new session, in this order (spec: noise §5.4).
    private func stand(_ established: EstablishedSession) {
        let peer = established.peer
        counters.add(.sessionsEstablished)
        introductions[peer] = Introduction(generation: established.generation)
        for packet in early.drain(peer, at: ports.clock.uptime) { open(packet, isRetry: true) }
        chat.sendNow(NoisePayload(.authenticatedPeerState, ownState.encoded), to: peer)
        chat.sessionEstablished(with: peer)
        sessionStands?(peer)
        presence.announceSoon()
        peerEvents.report(.secured, peer, name: names.display(peer), on: nil)
    }

    // MARK: Ciphertexts

    /// Takes a transport message for us.
    func receive(encrypted packet: Inbound) {
        guard packet.view.recipient == localPeer else { return }
        // A forger must not use up the message units of the peer whose name it borrows.
        let isProved = links[packet.link]?.authenticatedPeer == packet.sender
        guard isProved || links[packet.link]?.budgets.failedOpens.holds(1, at: ports.clock.uptime) == true else {
            return counters.add(.droppedCiphertextBudget)
        }
        open(packet, isRetry: false)
    }

    private func refuse(_ packet: Inbound) {
        counters.add(.droppedCiphertext)
        _ = links.spend(of: \.failedOpens, on: packet.link, at: ports.clock.uptime)
    }

    private func open(_ packet: Inbound, isRetry: Bool) {
        let peer = packet.sender
        switch sessions.open(packet.payload, from: peer) {
        case .opened(let plaintext, let session):
            // Only what opens shows that the peer is here: the sender field is anybody's.
            registry.touch(peer, at: ports.clock.uptime)
            handle(plaintext, packet, session)
        case .early:
            guard isRetry || !early.insert(packet, at: ports.clock.uptime) else { return }
            counters.add(.droppedEarlyCiphertext)
            _ = links.spend(of: \.failedOpens, on: packet.link, at: ports.clock.uptime)
        case .noSession:
            counters.add(.droppedCiphertext)
            if !isRetry { provokeHandshake(packet) }
        case .limited: counters.add(.droppedMessageRateLimit)
        case .refused: refuse(packet)
        case .expired:
            counters.add(.droppedCiphertext)
            guard !isRetry else { return }
            sessions.remove(peer)
            provokeHandshake(packet)
        }
    }

    private func handle(_ plaintext: [UInt8], _ packet: Inbound, _ session: EstablishedSession) {
        guard let payload = NoisePayload(plaintext[...]) else { return }
        switch payload.kind {
        case .privateMessage where isForRelay, .delivered where isForRelay, .readReceipt where isForRelay:
            counters.add(.notTakenByRelay)
        case .privateMessage:
            chat.receive(payload.body, from: packet.sender, sentAt: packet.view.timestamp)
        case .delivered, .readReceipt:
            guard let id = payload.receiptedMessage else { return }
            chat.receive(receiptFor: id, isRead: payload.kind == .readReceipt, from: packet.sender)
        case .authenticatedPeerState:
            introduce(payload.body, session, on: packet.link)
        case .groupInvite, .groupKeyUpdate, .voiceFrame, .verifyChallenge, .verifyResponse, .vouch, .privateFile:
            // Known, not supported yet, and not announced: nobody who heeds capabilities sends them.
            ports.events.emit(.log(.info, "a peer sent \(payload.kind), which this node does not support yet"))
        }
    }

    /// Takes the peer's proof of its signing key and capabilities (spec: noise §6.6).
    private func introduce(_ body: ArraySlice<UInt8>, _ session: EstablishedSession, on link: LinkID) {
        let peer = session.peer
        guard let state = AuthenticatedPeerState(body),
            sessions.established(with: peer)?.generation == session.generation,
            introductions[peer]?.generation == session.generation, introductions[peer]?.isProved == false
        else { return }
        var identity =
            identities[peer]
            ?? PeerIdentity(noiseKey: session.remoteKey, signingKey: nil, nickname: registry[peer]?.nickname ?? "")
        guard identity.noiseKey == session.remoteKey else { return }
        identity.signingKey = state.signingKey
        identity.isSigningKeyAuthenticated = true
        identity.provedPrivateMedia = identity.provedPrivateMedia || state.capabilities.contains(.privateMedia)
        identities.keep(identity, of: peer, on: link)
        // The registry's pin in the same step: else it would go on refusing the owner.
        registry.update(peer) { $0.signingKey = state.signingKey }
        introductions[peer]?.isProved = true
        chat.sendNow(NoisePayload(.authenticatedPeerState, ownState.encoded), to: peer)
        chat.flush(peer)
    }

    // MARK: Links and peers

    /// A neighbour announced itself: resume what a link loss interrupted, and prove an old session on a new link.
    func peerAnnounced(_ peer: PeerID, on link: LinkID, isDirect: Bool) {
        guard transmitter.hold == nil else { return }
        if isDirect {
            if toResume.remove(peer) != nil, !sessions.exists(for: peer) { _ = sessions.start(with: peer) }
            revalidate(peer, on: link)
        }
        chat.peerAppeared(peer)
    }

    /// A session may predate the link: the peer may have restarted, or somebody else may sit at the far end (mesh §14).
    private func revalidate(_ peer: PeerID, on link: LinkID) {
        let now = ports.clock.uptime
        guard sessions.established(with: peer) != nil, let state = links[link], state.boundPeer == peer,
            state.authenticatedPeer != peer, !links.hasAuthenticatedLink(to: peer),
            state.revalidatedAt.map({ now - $0 >= interval(of: state) }) ?? true
        else { return }
        if sessions.reconnect(to: peer) {
            _ = links.update(link) { $0.revalidatedAt = now }
            links.retireProofs(of: peer)
        }
    }

    /// Proves that a link which claims to end at the peer does: by a handshake on that link alone. Within the limits of
    /// revalidation, also for a peer that has no session yet.
    func prove(_ link: LinkID, of peer: PeerID) {
        let now = ports.clock.uptime
        guard let state = links[link], state.boundPeer == peer, state.authenticatedPeer != peer,
            state.revalidatedAt.map({ now - $0 >= interval(of: state) }) ?? true, transmitter.hold == nil
        else { return }
        let isStanding = sessions.established(with: peer) != nil
        guard isStanding || !sessions.exists(for: peer) else { return }
        ways[peer] = .via(link)
        guard isStanding ? sessions.reconnect(to: peer) : sessions.start(with: peer) else { return }
        _ = links.update(link) { $0.revalidatedAt = now }
    }

    private func interval(of link: LinkState) -> Milliseconds {
        link.isUnprovable ? MeshPolicy.unprovableInterval : MeshPolicy.revalidationInterval
    }

    /// The last link to a peer is gone: an unfinished handshake has no way left.
    func linkLost(to peer: PeerID) {
        guard sessions.abortUnfinished(with: peer) else { return }
        toResume.insert(peer)
    }

    /// The peer said goodbye.
    func peerLeft(_ peer: PeerID) {
        sessions.remove(peer)
        introductions[peer] = nil
        ways[peer] = nil
        toResume.remove(peer)
    }

    /// Nobody answered a handshake of ours: the next attempt takes every way.
    func stayedUnanswered(by peer: PeerID) {
        ways[peer] = nil
        links.markDoubtful(peer)
        routes.fail(peer)
    }

    /// Early ciphertexts kept.
    var earlyCount: Int { early.count }

    /// Forgets what belongs to sessions that are gone.
    func maintain() {
        introductions = introductions.filter { sessions.exists(for: $0.key) }
        ways = ways.filter { sessions.exists(for: $0.key) }
        toResume = toResume.filter { registry[$0] != nil }
    }

    // MARK: SessionObserver

    func session(sends message: [UInt8], to peer: PeerID) { sendHandshake(message, to: peer) }

    func session(restoredFor peer: PeerID, generation: UInt64, isPending: Bool) {
        for packet in early.drain(peer, at: ports.clock.uptime) { open(packet, isRetry: true) }
        chat.sessionRestored(with: peer, isPending: isPending)
    }

    func session(failedFor peer: PeerID) { chat.sessionFailed(with: peer) }

    func session(canReach peer: PeerID) -> Bool {
        transmitter.hold == nil && registry.isReachable(peer, at: ports.clock.uptime)
    }
}
