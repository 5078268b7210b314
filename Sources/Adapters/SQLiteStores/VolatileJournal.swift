import Application
import Dispatch
import Domain
import Synchronization

/// What a node runs with when its database cannot be used: nothing is kept, and whoever appends is told so.
///
/// Every append fails with the reason. To report it as committed would be a lie with consequences: a sender would hear
/// "delivered" of what the next power cut takes, a courier would take mail and forget it. So the node relays, talks and
/// promises nothing. The newest events are in memory, so that whoever listens now still sees what happens; their sequence
/// goes on from the time, above any cursor into the log that cannot be read.
public final class VolatileJournal: NodeJournal {
    /// Why nothing is kept.
    public let reason: String

    private struct State {
        var queue: JournalQueue
        var events = RecentEvents()
    }

    private let limit: Int
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "satchel.volatile-journal")

    /// Makes an empty one.
    ///
    /// - Parameters:
    ///   - reason: Why nothing is kept: what the appends are told.
    ///   - time: The wall clock's time, from which the events' sequence goes on.
    public init(reason: String, policy: JournalPolicy = JournalPolicy(), at time: WallTime) {
        self.reason = reason
        limit = policy.volatileEventLimit
        state = Mutex(
            State(
                queue: JournalQueue(refusing: reason),
                events: RecentEvents(lastSequence: JournalSchema.sequenceStart(at: time))))
    }

    /// Begins to report, what was appended before included.
    public func start(reporting reports: JournalReports) {
        let isDue = state.withLock { $0.queue.start(reports) }
        if isDue { queue.async { self.drain() } }
    }

    /// Returns at once; the failure is reported.
    public func append(_ changes: [JournalChange]) -> CommitID {
        let (id, isDue) = state.withLock { state in
            for case .event(let event) in changes { state.events.append(event, limit: limit) }
            return state.queue.append(changes)
        }
        if isDue { queue.async { self.drain() } }
        return id
    }

    /// Reports what was not yet reported.
    public func close() { queue.sync { drain() } }

    private func drain() {
        while let (entries, reports, last) = takeEntries() {
            guard let reports else { return }
            reports.report(entries, failure: reason)
            if let last { reports.logged(last) }
        }
    }

    private func takeEntries() -> ([JournalQueue.Entry], JournalReports?, UInt64?)? {
        state.withLock { state in
            state.queue.take().map { entries, reports in (entries, reports, state.events.takeNews()) }
        }
    }

    /// Nothing.
    public func identities() -> (records: [PeerIdentity], damaged: Int) { ([], 0) }

    /// Nothing.
    public func records() -> (records: [Record], damaged: Int) { ([], 0) }

    /// At most `limit` events with a sequence above `sequence`, in order.
    public func events(after sequence: UInt64, limit: Int) -> [LoggedEvent] {
        state.withLock { $0.events.list(after: sequence, limit: limit) }
    }

    /// The lowest and the highest sequence there is; `nil` before the first event.
    public func bounds() -> ClosedRange<UInt64>? { state.withLock { $0.events.bounds } }
}

/// The newest events, numbered without a gap.
private struct RecentEvents {
    private var events: [LoggedEvent] = []
    private var lastSequence: UInt64
    private var hasNews = false

    init(lastSequence: UInt64 = 0) { self.lastSequence = lastSequence }

    mutating func append(_ event: Event, limit: Int) {
        lastSequence += 1
        hasNews = true
        events.append(LoggedEvent(sequence: lastSequence, event: event))
        // Seldom, and many at once: each time costs a move of the rest.
        if events.count >= 2 * max(1, limit) { events.removeFirst(events.count - limit) }
    }

    /// The highest sequence, when it has risen since the last call.
    mutating func takeNews() -> UInt64? {
        defer { hasNews = false }
        return hasNews ? lastSequence : nil
    }

    func list(after sequence: UInt64, limit: Int) -> [LoggedEvent] {
        guard let first = events.first?.sequence, sequence < lastSequence else { return [] }
        let skipped = sequence < first ? 0 : Int(sequence - first) + 1
        return Array(events.dropFirst(skipped).prefix(max(0, limit)))
    }

    var bounds: ClosedRange<UInt64>? { events.first.map { $0.sequence...lastSequence } }
}
