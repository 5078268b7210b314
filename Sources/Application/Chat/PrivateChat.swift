import Domain

/// Private messages: ours wait for a session, leave, and are confirmed; theirs are kept before they are acknowledged.
///
/// Source: spec, app §6; noise §5.4, §6.1, §6.2.
final class PrivateChat<C: Cryptography> {
    private let localPeer: PeerID
    private let registry: PeerRegistry
    private let routes: Routes
    private let sessions: Sessions<C>
    private let transmitter: Transmitter<C>
    private let outcomes: PendingOutcomes
    private let names: DisplayNames
    private let ports: NodePorts
    private let counters: Counters
    /// What waits for each peer, in order.
    private var queues: [PeerID: [Outgoing]] = [:]
    /// Our messages that may still change their status.
    private var sent = SentMessages()
    /// Messages that arrived lately, so that a repeated one shows once.
    private var seen = ReceivedIDs()
    /// Peers that went away while something of ours was unconfirmed.
    private var away: Set<PeerID> = []
    /// Peers of whom a confirmation is awaited.
    private var confirming: Set<PeerID> = []
    /// Peers whose session is being restored: nothing leaves until a retry has succeeded.
    private var parked: Set<PeerID> = []

    /// Something on its way to a peer.
    private enum Outgoing {
        case message(MessageID, PrivateMessagePayload, since: Uptime)
        case payload(NoisePayload, since: Uptime)

        var message: MessageID? { if case .message(let id, _, _) = self { id } else { nil } }
        func waiting(since: Uptime) -> Outgoing {
            switch self {
            case .message(let id, let payload, _): .message(id, payload, since: since)
            case .payload(let payload, _): .payload(payload, since: since)
            }
        }
        var since: Uptime {
            switch self {
            case .message(_, _, let since), .payload(_, let since): since
            }
        }
    }

    init(
        localPeer: PeerID, registry: PeerRegistry, routes: Routes, sessions: Sessions<C>, transmitter: Transmitter<C>,
        outcomes: PendingOutcomes, names: DisplayNames, ports: NodePorts, counters: Counters
    ) {
        self.localPeer = localPeer
        self.registry = registry
        self.routes = routes
        self.sessions = sessions
        self.transmitter = transmitter
        self.outcomes = outcomes
        self.names = names
        self.ports = ports
        self.counters = counters
    }

    /// Messages that wait for a session, over all peers.
    var waitingCount: Int { queues.values.reduce(0) { $0 + $1.count { $0.message != nil } } }

    /// Message identifiers remembered, over all conversations.
    var rememberedCount: Int { seen.count }

    /// Whether anything waits for the peer.
    func isWaiting(for peer: PeerID) -> Bool { queues[peer]?.isEmpty == false }

    // MARK: Sending

    /// Queues a text for a peer, in parts where it is long; answers the parts' identifiers.
    func send(_ text: String, to peer: PeerID) throws(Refusal) -> [String] {
        guard peer != localPeer else { throw .invalid("that is this node itself") }
        guard !text.trimmedForWire.isEmpty else { throw .invalid("the message is empty") }
        // The phones trim before they look, or do not: neither may take what our user wrote for a message to itself.
        guard !FavoriteMessage.isMarked(text.trimmedForWire) else {
            throw .invalid("the text begins with a control marker, which the other side would swallow")
        }
        try checkPresence(of: peer)
        guard let parts = PrivateText.parts(of: text) else {
            throw .tooManyParts(bytes: text.utf8.count, limit: PrivateText.maximumParts)
        }
        guard (queues[peer]?.count ?? 0) + parts.count <= ChatPolicy.queuedPerPeer else {
            throw .busy("too many messages wait for this peer")
        }
        let ids = parts.enumerated().map { number, content in
            queue(content, to: peer, part: parts.count > 1 ? .init(number: number + 1, count: parts.count) : nil)
        }
        push(peer)
        return ids.map(\.text)
    }

