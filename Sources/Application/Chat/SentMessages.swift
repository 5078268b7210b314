import Domain

/// Our private messages of late: whom each went to, how far it has come, and its content until it is confirmed.
struct SentMessages {
    private struct Record {
        let peer: PeerID
        var status: DeliveryStatus?
        var payload: PrivateMessagePayload?
        var leftAt: Uptime?
        /// How often it left under one session.
        var attempts = 0
    }

    private var records: [MessageID: Record] = [:]
    private var order: [MessageID] = []

    /// A message begins its way, as its writer was told, or begins it again; the oldest ones are forgotten when there are too many.
    mutating func begin(_ id: MessageID, to peer: PeerID) {
        guard records[id] == nil else {
            records[id]?.attempts = 0
            return
        }
        if order.count >= ChatPolicy.rememberedMessages * 2 {
            let forgotten = order.count - ChatPolicy.rememberedMessages
            for old in order.prefix(forgotten) { records[old] = nil }
            order.removeFirst(forgotten)
        }
        records[id] = Record(peer: peer, status: .sending)
        order.append(id)
    }

    /// Whom a message went to.
    func recipient(of id: MessageID) -> PeerID? { records[id]?.peer }

    /// Keeps the content of a message that left, so that it can go again.
    mutating func keep(_ payload: PrivateMessagePayload, of id: MessageID, leftAt: Uptime) {
        records[id]?.payload = payload
        records[id]?.leftAt = leftAt
        records[id]?.attempts += 1
    }

    /// Messages that left at least so long ago, were not confirmed, and may go once more; oldest first.
    func late(
        for peer: PeerID, leftBefore now: Uptime, by span: Milliseconds
    ) -> [(MessageID, PrivateMessagePayload)] {
        unconfirmed(for: peer).filter { id, _ in
            guard let record = records[id], let leftAt = record.leftAt else { return false }
            return record.attempts < ChatPolicy.attempts
                && now - leftAt >= span * (1 << Int64(max(0, record.attempts - 1)))
        }
    }

    /// Whether one of the messages left more than once already.
    func wasRepeated(any ids: [MessageID]) -> Bool { ids.contains { records[$0]?.attempts ?? 0 > 1 } }

    /// Whether any message to the peer may go again by itself.
    func mayGoAgain(to peer: PeerID) -> Bool {
        unconfirmed(for: peer).contains { (records[$0.0]?.attempts ?? 0) < ChatPolicy.attempts }
    }

    /// Applies a status; answers the peer when it changed anything.
    mutating func apply(_ status: DeliveryStatus, to id: MessageID) -> PeerID? {
        guard var record = records[id], record.status.yields(to: status) else { return nil }
        record.status = status
        switch status {
        case .delivered, .read, .failed: record.payload = nil
        default: break
        }
        records[id] = record
        return record.peer
    }

    /// Messages that left and were not confirmed, oldest first.
    func unconfirmed(for peer: PeerID) -> [(MessageID, PrivateMessagePayload)] {
        order.compactMap { id in
            guard let record = records[id], record.peer == peer, let payload = record.payload else { return nil }
            return (id, payload)
        }
    }
}

/// The last identifiers seen, bounded; the oldest half goes when it is full.
struct RecentIDs {
    private var members: Set<MessageID> = []
    private var order: [MessageID] = []

    /// The number of identifiers.
    var count: Int { members.count }

    /// Adds an identifier; `false` when it is there already.
    mutating func insert(_ id: MessageID) -> Bool {
        guard members.insert(id).inserted else { return false }
        order.append(id)
        if order.count > ChatPolicy.rememberedMessages { forgetOlderHalf() }
        return true
    }

    /// Forgets the older half of the identifiers.
    mutating func forgetOlderHalf() {
        let half = (order.count + 1) / 2
        for old in order.prefix(half) { members.remove(old) }
        order.removeFirst(half)
    }

    /// Forgets an identifier.
    mutating func remove(_ id: MessageID) {
        guard members.remove(id) != nil else { return }
        order.removeAll { $0 == id }
    }
}

/// The tunables of chat.
enum ChatPolicy {
    /// Receipts of one call. [ours]: as many as messages may wait.
    static let receiptsAtOnce = 100
    /// Peers for whom something may wait at once. [ours]: memory; each wrote to us or was written to.
    static let waitingPeers = 1000
    /// How long a message may stay unconfirmed before it goes again. [ours]: as long as a route may (spec: mesh §17.4).
    static let confirmation: Milliseconds = .seconds(10)
    /// How often a message leaves by itself while its peer is thought to be there: at once, and after 10, 30 and 70 s.
    /// [ours]: covers the minute for which an absent peer counts as reachable; later it goes again when the peer is back.
    static let attempts = 4
    /// Identifiers remembered per conversation, and own messages whose status may change. [ours]: memory.
    static let rememberedMessages = 2000
    /// The longest public text, in characters: receivers drop longer ones (spec: app §1.2).
    static let publicCharacters = 16_000
    /// Received messages that may wait for the disk at once. [ours]: memory, should the disk stall.
    static let heldOutcomes = 4096
    /// Identifiers remembered over all conversations. [ours]: memory, 10 MiB at the longest identifiers.
    static let rememberedInAll = 32_000
}
