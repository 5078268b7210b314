import Application
import Domain

/// A journal in memory that can be slow, fail, and forget what was not committed when its node crashes.
///
/// It outlives the node: after ``crash()`` the next run finds in it what a disk would hold.
public final class MemoryJournal: Journal {
    /// Told the highest identifier that is durable: the node's `committed(_:)`.
    public var committed: (CommitID) -> Void = { _ in }
    /// Told of one that will never be: the node's `commitFailed(_:reason:)`.
    public var commitFailed: (CommitID, String) -> Void = { _, _ in }
    /// Sees each event as it becomes durable, before the node is told; stays in place through crashes.
    public var observe: ((LoggedEvent) -> Void)?
    /// The committed events, numbered from 1 across restarts.
    public private(set) var events: [LoggedEvent] = []

    private let queue: CommitQueue<[JournalChange]>
    private var identitiesByKey: [AgreementPublicKey: PeerIdentity] = [:]
    private var recordsByKey: [RecordKey: (change: UInt64, record: Record)] = [:]
    private var lastChange: UInt64 = 0

    /// Makes an empty journal.
    ///
    /// - Parameters:
    ///   - delay: How long a commit takes, in milliseconds; with 0 it is told in an event of the same moment.
    ///   - randomness: Draws delays and failures.
    public init(
        _ time: VirtualTime, delay: ClosedRange<Int64> = 0...0,
        randomness: SeededRandomness = SeededRandomness(seed: 0)
    ) {
        queue = CommitQueue(time, dice: randomness.fork("journal"), delay: delay)
        queue.keep = { [unowned self] _, changes in for change in changes { keep(change) } }
        queue.settled = { [unowned self] number, isKept, nextIsKept in
            let commit = CommitID(rawValue: number)
            if !isKept { commitFailed(commit, "simulated disk failure") }
            // Only the highest identifier of a run is told, as the port says.
            if isKept, !nextIsKept { committed(commit) }
        }
    }

    /// How long a commit takes, in milliseconds.
    public var delay: ClosedRange<Int64> {
        get { queue.delay }
        set { queue.delay = newValue }
    }
    /// How many of the next appends will fail to commit, each with all its changes.
    public var failuresToCome: Int {
        get { queue.failuresToCome }
        set { queue.failuresToCome = newValue }
    }
    /// The probability that an append fails to commit.
    public var failureProbability: Double {
        get { queue.failureProbability }
        set { queue.failureProbability = newValue }
    }
    /// While set, nothing new commits.
    public var isHeld: Bool {
        get { queue.isHeld }
        set { queue.isHeld = newValue }
    }

    /// What was appended and is neither committed nor failed, oldest first.
    public var pending: [JournalChange] { queue.pending.flatMap { $0 } }

    /// The committed identities, in order of their keys.
    public func identities() -> [PeerIdentity] {
        identitiesByKey.values.sorted { $0.noiseKey.bytes < $1.noiseKey.bytes }
    }

    /// The committed entries of all stores that have not expired, in the order of their last changes.
    public func records(at time: WallTime) -> [Record] {
        recordsByKey.values.sorted { $0.change < $1.change }.map(\.record).filter { !$0.isExpired(at: time) }
    }

    /// A copy of the event log as it is now.
    public var history: EventList { EventList(events) }

    /// Queues changes that belong together.
    public func append(_ changes: [JournalChange]) -> CommitID { CommitID(rawValue: queue.append(changes)) }

    /// The node crashed: what is not committed is lost, its outcome is told to nobody, and identifiers start again.
    public func crash() {
        queue.crash()
        committed = { _ in }
        commitFailed = { _, _ in }
    }

    private func keep(_ change: JournalChange) {
        switch change {
        case .event(let event):
            let entry = LoggedEvent(sequence: UInt64(events.count) + 1, event: event)
            events.append(entry)
            observe?(entry)
        case .identity(let identity): identitiesByKey[identity.noiseKey] = identity
        case .put(let record):
            lastChange += 1
            recordsByKey[record.key] = (lastChange, record)
        case .remove(let key): recordsByKey[key] = nil
        }
    }
}
