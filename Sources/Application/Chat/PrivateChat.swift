import Domain

/// Private messages on the mesh: ours come out of the outbox, wait for a session, leave, and are confirmed; theirs are kept
/// before they are acknowledged.
///
/// Source: spec, app §6; noise §5.4, §6.1, §6.2.
final class PrivateChat<C: Cryptography> {
    private let localPeer: PeerID
    private let registry: PeerRegistry
    private let routes: Routes
    private let sessions: Sessions<C>
    private let transmitter: Transmitter<C>
    private let outbox: DurableOutbox
    private let outcomes: PendingOutcomes
    private let names: DisplayNames
    private let ports: NodePorts
    private let counters: Counters
    /// What waits for each peer, in order.
    private var queues: [PeerID: PeerQueue] = [:]
    /// Our messages that may still change their status.
    private var sent = SentMessages()
    /// Messages that arrived lately, so that a repeated one shows once.
    private var seen = ReceivedIDs()
    /// Peers of whom a confirmation is awaited.
    private var confirming: Set<PeerID> = []
    /// Peers whose session is being restored: nothing leaves until a retry has succeeded.
    private var parked: Set<PeerID> = []

    init(
        localPeer: PeerID, registry: PeerRegistry, routes: Routes, sessions: Sessions<C>, transmitter: Transmitter<C>,
        outbox: DurableOutbox, outcomes: PendingOutcomes, names: DisplayNames, ports: NodePorts, counters: Counters
    ) {
        self.localPeer = localPeer
        self.registry = registry
        self.routes = routes
        self.sessions = sessions
        self.transmitter = transmitter
        self.outbox = outbox
        self.outcomes = outcomes
        self.names = names
        self.ports = ports
        self.counters = counters
    }

    /// Message identifiers remembered, over all conversations.
    var rememberedCount: Int { seen.count }

    /// Whether anything waits for the peer.
    func isWaiting(for peer: PeerID) -> Bool { queues[peer]?.isEmpty == false }

    // MARK: Sending

    /// Takes a message out of the outbox and sends it: at once under a session, else behind a handshake.
    func take(_ entry: OutboxEntry<PeerID>) {
        sent.begin(entry.id, to: entry.owner)
        queues[entry.owner, default: PeerQueue()].append(
            entry.id, PrivateMessagePayload(id: entry.id, content: entry.content))
        push(entry.owner)
    }

    /// The outbox gave a message up.
    func giveUp(_ drop: OutboxDrop<PeerID>) {
        remove(drop.entry.id, from: drop.entry.owner)
        // One that never began its way has no status yet.
        if sent.recipient(of: drop.entry.id) == nil { sent.begin(drop.entry.id, to: drop.entry.owner) }
        change(drop.entry.id, to: .failed(reason: drop.reason.explanation))
    }

    private func remove(_ id: MessageID, from peer: PeerID) {
        queues[peer]?.remove(id)
        if queues[peer]?.isEmpty == true { queues[peer] = nil }
    }

    /// Tells the writer that messages were seen.
    func markRead(_ ids: [String], from peer: PeerID) {
        for id in ids.prefix(ChatPolicy.receiptsAtOnce) { enqueue(.readReceipt(MessageID(id)), to: peer) }
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
        guard queues[peer] != nil || queues.count < ChatPolicy.waitingPeers else { return }
        queues[peer, default: PeerQueue()].append(payload)
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

    private func seal(_ outgoing: PeerQueue.Item, for peer: PeerID) -> SealResult {
        switch outgoing {
        case .message(_, let payload):
            guard let body = payload.encoded else { return .tooLarge }
            return sessions.seal(NoisePayload(.privateMessage, body).encoded, for: peer)
        case .payload(let payload):
            return sessions.seal(payload.encoded, for: peer)
        }
    }

    /// Sends a sealed frame; `false` when no link took it.
    private func deliver(_ frame: [UInt8], _ outgoing: PeerQueue.Item, to peer: PeerID) -> Bool {
        guard transmitter.send(transmitter.makePacket(.noiseEncrypted, to: peer, payload: frame)) else { return false }
        if case .message(let id, let payload) = outgoing {
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
        queues[peer, default: PeerQueue()].prepend(payload)
        ports.scheduler.schedule(.privateQueue(peer), at: ports.clock.uptime + SessionPolicy.messageWindow)
    }

    /// The clock is right again: what waits goes where its peer is here.
    func sendHeld() {
        for peer in queues.keys.sorted() where registry.isReachable(peer, at: ports.clock.uptime) { push(peer) }
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
        guard !messages.isEmpty else { return }
        queues[peer, default: PeerQueue()].prepend(messages)
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

    /// No session came up and none is being tried: what waits, waits for the peer.
    func sessionFailed(with peer: PeerID) { parked.remove(peer) }

    /// The peer is here (again): let what waits go.
    func peerAppeared(_ peer: PeerID) {
        if isWaiting(for: peer) { push(peer) }
    }

    /// Sends what a rate limit or a full link held back.
    func maintain() {
        for peer in queues.keys.sorted() where sessions.established(with: peer) != nil { flush(peer) }
    }

    // MARK: Receiving

    /// Takes note of what the event log holds: a copy of a message must not show again, and receipts of ours may still come.
    func remember(_ event: Event) {
        switch event {
        case .privateMessage(let message) where message.isOwn:
            if let peer = message.peer { sent.begin(MessageID(message.id), to: peer) }
        case .privateMessage(let message): _ = seen.insert(MessageID(message.id), from: message.sender)
        case .status(let change): _ = sent.apply(change.status, to: MessageID(change.id))
        default: break
        }
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
        // Also for one that the log of statuses does not know any more: else delivered mail would go again and again.
        if outbox.acknowledge(id, by: peer) {
            remove(id, from: peer)
            if sent.recipient(of: id) == nil { sent.begin(id, to: peer) }
        }
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
