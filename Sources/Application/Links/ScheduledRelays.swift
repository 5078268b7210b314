import Domain

/// Packets of others that wait for their moment: a random little while, so that neighbours do not all speak at once and one
/// that was faster can make a copy needless. Bounded: the link that has the most gives way.
///
/// Source: spec, mesh §8.
final class ScheduledRelays {
    /// One packet that waits.
    struct Job {
        let key: DedupKey
        let view: PacketView
        let priority: OutboundPriority
        /// The TTL that it leaves with.
        let ttl: UInt8
        /// Where it came in, should the registry have forgotten.
        let link: LinkID
        let from: PeerID
    }

    /// Two ends of a session.
    private struct Ends: Hashable {
        let sender: PeerID
        let recipient: PeerID
    }

    private var jobs: [UInt64: Job] = [:]
    /// The latest moment of a ciphertext that waits, and how many do.
    private var ciphertexts: [Ends: (until: Uptime, count: Int)] = [:]
    private var numbers: [DedupKey: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    private var byLink: [LinkID: RecencyOrder<UInt64>] = [:]
    private var counts = FairShares<LinkID>()
    private var bytes = FairShares<LinkID>()
    private let scheduler: any Scheduler

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Packets that wait.
    var count: Int { jobs.count }

    /// Bytes of packets that wait.
    var byteCount: Int { bytes.total }

    /// Lets a packet wait until a time.
    ///
    /// A ciphertext waits at least for those before it: phones refuse what comes late (spec: noise §3.4).
    ///
    /// - Returns: How many packets are given up because too many wait: this one, or some of the link that has the most.
    func schedule(_ job: Job, at time: Uptime) -> Int {
        guard numbers[job.key] == nil else { return 0 }
        let cost = job.view.frame.count
        var dropped = 0
        while true {
            let yielding: LinkID?
            if jobs.count >= RelayPolicy.maximumScheduled {
                yielding = counts.yielding(to: job.link)
            } else if byteCount + cost > RelayPolicy.maximumScheduledBytes {
                yielding = bytes.yielding(to: job.link, amount: cost)
            } else {
                break
            }
            guard let yielding, yielding != job.link, let oldest = byLink[yielding]?.oldest else { return dropped + 1 }
            scheduler.cancel(.relay(oldest))
            _ = take(oldest)
            dropped += 1
        }
        insert(job, cost: cost)
        scheduler.schedule(.relay(lastNumber), at: keepingOrder(of: job, at: time))
        return dropped
    }

    private func insert(_ job: Job, cost: Int) {
        lastNumber += 1
        jobs[lastNumber] = job
        numbers[job.key] = lastNumber
        byLink[job.link, default: RecencyOrder()].touch(lastNumber)
        counts.add(1, to: job.link)
        bytes.add(cost, to: job.link)
    }

    /// The packet whose moment is here.
    func take(_ number: UInt64) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        numbers[job.key] = nil
        byLink[job.link]?.remove(number)
        if byLink[job.link]?.count == 0 { byLink[job.link] = nil }
        counts.add(-1, to: job.link)
        bytes.add(-job.view.frame.count, to: job.link)
        if let ends = ends(of: job), let waiting = ciphertexts[ends] {
            ciphertexts[ends] = waiting.count > 1 ? (waiting.until, waiting.count - 1) : nil
        }
        return job
    }

    /// A ciphertext's moment: not before those that were scheduled earlier.
    private func keepingOrder(of job: Job, at time: Uptime) -> Uptime {
        guard let ends = ends(of: job) else { return time }
        let earlier = ciphertexts[ends]
        let moment = max(time, earlier?.until ?? time)
        ciphertexts[ends] = (moment, (earlier?.count ?? 0) + 1)
        return moment
    }

    private func ends(of job: Job) -> Ends? {
        switch job.view.type {
        case .noiseEncrypted: job.view.recipient.map { Ends(sender: job.view.sender, recipient: $0) }
        // What one person says to everyone is read in its order, too.
        case .message: Ends(sender: job.view.sender, recipient: .broadcast)
        default: nil
        }
    }

    /// Gives a packet up that a neighbour has passed on already; `true` when it was waiting.
    func cancel(_ key: DedupKey) -> Bool {
        guard let number = numbers[key] else { return false }
        scheduler.cancel(.relay(number))
        return take(number) != nil
    }
}