    private func checkPresence(of peer: PeerID) throws(Refusal) {
        if let hold = transmitter.hold {
            // Who is here cannot be known while every announce looks stale; one met before is waited for.
            guard names.knows(peer) else { throw hold }
            return
        }
        guard registry[peer] != nil else { throw .noSuchPeer(peer.hex) }
        guard registry.isReachable(peer, at: ports.clock.uptime) else { throw .notReachable(peer) }
    }

    private func queue(_ content: String, to peer: PeerID, part: ChatMessage.Part?) -> MessageID {
        let id = MessageID(UUIDText.make(from: ports.randomness))
        let now = ports.clock.wall
        _ = ports.journal.append(
            .event(
                .privateMessage(
                    ChatMessage(
                        id: id.text, sender: localPeer, senderName: names.own, peer: peer, text: content, sentAt: now,
                        receivedAt: now, isOwn: true, part: part))))
        sent.insert(id, to: peer)
        change(id, to: .sending)
        let payload = PrivateMessagePayload(id: id, content: content)
        queues[peer, default: []].append(.message(id, payload, since: ports.clock.uptime))
        return id
    }

    /// Tells the writer that messages were seen.
    func markRead(_ ids: [String], from peer: PeerID) {
        for id in ids.prefix(ChatPolicy.queuedPerPeer) { enqueue(.readReceipt(MessageID(id)), to: peer) }
    }

    /// Sends what waits, or sees to it that a session comes up.
    private func push(_ peer: PeerID) {
        guard transmitter.hold == nil else { return }
        if sessions.established(with: peer) != nil {
            flush(peer)
        } else {
            _ = sessions.start(with: peer)
        }
    }

    /// Queues an acknowledgement or a receipt; an absent peer must not cause a flood of handshakes.
    private func enqueue(_ payload: NoisePayload, to peer: PeerID) {
        guard (queues[peer]?.count ?? 0) < ChatPolicy.queuedPerPeer * 2 else { return }
        queues[peer, default: []].append(.payload(payload, since: ports.clock.uptime))
        guard transmitter.hold == nil else { return }
        if sessions.established(with: peer) != nil {
            flush(peer)
        } else if !sessions.exists(for: peer), registry.isReachable(peer, at: ports.clock.uptime) {
            _ = sessions.start(with: peer)
        }
    }

    /// Sends as much of the queue as session, rate limit and running trains allow.
    func flush(_ peer: PeerID) {
        guard !parked.contains(peer), transmitter.hold == nil else { return }
        while let next = queues[peer]?.first {
            // A phone refuses ciphertexts that come more than eight late: none may overtake a train in pieces.
            guard !transmitter.trains.isCarryingCiphertext(to: peer) else { return }
            guard registry.isReachable(peer, at: ports.clock.uptime) else { return }
            switch seal(next, for: peer) {
            case .sealed(let frame):
                guard deliver(frame, next, to: peer) else {
                    // No link took it: it stays first, and costs a counter for each attempt, which is harmless.
                    ports.scheduler.schedule(.privateQueue(peer), at: ports.clock.uptime + SessionPolicy.messageWindow)
                    return
                }
                queues[peer]?.removeFirst()
            case .limited:
                ports.scheduler.schedule(
                    .privateQueue(peer), at: ports.clock.uptime + SessionPolicy.messageWindow)
                return
            case .noSession:
                return
            case .expired:
                sessions.remove(peer)
                _ = sessions.start(with: peer)
                return
            case .tooLarge:
                queues[peer]?.removeFirst()
                if let id = next.message { change(id, to: .failed(reason: "the message does not fit a packet")) }
            }
        }
        queues[peer] = nil
    }

    private func seal(_ outgoing: Outgoing, for peer: PeerID) -> SealResult {
        switch outgoing {
        case .message(_, let payload, _):
            guard let body = payload.encoded else { return .tooLarge }
            return sessions.seal(NoisePayload(.privateMessage, body).encoded, for: peer)
        case .payload(let payload, _):
            return sessions.seal(payload.encoded, for: peer)
        }
    }

