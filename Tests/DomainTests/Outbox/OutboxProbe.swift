import Domain

/// An outbox by reference, so that expectations can call what changes it; owners are names, times are in seconds.
final class OutboxProbe {
    typealias Key = OutboxKey<String>
    typealias Entry = OutboxEntry<String>

    static let now: UInt64 = 1_750_000_000
    private(set) var outbox: Outbox<String>

    init(capacity: Int = OutboxPolicy.entriesInAll) { outbox = Outbox(capacity: capacity) }

    static func time(_ seconds: UInt64) -> WallTime { WallTime(milliseconds: seconds * 1000) }
    static func noiseKey(_ byte: UInt8) -> AgreementPublicKey {
        let half = UInt128(byte) * 0x0101_0101_0101_0101_0101_0101_0101_0101
        return AgreementPublicKey(Bytes32(high: half, low: half))
    }
    static func key(_ id: String, _ owner: String = "bob") -> Key { Key(owner: owner, id: MessageID(id)) }
    static func entry(
        _ id: String, _ owner: String = "bob", at seconds: UInt64 = now, attempts: Int = 0, key: UInt8? = nil,
        couriers: [UInt8] = [], content: String = "hi", isDurable: Bool = false
    ) -> Entry {
        Entry(
            owner: owner, id: MessageID(id), content: content, nickname: owner, recipientKey: key.map(noiseKey),
            timestamp: time(seconds), sendAttempts: attempts, couriers: couriers.map(noiseKey), isDurable: isDurable)
    }

    /// The IDs of a list, in order.
    func ids(_ owner: String = "bob") -> [String] { outbox.entries(of: owner).map(\.id.text) }
    func entry(_ id: String, of owner: String = "bob") -> Entry? { outbox[Self.key(id, owner)] }
    func attempts(_ id: String, of owner: String = "bob") -> Int? { entry(id, of: owner)?.sendAttempts }
    func isMarked(_ id: String, of owner: String = "bob") -> Bool { outbox.isMarked(Self.key(id, owner)) }

    @discardableResult
    func put(_ entry: Entry) -> Outbox<String>.Admission { outbox.enqueue(entry) }
    func begin(_ id: String, by route: SendRoute, of owner: String = "bob") -> Entry? {
        outbox.begin(Self.key(id, owner), by: route)
    }
    @discardableResult
    func step(
        _ id: String, of owner: String = "bob", _ signals: TransportSignals, at seconds: UInt64 = now
    ) -> OutboxStep<String> {
        outbox.step(for: Self.key(id, owner), given: signals, at: Self.time(seconds))
    }
    @discardableResult
    func sent(_ id: String, of owner: String = "bob") -> Entry? { outbox.sent(Self.key(id, owner)) }
    func acknowledge(_ id: String, by aliases: [String] = ["bob"]) -> [String] {
        outbox.acknowledge(MessageID(id), by: aliases).map(\.owner)
    }
    func expire(at seconds: UInt64) -> [OutboxDrop<String>] { outbox.expire(at: Self.time(seconds)) }
    func committed(_ id: String) -> Entry? { outbox.committed(Self.key(id)) }
    func commitFailed(_ id: String) -> OutboxDrop<String>? { outbox.commitFailed(Self.key(id)) }
    func restamp(_ id: String, at seconds: UInt64) -> Entry? {
        outbox.restamp(Self.key(id), at: Self.time(seconds))
    }
    func learn(_ byte: UInt8, of owner: String) -> [String] {
        outbox.learn(Self.noiseKey(byte), of: owner).map(\.id.text)
    }
    @discardableResult
    func deposited(_ id: String, with couriers: [UInt8], of owner: String = "bob") -> Entry? {
        outbox.deposited(Self.key(id, owner), with: couriers.map(Self.noiseKey))
    }
    func restore(_ entries: [Entry], acknowledged: Set<Key> = []) -> Outbox<String>.Restoration {
        outbox.restore(entries, acknowledged: acknowledged)
    }

    /// One flush of a list: the transport is called between the steps. Answers what left.
    func flush(
        _ signals: TransportSignals, of owner: String = "bob", at seconds: UInt64 = now,
        transport: (Key) -> Void = { _ in }
    ) -> [String] {
        outbox.entries(of: owner).compactMap {
            act(on: $0.key, step($0.id.text, of: owner, signals, at: seconds), transport)
        }
    }

    /// One retry after authentication; answers what left.
    func retry(
        _ signals: TransportSignals = .proven, of aliases: [String] = ["bob"], at seconds: UInt64 = now,
        transport: (Key) -> Void = { _ in }
    ) -> [Key] {
        outbox.marked(for: aliases).filter { key in
            act(on: key, outbox.retry(key, given: signals, at: Self.time(seconds)), transport) != nil
        }
    }

    private(set) var dropped: [OutboxDrop<String>] = []

    private func act(on key: Key, _ step: OutboxStep<String>, _ transport: (Key) -> Void) -> String? {
        switch step {
        case .gone, .keep: return nil
        case .drop(let drop):
            dropped.append(drop)
            return nil
        case .send(_, _, let isCounted):
            transport(key)
            if isCounted { _ = outbox.sent(key) }
            return key.id.text
        }
    }
}

extension PeerSignals {
    /// What the mesh says, by its answers alone.
    static func mesh(isConnected: Bool = false, isReachable: Bool = false, hasSession: Bool = false) -> PeerSignals {
        PeerSignals(
            isKnown: isConnected || isReachable, isConnected: isConnected, silence: 0, hasNeighbours: isReachable,
            hasSession: hasSession)
    }

    /// What the relays say, by their answers alone.
    static func nostr(isReachable: Bool, isPrompt: Bool) -> PeerSignals {
        PeerSignals(hasNostrKey: isReachable, isGateOpen: true, isRelayConnected: isPrompt)
    }
}

extension TransportSignals {
    static let nothing = TransportSignals(mesh: .mesh())
    /// Connected, with a session.
    static let proven = TransportSignals(mesh: .mesh(isConnected: true, hasSession: true))
    /// Connected, without a session.
    static let insecure = TransportSignals(mesh: .mesh(isConnected: true))
    /// Heard of lately.
    static let retained = TransportSignals(mesh: .mesh(isReachable: true))
    static let relays = TransportSignals(mesh: .mesh(), nostr: .nostr(isReachable: true, isPrompt: true))
}
