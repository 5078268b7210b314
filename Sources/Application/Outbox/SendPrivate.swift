import Domain

/// Writes to one peer, here or not: the message is on the disk before it leaves, and stays there until it is confirmed.
///
/// Source: spec, store-and-forward §1.3; app §6.
final class SendPrivate<C: Cryptography> {
    private let localPeer: PeerID
    private let registry: PeerRegistry
    private let identities: KnownIdentities<C>
    private let outbox: DurableOutbox
    private let flush: FlushOutbox<C>
    private let names: DisplayNames
    private let transmitter: Transmitter<C>
    private let ports: NodePorts

    init(
        localPeer: PeerID, registry: PeerRegistry, identities: KnownIdentities<C>, outbox: DurableOutbox,
        flush: FlushOutbox<C>, names: DisplayNames, transmitter: Transmitter<C>, ports: NodePorts
    ) {
        self.localPeer = localPeer
        self.registry = registry
        self.identities = identities
        self.outbox = outbox
        self.flush = flush
        self.names = names
        self.transmitter = transmitter
        self.ports = ports
    }

    /// Queues a text for a peer, in parts where it is long; answers the parts' identifiers.
    func callAsFunction(_ text: String, to peer: PeerID) throws(Refusal) -> [String] {
        guard peer != localPeer else { throw .invalid("that is this node itself") }
        guard !text.trimmedForWire.isEmpty else { throw .invalid("the message is empty") }
        // Phones that trim would swallow it all the same.
        guard !FavoriteMessage.isMarked(text), !FavoriteMessage.isMarked(text.trimmedForWire) else {
            throw .invalid("the text begins with a control marker, which the other side would swallow")
        }
        // With a wrong clock nobody's announce is fresh, so that strangers stay strangers: that is what must be mended.
        guard names.knows(peer) else { throw transmitter.hold ?? .noSuchPeer(peer.hex) }
        guard let parts = PrivateText.parts(of: text) else {
            throw .tooManyParts(bytes: text.utf8.count, limit: PrivateText.maximumParts)
        }
        guard outbox.outbox.freePlaces(for: peer) >= parts.count else {
            throw .busy("too many messages wait for this peer")
        }
        var ids: [String] = []
        for (number, content) in parts.enumerated() {
            let part = parts.count > 1 ? ChatMessage.Part(number: number + 1, count: parts.count) : nil
            ids.append(try keep(content, for: peer, part: part))
        }
        return ids
    }

    private func keep(_ content: String, for peer: PeerID, part: ChatMessage.Part?) throws(Refusal) -> String {
        let (id, now) = (MessageID(UUIDText.make(from: ports.randomness)), ports.clock.wall)
        let entry = OutboxEntry(
            owner: peer, id: id, content: content, nickname: names.display(peer),
            recipientKey: registry[peer]?.noiseKey ?? identities[peer]?.noiseKey, timestamp: now)
        let message = ChatMessage(
            id: id.text, sender: localPeer, senderName: names.own, peer: peer, text: content, sentAt: now,
            receivedAt: now, isOwn: true, part: part)
        let status = MessageStatusChange(id: id.text, peer: peer, status: .sending, at: now)
        try outbox.enqueue(entry, telling: [.privateMessage(message), .status(status)])
        return id.text
    }

    /// The message is on the disk: it takes the way that its peer can be reached on now.
    func committed(_ id: MessageID, to peer: PeerID) {
        if let entry = outbox.committed(OutboxKey(owner: peer, id: id)) { flush.dispatch(entry) }
    }

    /// The disk did not keep the message.
    func commitFailed(_ id: MessageID, to peer: PeerID) { outbox.commitFailed(OutboxKey(owner: peer, id: id)) }
}