    /// Sends a sealed frame; `false` when no link took it.
    private func deliver(_ frame: [UInt8], _ outgoing: Outgoing, to peer: PeerID) -> Bool {
        guard transmitter.send(transmitter.makePacket(.noiseEncrypted, to: peer, payload: frame)) else { return false }
        if case .message(let id, let payload, _) = outgoing {
            sent.keep(payload, of: id, leftAt: ports.clock.uptime)
            change(id, to: .sent)
            expectConfirmation(from: peer)
        }
        return true
    }

    /// Sends a payload under the session as it stands, past the queue; for what belongs to the session itself. What no link
    /// takes now waits in the queue.
    func sendNow(_ payload: NoisePayload, to peer: PeerID) {
        if case .sealed(let frame) = sessions.seal(payload.encoded, for: peer),
            transmitter.send(transmitter.makePacket(.noiseEncrypted, to: peer, payload: frame))
        {
            return
        }
        queues[peer, default: []].insert(.payload(payload, since: ports.clock.uptime), at: 0)
        ports.scheduler.schedule(.privateQueue(peer), at: ports.clock.uptime + SessionPolicy.messageWindow)
    }

    /// The clock is right again: what waited for that begins to wait for a session, and goes where its peer is here.
    func sendHeld() {
        let now = ports.clock.uptime
        for (peer, queue) in queues { queues[peer] = queue.map { $0.waiting(since: now) } }
        for peer in queues.keys.sorted() where registry.isReachable(peer, at: now) { push(peer) }
    }

    // MARK: Sessions

    /// A new session stands: what was sent under the old one and never confirmed goes again, then what waits.
    func sessionEstablished(with peer: PeerID) {
        parked.remove(peer)
        queueAgain(sent.unconfirmed(for: peer), for: peer)
        flush(peer)
    }

    private func expectConfirmation(from peer: PeerID) {
        guard confirming.insert(peer).inserted else { return }
        ports.scheduler.schedule(.privateConfirmation(peer), at: ports.clock.uptime + ChatPolicy.confirmation)
    }

    /// What left some time ago and was not confirmed goes again, a bounded number of times and not along a route: either it
    /// or its receipt got lost on the way. The reader shows a repeated message once.
    func confirm(_ peer: PeerID) {
        confirming.remove(peer)
        let late = sent.late(for: peer, leftBefore: ports.clock.uptime, by: ChatPolicy.confirmation)
        if !late.isEmpty, sessions.established(with: peer) != nil {
            routes.fail(peer)
            // Lost twice on a link that was proved: whoever passed the handshake through may keep the rest.
            if sent.wasRepeated(any: late.map(\.0)) { transmitter.links.retireProofs(of: peer) }
            counters.add(.messagesSentAgain, late.count)
            queueAgain(late, for: peer)
            flush(peer)
        }
        if sent.mayGoAgain(to: peer) { expectConfirmation(from: peer) }
    }

    private func queueAgain(_ messages: [(MessageID, PrivateMessagePayload)], for peer: PeerID) {
        let waiting = Set((queues[peer] ?? []).compactMap(\.message))
        let missing = messages.filter { !waiting.contains($0.0) }.map { id, payload in
            Outgoing.message(id, payload, since: ports.clock.uptime)
        }
        if !missing.isEmpty { queues[peer] = missing + (queues[peer] ?? []) }
    }

    /// An old session is back; it may be one that the peer has forgotten.
    func sessionRestored(with peer: PeerID, isPending: Bool) {
        if isPending {
            parked.insert(peer)
        } else {
            parked.remove(peer)
            flush(peer)
        }
    }

    /// No session came up and none is being tried: what waited long enough has failed, the rest waits for the peer.
    func sessionFailed(with peer: PeerID) {
        parked.remove(peer)
        expire(peer)
    }

    /// The peer is here (again): let what waits go.
    ///
    /// What left before it was away, and was not confirmed, goes again: it may have met nobody.
    func peerAppeared(_ peer: PeerID) {
        if away.remove(peer) != nil {
            sent.beginAgain(with: peer)
            if sessions.established(with: peer) != nil { queueAgain(sent.unconfirmed(for: peer), for: peer) }
        }
        guard isWaiting(for: peer) else { return }
        push(peer)
    }

