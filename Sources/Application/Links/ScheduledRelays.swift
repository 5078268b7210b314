import Domain

/// Packets of others that wait for their moment: a random little while, so that neighbours do not all speak at once and one
/// that was faster can make a copy needless. Bounded.
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
    private var byteCount = 0
    private let scheduler: any Scheduler

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Packets that wait.
    var count: Int { jobs.count }

    /// Lets a packet wait until a time; `false` when too many do.
    ///
    /// A ciphertext waits at least for those before it: phones refuse what comes late (spec: noise §3.4).
    func schedule(_ job: Job, at time: Uptime) -> Bool {
        guard numbers[job.key] == nil else { return true }
        guard jobs.count < RelayPolicy.maximumScheduled,
            byteCount + job.view.frame.count <= RelayPolicy.maximumScheduledBytes
        else { return false }
        lastNumber += 1
        jobs[lastNumber] = job
        numbers[job.key] = lastNumber
        byteCount += job.view.frame.count
        var time = time
        if let ends = ends(of: job) {
            let earlier = ciphertexts[ends]
            time = max(time, earlier?.until ?? time)
            ciphertexts[ends] = (time, (earlier?.count ?? 0) + 1)
        }
        scheduler.schedule(.relay(lastNumber), at: time)
        return true
    }

    /// The packet whose moment is here.
    func take(_ number: UInt64) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        numbers[job.key] = nil
        byteCount -= job.view.frame.count
        if let ends = ends(of: job), let waiting = ciphertexts[ends] {
            ciphertexts[ends] = waiting.count > 1 ? (waiting.until, waiting.count - 1) : nil
        }
        return job
    }

    private func ends(of job: Job) -> Ends? {
        guard job.view.type == .noiseEncrypted, let recipient = job.view.recipient else { return nil }
        return Ends(sender: job.view.sender, recipient: recipient)
    }

    /// Gives a packet up that a neighbour has passed on already; `true` when it was waiting.
    func cancel(_ key: DedupKey) -> Bool {
        guard let number = numbers[key] else { return false }
        scheduler.cancel(.relay(number))
        return take(number) != nil
    }
}
