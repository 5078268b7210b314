import Application
import Dispatch
import Domain

/// Brings one client every logged event after its cursor, in order, none twice.
///
/// The log on the disk is the buffer: the next page is read only when the client has taken most of the last one, so that
/// a slow reader costs a page of memory and never waits in anyone's way.
///
/// `@unchecked Sendable`: everything that changes is touched on the server's queue only.
final class Subscription: @unchecked Sendable {
    /// What is wanted.
    let filter: EventFilter

    private weak var connection: ControlConnection?
    private let history: any EventHistory
    private let policy: ControlPolicy
    private let queue: DispatchQueue
    private let historyQueue: DispatchQueue
    private let log: ControlServer.Log
    private var cursor: UInt64 = 0
    /// Whether the cursor is set and the client knows it.
    private var isStarted = false
    private var isReading = false
    private var isCancelled = false
    /// Whether there may be events that the last read did not see.
    private var mayHaveMore = true

    init(filter: EventFilter, connection: ControlConnection, server: ControlServer) {
        self.filter = filter
        self.connection = connection
        history = server.history
        policy = server.policy
        queue = server.queue
        historyQueue = server.historyQueue
        log = server.log
    }

    func cancel() { isCancelled = true }

    /// Finds the place in the log, answers the client, then begins.
    func start(_ reply: @escaping @Sendable (ControlReply) -> Void) {
        let (history, after) = (history, filter.after)
        historyQueue.async {
            let bounds = Result { try history.bounds() }
            self.queue.async { self.begin(after: after, bounds: bounds, reply) }
        }
    }

    private func begin(
        after: UInt64?, bounds: Result<ClosedRange<UInt64>?, any Error>,
        _ reply: @Sendable (ControlReply) -> Void
    ) {
        guard !isCancelled else {
            reply(.failure(ControlError(code: ControlError.invalidRequest, message: "replaced by a later request")))
            return
        }
        switch bounds {
        case .failure(let error):
            log(.error, "control: the event log cannot be read: \(error)")
            reply(.failure(ControlError(code: ControlError.internalError, message: "the event log cannot be read")))
            connection?.drop(self)
        case .success(let bounds):
            let place = Place(after: after, bounds: bounds)
            cursor = place.cursor
            reply(.success(place.json))
            isStarted = true
            pump()
        }
    }

    /// Events up to `sequence` were logged.
    func wake(upTo sequence: UInt64) {
        guard !isStarted || sequence > cursor else { return }
        mayHaveMore = true
        pump()
    }

    /// Reads the next page, if there is one to read and the client has room.
    func pump() {
        guard isStarted, !isCancelled, !isReading, mayHaveMore, let connection,
            connection.waiting <= policy.outboundLowWater
        else { return }
        isReading = true
        mayHaveMore = false
        let (history, cursor, limit, filter) = (history, cursor, policy.pageSize, filter)
        historyQueue.async {
            // The bounds first: what they name and the read does not bring is pruned or damaged, and not on its way.
            let page = Result {
                let bounds = try history.bounds()
                return Page(
                    try history.events(after: cursor, limit: limit), after: cursor, limit: limit, bounds: bounds,
                    filter: filter)
            }
            self.queue.async { self.deliver(page, limit: limit) }
        }
    }

    private func deliver(_ page: Result<Page, any Error>, limit: Int) {
        isReading = false
        guard !isCancelled, let connection else { return }
        switch page {
        case .failure(let error):
            // The client keeps its cursor and can come back; going on would lose events without a word.
            log(.error, "control: the event log cannot be read: \(error)")
            connection.close()
        case .success(let page):
            cursor = page.cursor
            if page.count >= limit { mayHaveMore = true }
            if !page.bytes.isEmpty { connection.write(page.bytes) }
            pump()
        }
    }
}

/// Where in the log a reader begins.
public struct Place: Equatable, Sendable {
    /// The event before the first one that will be sent.
    public let cursor: UInt64
    /// Whether events that the client has not seen are gone.
    public let isMissed: Bool
    /// The lowest sequence that is kept, when events are missed and there are any.
    public let oldest: UInt64?

    /// Finds the place for a client that has everything up to `after`; without it, the end of the log.
    public init(after: UInt64?, bounds: ClosedRange<UInt64>?) {
        guard let bounds else {
            // Whatever comes into an empty log is new to everyone; who has seen events knew another log than this.
            cursor = 0
            isMissed = (after ?? 0) > 0
            oldest = nil
            return
        }
        guard let after else {
            cursor = bounds.upperBound
            isMissed = false
            oldest = nil
            return
        }
        // A cursor beyond the end belongs to a log that was wiped: what is here now was never seen.
        let isForeign = after > bounds.upperBound
        let isGap = bounds.lowerBound > 0 && after < bounds.lowerBound - 1
        cursor = isForeign || isGap ? bounds.lowerBound &- min(bounds.lowerBound, 1) : after
        isMissed = isForeign || isGap
        oldest = isMissed ? bounds.lowerBound : nil
    }

    /// The answer to `subscribe`.
    var json: JSONValue {
        .object([
            "cursor": .number(cursor), "missed": isMissed ? true : nil, "oldest": oldest.map { .number($0) },
        ])
    }
}

/// Events of one read, ready to be sent.
private struct Page: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The last event looked at, wanted or not.
    private(set) var cursor: UInt64
    /// How many events were read, wanted or not.
    let count: Int

    init(
        _ events: [LoggedEvent], after cursor: UInt64, limit: Int, bounds: ClosedRange<UInt64>?, filter: EventFilter
    ) {
        self.cursor = cursor
        count = events.count
        for logged in events {
            // A log that was set aside goes on far above 0: to who begins there, nothing is missing.
            let isKnown = self.cursor > 0 || (bounds?.lowerBound ?? .max) < logged.sequence
            if logged.sequence > self.cursor &+ 1, isKnown { tellGap(before: logged.sequence) }
            self.cursor = logged.sequence
            let json = logged.json
            if filter.wants(json) { bytes += RPCWriter.notification("event", json).line }
        }
        // The newest rows do not open: without a word the client would wait for them for ever.
        if events.count < limit, let bounds, bounds.upperBound > self.cursor, bounds.upperBound < .max {
            tellGap(before: bounds.upperBound + 1)
            self.cursor = bounds.upperBound
        }
    }

    /// The log was cut while the client lagged behind it, or rows are damaged.
    private mutating func tellGap(before sequence: UInt64) {
        bytes +=
            RPCWriter.notification("missed", .object(["after": .number(cursor), "oldest": .number(sequence)])).line
    }
}
