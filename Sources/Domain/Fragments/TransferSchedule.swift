/// What a transfer in fragments is known by.
public enum TransferID: Hashable, Sendable {
    /// Whoever sends it named it.
    case named(String)
    /// Nobody did: the SHA-256 of a raw file's payload.
    case content(Bytes32)
}

/// Which transfers leave now and which wait: at most two at once, the same content to the same people once.
///
/// Source: spec, mesh §19.
public struct TransferSchedule<Item> {
    /// One transfer.
    public struct Transfer {
        /// What it is known by.
        public let id: TransferID
        /// Whom it is for; `nil` is everyone.
        public let audience: PeerID?
        /// What to send.
        public let item: Item

        /// Describes a transfer.
        public init(id: TransferID, audience: PeerID?, item: Item) {
            self.id = id
            self.audience = audience
            self.item = item
        }
    }

    /// What becomes of a transfer that asks to leave.
    public enum Admission: Hashable, Sendable {
        /// It leaves now.
        case start
        /// It waits.
        case queued
        /// The same is on its way, or waits, for everybody whom this one is for.
        case duplicate
        /// Too many wait, or it may not wait.
        case refused
    }

    private var active: [TransferID: PeerID?] = [:]
    private var waiting: [Transfer] = []
    private let concurrent: Int
    private let capacity: Int

    /// Starts empty.
    public init(
        concurrent: Int = FragmentPolicy.concurrentTransfers, capacity: Int = FragmentPolicy.waitingTransfers
    ) {
        self.concurrent = concurrent
        self.capacity = capacity
    }

    /// Transfers that leave now.
    public var activeCount: Int { active.count }
    /// Transfers that wait.
    public var waitingCount: Int { waiting.count }

    /// Asks for a transfer to leave. The first rule that applies decides.
    ///
    /// - Parameter mayWait: Whether it may wait; a strict transfer leaves now or not at all.
    public mutating func admit(_ transfer: Transfer, mayWait: Bool = true) -> Admission {
        if isCovered(transfer) { return .duplicate }
        if active.count >= concurrent { return mayWait && enqueue(transfer, at: waiting.endIndex) ? .queued : .refused }
        if active[transfer.id] != nil {
            return mayWait && enqueue(transfer, at: waiting.startIndex) ? .queued : .refused
        }
        active.updateValue(transfer.audience, forKey: transfer.id)
        return .start
    }

    /// A transfer has ended; answers those that leave now in its place.
    public mutating func finish(_ id: TransferID) -> [Item] {
        active[id] = nil
        var started: [Item] = []
        while active.count < concurrent, !waiting.isEmpty {
            let next = waiting.removeFirst()
            if isCovered(next) { continue }
            guard active[next.id] == nil else {
                // Its own earlier copy is still leaving.
                waiting.insert(next, at: waiting.startIndex)
                break
            }
            active.updateValue(next.audience, forKey: next.id)
            started.append(next.item)
        }
        return started
    }

    /// Takes out everything that waits.
    public mutating func removeWaiting() -> [Item] {
        defer { waiting = [] }
        return waiting.map(\.item)
    }

    private mutating func enqueue(_ transfer: Transfer, at index: Int) -> Bool {
        guard waiting.count < capacity else { return false }
        waiting.insert(transfer, at: index)
        return true
    }

    /// Whether the same content is on its way, or waits, for everybody whom the transfer is for. One that its sender named
    /// is meant to leave again.
    private func isCovered(_ transfer: Transfer) -> Bool {
        guard case .content = transfer.id else { return false }
        func covers(_ audience: PeerID?) -> Bool { audience == nil || audience == transfer.audience }
        return active[transfer.id].map(covers) ?? false
            || waiting.contains { $0.id == transfer.id && covers($0.audience) }
    }
}