    /// Fails what has waited too long; this node has no outbox yet that would keep it.
    func maintain() {
        for peer in sent.unconfirmedPeers where !registry.isReachable(peer, at: ports.clock.uptime) {
            away.insert(peer)
        }
        for peer in queues.keys.sorted() { expire(peer) }
        for peer in queues.keys.sorted() where sessions.established(with: peer) != nil { flush(peer) }
    }

    /// The node stops: what never left is lost with it, and its writer has to know.
    func giveUpQueued() {
        for peer in queues.keys.sorted() {
            for id in (queues[peer] ?? []).compactMap(\.message) {
                change(id, to: .failed(reason: "the node stopped before the message could leave"))
            }
        }
    }

    private func expire(_ peer: PeerID) {
        guard transmitter.hold == nil else { return }
        let now = ports.clock.uptime
        for outgoing in queues[peer] ?? [] where now - outgoing.since >= ChatPolicy.queueLifetime {
            guard let id = outgoing.message else { continue }
            change(id, to: .failed(reason: "no encrypted session with the peer came up in time"))
        }
        queues[peer]?.removeAll { now - $0.since >= ChatPolicy.queueLifetime }
        if queues[peer]?.isEmpty == true { queues[peer] = nil }
    }

    // MARK: Receiving

    /// Takes note of a message that the event log holds: a copy of it must not show again.
    func remember(_ event: Event) {
        guard case .privateMessage(let message) = event, !message.isOwn else { return }
        _ = seen.insert(MessageID(message.id), from: message.sender)
    }

    /// Takes a private message; it is acknowledged once it is durable, and every time that it arrives.
    func receive(_ body: ArraySlice<UInt8>, from peer: PeerID, sentAt: WallTime) {
        guard let payload = PrivateMessagePayload(body) else {
            counters.add(.droppedMalformedPayload)
            return
        }
        // While the disk stalls, what waits for it is bounded: unacknowledged messages come again.
        guard outcomes.count < ChatPolicy.heldOutcomes else { return counters.add(.droppedWhileDiskStalls) }
        guard !FavoriteMessage.isMarked(payload.content), seen.insert(payload.id, from: peer) else {
            // A repeated message says that our receipt got lost: the way that it took is no good.
            routes.fail(peer)
            // Until a first copy is durable nothing is acknowledged; the commit will do it.
            if !outcomes.isHeld(.acknowledge(peer, payload.id)) { enqueue(.delivered(payload.id), to: peer) }
            return
        }
        counters.add(.privateMessagesReceived)
        let commit = ports.journal.append(
            .event(
                .privateMessage(
                    ChatMessage(
                        id: payload.id.text, sender: peer, senderName: names.display(peer), peer: peer,
                        text: payload.content, sentAt: sentAt, receivedAt: ports.clock.wall, isOwn: false))))
        outcomes.hold(.acknowledge(peer, payload.id), until: commit)
    }

    /// A received message is durable: tell its writer.
    func acknowledge(_ id: MessageID, to peer: PeerID) { enqueue(.delivered(id), to: peer) }

    /// A received message could not be kept: take it again when it is repeated.
    func forget(_ id: MessageID, from peer: PeerID) { seen.remove(id, from: peer) }

    /// Takes a receipt; it counts only from the peer that the message went to.
    func receive(receiptFor id: MessageID, isRead: Bool, from peer: PeerID) {
        guard sent.recipient(of: id) == peer else { return }
        change(id, to: isRead ? .read : .delivered)
    }

    private func change(_ id: MessageID, to status: DeliveryStatus) {
        guard let peer = sent.apply(status, to: id) else { return }
        _ = ports.journal.append(
            .event(
                .status(MessageStatusChange(id: id.text, peer: peer, status: status, at: ports.clock.wall))))
    }
}
