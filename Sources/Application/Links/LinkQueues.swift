import Domain

/// Hands frames to links, and keeps what a full one does not take: the most important first, within bounds.
///
/// A frame never overtakes one that waits for the same link and matters as much. Source: spec, mesh §20.
final class LinkQueues {
    private let ports: NodePorts
    private let counters: Counters
    private var queues: [LinkID: OutboundQueue] = [:]
    /// Links whose neighbour has not been told yet who we are: what is not that waits.
    private var ungreeted: Set<LinkID> = []
    /// Bytes that wait on all links.
    private(set) var byteCount = 0

    init(ports: NodePorts, counters: Counters) {
        self.ports = ports
        self.counters = counters
    }

    /// What to do with a frame that no link takes now.
    enum WhenFull {
        /// Keep it until one does.
        case queue
        /// Say so: whoever sends can wait.
        case report
    }

    /// Frames that wait.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Hands a frame to each of the links.
    ///
    /// - Parameters:
    ///   - source: The link that it came on; `nil` for one of ours.
    ///   - isGreeting: It tells who we are, and so does not wait for links that still have to be told.
    /// - Returns: `accepted` when one took it or keeps it queued, else `full` when one will take it later.
    func put(
        _ frame: [UInt8], _ priority: OutboundPriority, from source: LinkID? = nil, on links: [LinkID],
        whenFull: WhenFull, isGreeting: Bool = false
    ) -> SendOutcome {
        var full: [LinkID] = []
        var result = SendOutcome.refused
        for link in links {
            // What waits goes first.
            let mustWait = ungreeted.contains(link) ? !isGreeting : queues[link] != nil
            switch mustWait ? .full : handOver(frame, to: link) {
            case .accepted: result = .accepted
            case .full: full.append(link)
            case .refused: break
            }
        }
        guard !full.isEmpty else { return result }
        if whenFull == .report, result != .accepted {
            counters.add(.sendLinkFull)
            return .full
        }
        for link in full where enqueue(frame, priority, from: source, on: link) { result = .accepted }
        return result == .refused ? .full : result
    }

    /// Sends what waits for a link, as far as it goes; `true` when nothing waits any more.
    func drain(_ link: LinkID) -> Bool {
        guard !ungreeted.contains(link) else { return false }
        guard var queue = queues.removeValue(forKey: link) else { return true }
        defer { if !queue.isEmpty { queues[link] = queue } }
        while let frame = queue.first {
            if handOver(frame, to: link) == .full { return false }
            queue.removeFirst()
            byteCount -= frame.count
        }
        return true
    }

    /// Sends what waits for any link; due in every maintenance tick, should a link have kept silent about having room.
    func drainAll() {
        for link in queues.keys.sorted() { _ = drain(link) }
    }

    /// A link is gone, and with it what waited for it: ciphertext belongs to its link (spec: mesh §20).
    func forget(_ link: LinkID) {
        ungreeted.remove(link)
        if let queue = queues.removeValue(forKey: link) { byteCount -= queue.byteCount }
    }

    /// Keeps everything but the greeting back on a link that came up (spec: ble-gatt §8).
    func awaitGreeting(on link: LinkID) { ungreeted.insert(link) }

    /// The neighbour was told who we are, or will not be: what waited goes.
    func greeted(_ link: LinkID) {
        if ungreeted.remove(link) != nil { _ = drain(link) }
    }

    private func enqueue(
        _ frame: [UInt8], _ priority: OutboundPriority, from source: LinkID?, on link: LinkID
    ) -> Bool {
        var queue = queues.removeValue(forKey: link) ?? OutboundQueue()
        let before = queue.byteCount
        var dropped = 0
        // When all links together hold too much, each still gets a little: the others' backlog is not its fault.
        let isKept = queue.insert(
            frame, priority, from: source?.rawValue ?? 0,
            within: max(before + RelayPolicy.queueBytesInAll - byteCount, RelayPolicy.reservedQueueBytes),
            dropped: &dropped)
        counters.add(.sendLinkFull, dropped)
        byteCount += queue.byteCount - before
        if !queue.isEmpty { queues[link] = queue }
        return isKept
    }

    private func handOver(_ frame: [UInt8], to link: LinkID) -> SendOutcome {
        let outcome = ports.links.send(frame, on: link)
        switch outcome {
        case .accepted:
            counters.add(.framesSent)
            counters.add(.bytesSent, frame.count)
        case .refused: counters.add(.sendRefusedByLink)
        case .full: break
        }
        return outcome
    }
}
