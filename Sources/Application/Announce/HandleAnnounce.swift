import Domain

/// Takes a peer's announce: checks that identifier, keys and signature belong together and to what is known, and only
/// then lets it change anything.
///
/// The Noise key and the identifier are public, so a signature alone proves little: the signing key is pinned by the
/// first announce and, stronger, by a proof inside a Noise session.
///
/// Source: spec, mesh §12.3.
final class HandleAnnounce<C: Cryptography> {
    private let localPeer: PeerID
    private let links: LinkTable
    private let registry: PeerRegistry
    private let routes: Routes
    private let identities: KnownIdentities<C>
    private let signatures: SignatureCheck<C>
    private let presence: AnnouncePresence<C>
    private let peerEvents: PeerEvents
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    /// When each peer was last answered with an announce of ours.
    private var answered = RecentPeers(lifetime: MeshPolicy.announceBackInterval + 1)
    /// When each peer's conflicting keys were last reported.
    private var alarmed = RecentPeers(lifetime: MeshPolicy.announceBackInterval)

    init(
        localPeer: PeerID, links: LinkTable, registry: PeerRegistry, routes: Routes, identities: KnownIdentities<C>,
        signatures: SignatureCheck<C>, presence: AnnouncePresence<C>, peerEvents: PeerEvents, ports: NodePorts,
        counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.links = links
        self.registry = registry
        self.routes = routes
        self.identities = identities
        self.signatures = signatures
        self.presence = presence
        self.peerEvents = peerEvents
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
    }

    /// What an accepted announce changed.
    struct Acceptance {
        let peer: PeerID
        let isDirect: Bool
        /// What there is to tell users, unless the link turns out to have changed hands.
        let change: PeerChange.Kind?
    }

    /// Identities pinned.
    var identityCount: Int { identities.count }

    /// Peers remembered as answered, and as having been warned about.
    var rememberedCounts: (answered: Int, alarmed: Int) { (answered.count, alarmed.count) }

    /// Takes the announce; `nil` when it was refused.
    func callAsFunction(_ packet: Inbound) -> Acceptance? {
        guard let reading = AnnounceReading(packet.payload, using: cryptography) else {
            counters.add(.droppedMalformedPayload)
            return nil
        }
        switch reading.refusalOfOrigin(
            sender: packet.sender, timestamp: packet.view.timestamp, localPeer: localPeer, at: ports.clock.wall)
        {
        case nil: break
        case .stale:
            counters.add(.droppedStale)
            return nil
        default:
            counters.add(.droppedMalformedPayload)
            return nil
        }
        let acceptance = verified(reading, packet)
        answer(packet)
        return acceptance
    }

    private func verified(_ reading: AnnounceReading, _ packet: Inbound) -> Acceptance? {
        let peer = packet.sender
        guard let noiseKey = reading.announce.agreementPublicKey, let signingKey = reading.announce.signingPublicKey
        else {
            counters.add(.droppedMalformedPayload)
            return nil
        }
        let trust = AnnounceTrust.judge(
            noiseKey: noiseKey, signingKey: signingKey, known: knowledge(of: peer), isSigned: packet.view.isSigned,
            verifies: { signatures.passes(packet, by: signingKey) })
        switch trust {
        case .verified: return admit(reading.announce, noiseKey: noiseKey, signingKey: signingKey, packet)
        case .missingSignature: counters.add(.droppedUnsigned)
        // The check has counted why.
        case .invalidSignature: break
        case .noiseKeyMismatch, .authenticatedKeyMismatch, .signingKeyMismatch:
            counters.add(.droppedKeyConflict)
            // Only an announce that is at least sound in itself is worth an alarm, and not every time.
            if signatures.passes(packet, by: signingKey), alarmed.insert(peer, at: ports.clock.uptime) {
                peerEvents.report(.keyConflict, peer, name: reading.announce.nickname, on: packet.link)
            }
        }
        return nil
    }

    private func knowledge(of peer: PeerID) -> AnnounceTrust.Knowledge {
        let (entry, identity) = (registry[peer], identities[peer])
        return AnnounceTrust.Knowledge(
            noiseKeys: [entry?.noiseKey, identity?.noiseKey].compactMap(\.self),
            authenticatedSigningKey: identity.flatMap { $0.isSigningKeyAuthenticated ? $0.signingKey : nil },
            pinnedSigningKey: entry?.signingKey ?? identity?.signingKey)
    }

    private func admit(
        _ announce: Announce, noiseKey: AgreementPublicKey, signingKey: SigningPublicKey, _ packet: Inbound
    ) -> Acceptance? {
        let peer = packet.sender
        let now = ports.clock.uptime
        let boundPeer = links[packet.link]?.boundPeer
        let earlier = registry[peer]
        // A replayed "direct" announce on somebody else's link must not flip presence.
        let isConnected =
            links.hasLink(to: peer) || packet.isDirectAnnounce && (boundPeer == nil || boundPeer == peer)
        let nickname = ports.normalization.nfc(announce.nickname)
        let entry = PeerEntry(
            id: peer, noiseKey: noiseKey, signingKey: signingKey, nickname: nickname, isConnected: isConnected,
            lastSeen: now, capabilities: announce.capabilities, link: packet.link)
        guard registry.upsert(entry) else {
            counters.add(.droppedRegistryFull)
            return nil
        }
        counters.add(.announcesAccepted)
        // An announce without a list takes nothing back: what was said before ages out.
        if let neighbours = announce.neighbours { routes.learn(neighbours, of: peer) }
        var identity = identities[peer] ?? PeerIdentity(noiseKey: noiseKey, signingKey: signingKey, nickname: nickname)
        identity.signingKey = signingKey
        if !nickname.isEmpty { identity.nickname = nickname }
        identities.keep(identity, of: peer, on: packet.link)

        let isNewlyConnected = packet.isDirectAnnounce && isConnected && earlier?.isConnected != true
        var change: PeerChange.Kind?
        if isNewlyConnected {
            change = .connected
        } else if earlier == nil {
            change = .appeared
        } else if earlier?.nickname != nickname {
            change = .renamed
        }
        if earlier == nil, links.spend(of: \.provokedAnnounces, on: packet.link, at: now) {
            presence.announceSoon(
                after: Milliseconds(ports.randomness.number(in: MeshPolicy.afterglowDelay)))
        }
        return Acceptance(peer: peer, isDirect: packet.isDirectAnnounce, change: change)
    }

    /// Answers with an announce of our own, once in a while for each peer, and not for each that is made up.
    private func answer(_ packet: Inbound) {
        let now = ports.clock.uptime
        guard !answered.contains(packet.sender, at: now) else { return }
        guard links.spend(of: \.provokedAnnounces, on: packet.link, at: now) else {
            return counters.add(.announcesNotAnswered)
        }
        _ = answered.insert(packet.sender, at: now)
        presence.announceSoon()
    }
}
