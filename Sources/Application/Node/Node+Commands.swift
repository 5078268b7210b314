import Domain

/// What users and scripts ask of the node, and what they can look at.
extension Node {
    /// Says something to everyone; answers the message's identifier.
    public func sendPublic(_ text: String) throws(Refusal) -> String {
        try mayChat()
        return try publicChat.send(text)
    }

    /// Writes to one peer; answers the identifiers of the parts, one unless the text is long.
    public func sendPrivate(_ text: String, to peer: PeerID) throws(Refusal) -> [String] {
        try mayChat()
        return try writePrivate(text, to: peer)
    }

    /// Sends a file to everyone; answers the identifier under which its status is told.
    public func sendFile(_ content: [UInt8], name: String, mime: String) throws(Refusal) -> String {
        try mayChat()
        return try files.send(content, name: name, mime: mime)
    }

    /// Probes a peer; the result comes as ``Notice/ping(_:)`` under the identifier answered here.
    public func ping(_ peer: PeerID) throws(Refusal) -> UInt64 { try pings.send(to: peer) }

    /// Tells a peer that its messages were seen.
    public func markRead(_ ids: [String], from peer: PeerID) throws(Refusal) {
        try mayChat()
        privateChat.markRead(ids, from: peer)
    }

    /// A relay has nobody who could speak.
    private func mayChat() throws(Refusal) {
        guard settings.role == .member else {
            throw .forbidden("this node only relays; it has no identity of its own to speak with")
        }
    }

    /// How the wall clock stands.
    public var clock: ClockReport { clockWatch.report }

    /// Takes over whether the operator vouches for the wall clock.
    public func trustClock(_ isTrusted: Bool) { clockWatch.setTrust(isTrusted) }

    /// Changes our name and announces it.
    public func setNickname(_ text: String) throws(Refusal) -> String {
        let nickname = Nickname(own: text, normalization: ports.normalization, randomness: ports.randomness)
        guard nickname.text.count <= Nickname.maximumCharacters else {
            throw .invalid("a nickname has at most \(Nickname.maximumCharacters) characters")
        }
        guard nickname.fitsAnnounce else {
            throw .tooLong(bytes: nickname.text.utf8.count, limit: Nickname.maximumBytes)
        }
        let isForbidden = nickname.text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: scalar == "@" || scalar == "#"
            }
        }
        guard !isForbidden, nickname.text.lowercased() != "system" else {
            throw .invalid("a nickname holds no @, #, line breaks or direction marks, and is not \"system\"")
        }
        names.own = nickname.text
        presence.nickname = nickname.text
        _ = presence.announceSurely()
        return nickname.text
    }

    /// The mesh as far as announces tell.
    public var topology: TopologyReport {
        routes.refreshOwnClaim()
        let edges = routes.topology.edges
        let ids = Set(edges.flatMap { [$0.first, $0.second] }).union([id]).union(registry.connected.map(\.id))
        return TopologyReport(
            members: ids.sorted().map { peer in
                let name = peer == id ? names.own : registry[peer].map { _ in names.display(peer) }
                return TopologyReport.Member(
                    id: peer, displayName: name, isSelf: peer == id,
                    isConnected: registry[peer]?.isConnected == true)
            },
            edges: edges)
    }

    /// The way that a packet to a peer would take now.
    public func trace(to peer: PeerID) throws(Refusal) -> TraceReport {
        guard peer != id else { throw .invalid("that is this node itself") }
        guard let entry = registry[peer] else { throw .noSuchPeer(peer.hex) }
        if let hops = routes.route(to: peer), !hops.isEmpty { return .route(hops) }
        if entry.isConnected { return .direct }
        guard registry.isReachable(peer, at: ports.clock.uptime) else { throw .notReachable(peer) }
        return .flooded(isConfirmed: routes.isConfirmed(to: peer))
    }

    /// What is known about reaching a peer.
    func signals(of entry: PeerEntry, at now: Uptime) -> PeerSignals {
        PeerSignals(
            isKnown: true, isConnected: entry.isConnected, silence: now - entry.lastSeen,
            hasNeighbours: registry.degree > 0, hasSession: sessions.established(with: entry.id) != nil)
    }

    /// The peer that a person means; a name that means several is refused with the candidates.
    public func resolve(_ text: String) throws(Refusal) -> PeerID {
        do throws(Refusal) {
            return try names.resolve(text)
        } catch {
            // With a wrong clock nobody's announce is fresh, so nobody is known by name: that is what must be mended.
            if case .noSuchPeer = error, let hold = transmitter.hold { throw hold }
            throw error
        }
    }

    /// The peers heard of lately, neighbours first, then by name.
    public var peers: [PeerReport] {
        let now = ports.clock.uptime
        return registry.sorted.map { entry in
            PeerReport(
                id: entry.id, nickname: entry.nickname, displayName: names.display(entry.id),
                fingerprint: Fingerprint(of: entry.noiseKey, using: cryptography), noiseKey: entry.noiseKey,
                signals: signals(of: entry, at: now), lastSeen: entry.lastSeen,
                capabilities: entry.capabilities?.rawValue, links: links.links(boundTo: entry.id))
        }.sorted {
            ($0.signals.isConnected ? 0 : 1, $0.displayName, $0.id)
                < ($1.signals.isConnected ? 0 : 1, $1.displayName, $1.id)
        }
    }

    /// The node at a glance.
    public var report: NodeReport {
        let now = ports.clock.uptime
        let entries = registry.sorted
        return NodeReport(
            id: id, nickname: names.own, role: settings.role,
            fingerprint: Fingerprint(of: cryptography.agreementPublicKey(of: keys.noise), using: cryptography),
            startedAt: startedAt, now: now, wall: ports.clock.wall,
            links: links.ids.compactMap { id in
                links[id].map {
                    LinkReport(
                        description: $0.description, peer: $0.boundPeer, isAuthenticated: $0.authenticatedPeer != nil)
                }
            },
            connectedPeers: registry.degree, reachablePeers: entries.count { registry.isReachable($0.id, at: now) },
            sessions: sessions.establishedCount, queuedMessages: outbox.outbox.count,
            queuedFrames: transmitter.queues.count, queuedBytes: transmitter.queues.byteCount,
            spooledPackets: transmitter.spooledCount, heldMessages: publicChat.heldCount, clock: clockWatch.report,
            counters: counters.report)
    }
}
