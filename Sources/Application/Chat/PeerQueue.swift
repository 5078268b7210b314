import Domain

/// What waits for a session with one peer, in order; bounded, and a message waits once however often it is handed over.
///
/// Nothing is lost by its bounds: messages are in the outbox, and receipts are asked for again by a repeated message.
///
/// Source: spec, store-and-forward §1.3.
struct PeerQueue {
    /// Something on its way to a peer.
    enum Item {
        case message(MessageID, PrivateMessagePayload)
        case payload(NoisePayload)

        var message: MessageID? { if case .message(let id, _) = self { id } else { nil } }
    }

    private var items: [Item] = []
    private var messages: Set<MessageID> = []

    /// What goes next.
    var first: Item? { items.first }
    /// Whether nothing waits.
    var isEmpty: Bool { items.isEmpty }
    /// Messages that wait.
    var messageCount: Int { messages.count }
    /// Everything that waits.
    var count: Int { items.count }

    /// Whether a message waits.
    func contains(_ id: MessageID) -> Bool { messages.contains(id) }

    /// Puts a message behind all others; one that waits already keeps its place.
    mutating func append(_ id: MessageID, _ payload: PrivateMessagePayload) {
        guard messages.insert(id).inserted else { return }
        items.append(.message(id, payload))
        if messages.count > OutboxPolicy.handshakeMessages { removeFirst { $0.message != nil } }
    }

    /// Puts messages in front, in their order, those that wait already left out.
    mutating func prepend(_ again: [(MessageID, PrivateMessagePayload)]) {
        let missing = again.filter { messages.insert($0.0).inserted }
        items.insert(contentsOf: missing.map { .message($0.0, $0.1) }, at: 0)
    }

    /// Puts a receipt or the like behind all others.
    mutating func append(_ payload: NoisePayload) {
        items.append(.payload(payload))
        if items.count - messages.count > OutboxPolicy.handshakePayloads { removeFirst { $0.message == nil } }
    }

    /// Puts what belongs to the session itself in front.
    mutating func prepend(_ payload: NoisePayload) { items.insert(.payload(payload), at: 0) }

    /// The first has left.
    mutating func removeFirst() {
        guard !items.isEmpty else { return }
        if let id = items.removeFirst().message { messages.remove(id) }
    }

    /// A message needs to go no more.
    mutating func remove(_ id: MessageID) {
        guard messages.remove(id) != nil else { return }
        items.removeAll { $0.message == id }
    }

    private mutating func removeFirst(where isMeant: (Item) -> Bool) {
        guard let place = items.firstIndex(where: isMeant) else { return }
        if let id = items.remove(at: place).message { messages.remove(id) }
    }
}
