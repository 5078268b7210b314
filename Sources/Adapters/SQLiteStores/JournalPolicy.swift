import Application
import Domain

/// Bounds of the journal and of what it keeps.
public struct JournalPolicy: Hashable, Sendable {
    /// Changes that wait for the disk, in all appends. Bounds memory while the disk stalls; what comes then fails at once.
    public var queueLimit = 1000
    /// Events kept. Bounds the disk at some 25 MB, and a backlog that a returning script has to read.
    public var eventLimit = 50_000
    /// Days that events are kept: what nobody fetched in a month is a liability, not a service.
    public var eventDays: Int64 = 30
    /// Newest events kept whatever their age: a clock that was wrong when they were recorded must not lose them.
    public var eventMinimum = 1000
    /// Peers remembered; those go first that no session ever authenticated and that changed longest ago.
    public var identityLimit = 10_000
    /// Entries kept of each store; above it those go that changed longest ago. A last resort, above the bounds that the
    /// stores have themselves.
    public var recordLimits = Dictionary(
        uniqueKeysWithValues: RecordKey.Kind.allCases.map { ($0, Self.recordLimit(of: $0)) })
    /// Events that a ``VolatileJournal`` has for readers: a few megabytes of memory at most.
    public var volatileEventLimit = 1000
    /// The most pages of 4096 bytes that the database may have; `nil` for no limit but the disk's.
    public var pageLimit: Int?

    /// The bounds as documented.
    public init() {}

    private static func recordLimit(of kind: RecordKey.Kind) -> Int {
        switch kind {
        // Some ten counters; room for those of later versions.
        case .metric: 100
        // The outbox refuses more than it holds, but what it gave up goes a moment after what takes its place.
        case .outgoing: 2 * OutboxPolicy.entriesInAll
        }
    }
}
