import Domain

/// The outbox, with each of its entries on the disk.
final class DurableOutbox {
    /// Told of entries that were given up, after they are gone.
    var dropped: ((OutboxDrop<PeerID>) -> Void)?
    private(set) var outbox = Outbox<PeerID>()
    private let ledger: Ledger
    private let clock: any Clock

    init(ledger: Ledger, records: [Record], ports: NodePorts) {
        self.ledger = ledger
        clock = ports.clock
        let stored = records.compactMap { if case .outgoing(let entry) = $0 { entry } else { nil } }
        let restoration = outbox.restore(stored)
        ledger.write(puts(restoration.changed) + restoration.dropped.map { .remove(Self.record($0.entry.key)) })
    }

    /// The record of an entry.
    private static func record(_ key: OutboxKey<PeerID>) -> RecordKey { .outgoing(key) }

    private func puts(_ entries: [OutboxEntry<PeerID>]) -> [JournalChange] { entries.map { .put(.outgoing($0)) } }

    // MARK: Putting in

    /// Keeps a message together with what users are told of it; `committed(_:)` or `commitFailed(_:)` follows.
    func enqueue(_ entry: OutboxEntry<PeerID>, telling events: [Event]) throws(Refusal) {
        switch outbox.enqueue(entry) {
        case .refused(.tooLong):
            throw .tooLong(bytes: entry.content.utf8.count, limit: PrivateText.maximumBytes)
        case .refused(.full): throw .busy("the outbox is full")
        case .queued(let entry, let displaced):
            ledger.write(
                puts([entry]) + events.map { .event($0) }, counting: [.queued], then: .dispatch(entry.owner, entry.id))
            if let displaced { giveUp(displaced) }
        }
    }

    /// The entry is on the disk: now it may leave.
    func committed(_ key: OutboxKey<PeerID>) -> OutboxEntry<PeerID>? { outbox.committed(key) }

    /// The entry never will be on the disk.
    func commitFailed(_ key: OutboxKey<PeerID>) {
        if let drop = outbox.commitFailed(key) { giveUp(drop) }
    }

    // MARK: Sending

    /// Takes the way that was found for a new message into account.
    func begin(_ key: OutboxKey<PeerID>, by route: SendRoute) -> OutboxEntry<PeerID>? {
        guard let entry = outbox.begin(key, by: route) else { return nil }
        if route.isCounted { ledger.write(puts([entry])) }
        return entry
    }

    /// Goes through a peer's mail in order, and hands over what may go now; what is over is dropped.
    ///
    /// The list may change under the hand: an acknowledgement can arrive inside the call that sends.
    func flush(
        _ keys: [OutboxKey<PeerID>], isRetry: Bool, signals: () -> TransportSignals,
        send: (OutboxEntry<PeerID>, MessageTransport) -> Void
    ) {
        var (changed, resent): ([OutboxEntry<PeerID>], [Metric]) = ([], [])
        for key in keys where outbox[key]?.isDurable == true {
            let now = clock.wall
            let step =
                isRetry
                ? outbox.retry(key, given: signals(), at: now) : outbox.step(for: key, given: signals(), at: now)
            switch step {
            case .gone, .keep: break
            case .drop(let drop): giveUp(drop)
            case .send(let entry, let transport, let isCounted):
                send(entry, transport)
                resent.append(.resent)
                if isCounted, let entry = outbox.sent(key) { changed.append(entry) }
            }
        }
        ledger.write(puts(changed.filter { outbox[$0.key] != nil }), counting: resent)
    }

    /// A peer's mail in order.
    func keys(of peer: PeerID) -> [OutboxKey<PeerID>] { outbox.entries(of: peer).map(\.key) }

    /// What went over a session of this peer and was not acknowledged, in order.
    func markedKeys(of peer: PeerID) -> [OutboxKey<PeerID>] { outbox.marked(for: [peer]) }

    /// The clock was wrong when these were written, and none of them has left: they begin to age now.
    func restampUnsent() -> [OutboxEntry<PeerID>] {
        let entries = outbox.unsent.compactMap { outbox.restamp($0.key, at: clock.wall) }
        ledger.write(puts(entries))
        return entries
    }

    // MARK: Couriers

    /// Couriers have an entry, as far as their links can tell.
    func deposited(_ key: OutboxKey<PeerID>, with couriers: [AgreementPublicKey]) {
        guard let entry = outbox.deposited(key, with: couriers) else { return }
        ledger.write(puts([entry]), counting: [.deposited])
    }

    /// A peer's Noise key became known: its mail can be sealed for it.
    func learn(_ key: AgreementPublicKey, of peer: PeerID) { ledger.write(puts(outbox.learn(key, of: peer))) }

    // MARK: Taking out

    /// The receiver has it; answers whether anything was waiting.
    func acknowledge(_ id: MessageID, by peer: PeerID) -> Bool {
        let removed = outbox.acknowledge(id, by: [peer])
        guard !removed.isEmpty else { return false }
        ledger.write(removed.map { .remove(Self.record($0.key)) }, counting: [.delivered])
        return true
    }

    /// Gives up what is too old.
    func expire() {
        for drop in outbox.expire(at: clock.wall) { giveUp(drop) }
    }

    private func giveUp(_ drop: OutboxDrop<PeerID>) {
        // Also what was not kept: a later change of it may have been.
        ledger.write([.remove(Self.record(drop.entry.key))], counting: drop.reason == .notKept ? [] : [.dropped])
        dropped?(drop)
    }
}

extension OutboxDrop.Reason {
    /// Why a message will not arrive, for its writer.
    var explanation: String {
        switch self {
        case .attempts: "it was sent \(OutboxPolicy.attempts) times and never confirmed"
        case .age: "nobody could deliver it within a day"
        case .overflow: "too many newer messages wait for the same peer"
        case .notKept: "the disk did not keep it"
        }
    }
}
