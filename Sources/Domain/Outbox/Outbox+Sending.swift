extension Outbox {
    /// Takes the route of a message that was just put in.
    ///
    /// The attempt is counted before the transport is called: the entry then can be written down in one go, and an
    /// acknowledgement that arrives inside that call finds it.
    ///
    /// - Returns: The entry as it is now; `nil` when it is gone, or has no attempt left for a route that costs one.
    public mutating func begin(_ key: Key, by route: SendRoute) -> Entry? {
        guard let entry = self[key] else { return nil }
        guard !route.isCounted || entry.sendAttempts < OutboxPolicy.attempts else { return nil }
        if let isMarked = route.marksSecure { mark(key, as: isMarked) }
        return update(key) { $0.sendAttempts += route.isCounted ? 1 : 0 }
    }

    /// What a flush does with an entry, one after the other. The transport is called between two steps.
    ///
    /// Towards a connected peer without a session nothing is counted: an unstable link must not use up the attempts with
    /// handshakes that fail. The secure mark is set or cleared with the step.
    ///
    /// Source: spec, store-and-forward §1.5, §1.8.
    public mutating func step(for key: Key, given signals: TransportSignals, at now: WallTime) -> OutboxStep<Owner> {
        guard let entry = self[key] else { return .gone }
        guard !entry.isExpired(at: now) else { return dropping(key, because: .age) }
        guard let transport = signals.reachable else { return .keep }
        if signals.mesh.isConnected, !signals.isProvenNeighbour {
            mark(key, as: false)
            return .send(entry, by: .mesh, isCounted: false)
        }
        guard entry.sendAttempts < OutboxPolicy.attempts else { return dropping(key, because: .attempts) }
        if signals.isProvenNeighbour { mark(key, as: true) }
        return .send(entry, by: transport, isCounted: true)
    }

    /// Counts a transmission that a step asked for.
    ///
    /// - Returns: The entry as it is now; `nil` when it was confirmed meanwhile.
    public mutating func sent(_ key: Key) -> Entry? {
        update(key) { $0.sendAttempts = min($0.sendAttempts + 1, OutboxPolicy.attempts) }
    }

    /// What goes again, in this order, when a session with a peer has come up: entries whose last transmission went into
    /// another session, which the peer may have forgotten. The others wait behind the handshake in the transport, which sends
    /// them itself.
    ///
    /// By time, then by name of the peer as given, then in list order. A message under several names goes once.
    ///
    /// Source: spec, store-and-forward §1.7.
    ///
    /// - Parameter aliases: The names of the peer that are connected and secure now.
    public func marked(for aliases: [Owner]) -> [Key] {
        var found: [(order: (WallTime, Int, UInt64), key: Key)] = []
        var seen: Set<Owner> = []
        for (number, owner) in aliases.enumerated() where seen.insert(owner).inserted {
            for slot in lists[owner]?.slots ?? [] where slot.isMarked {
                found.append(((slot.entry.timestamp, number, slot.place), slot.entry.key))
            }
        }
        found.sort { $0.order < $1.order }
        var messages: Set<MessageID> = []
        return found.map(\.key).filter { messages.insert($0.id).inserted }
    }

    /// What to do about an entry that ``marked(for:)`` named: mark, presence and session are looked at again, for they may
    /// have changed during the sends before.
    public mutating func retry(_ key: Key, given signals: TransportSignals, at now: WallTime) -> OutboxStep<Owner> {
        guard self[key] != nil else { return .gone }
        guard isMarked(key), signals.isProvenNeighbour else { return .keep }
        return step(for: key, given: signals, at: now)
    }

    /// Entries that never went, oldest first, then by owner and in list order: what to try when a first relay connects.
    ///
    /// The reference has no such moment: mail for a peer that only relays reach waits for another event there.
    ///
    /// Source: spec, store-and-forward §1.2.
    public var unsent: [Entry] { sorted(lists.values.lazy.flatMap(\.slots).filter { $0.entry.sendAttempts == 0 }) }

    func sorted(_ slots: some Sequence<OutboxList<Owner>.Slot>) -> [Entry] {
        slots.sorted {
            ($0.entry.timestamp, $0.entry.owner, $0.place) < ($1.entry.timestamp, $1.entry.owner, $1.place)
        }.map(\.entry)
    }

    private mutating func dropping(_ key: Key, because reason: Drop.Reason) -> OutboxStep<Owner> {
        drop(key, because: reason).map { .drop($0) } ?? .gone
    }
}
