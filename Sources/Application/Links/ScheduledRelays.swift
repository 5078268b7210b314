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

    private var jobs: [UInt64: Job] = [:]
    private var numbers: [DedupKey: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    private var byteCount = 0
    private let scheduler: any Scheduler

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    /// Packets that wait.
    var count: Int { jobs.count }

    /// Lets a packet wait until a time; `false` when too many do.
    func schedule(_ job: Job, at time: Uptime) -> Bool {
        guard numbers[job.key] == nil else { return true }
        guard jobs.count < RelayPolicy.maximumScheduled,
            byteCount + job.view.frame.count <= RelayPolicy.maximumScheduledBytes
        else { return false }
        lastNumber += 1
        jobs[lastNumber] = job
        numbers[job.key] = lastNumber
        byteCount += job.view.frame.count
        scheduler.schedule(.relay(lastNumber), at: time)
        return true
    }

    /// The packet whose moment is here.
    func take(_ number: UInt64) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        numbers[job.key] = nil
        byteCount -= job.view.frame.count
        return job
    }

    /// Gives a packet up that a neighbour has passed on already; `true` when it was waiting.
    func cancel(_ key: DedupKey) -> Bool {
        guard let number = numbers[key] else { return false }
        scheduler.cancel(.relay(number))
        return take(number) != nil
    }
}
