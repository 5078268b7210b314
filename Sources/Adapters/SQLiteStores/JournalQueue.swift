import Application

/// What waits for the disk, in the order of the appends.
struct JournalQueue: Sendable {
    enum Entry: Sendable {
        case change(CommitID, JournalChange)
        /// Appends that found no room; a run of them is one entry, so that a stalled disk costs no memory.
        case refused(ClosedRange<UInt64>, reason: String)
    }

    private let limit: Int
    private var entries: [Entry] = []
    private var changes = 0
    private var lastID: UInt64 = 0
    private var isDraining = false
    private var isClosed = false
    private var reports: JournalReports?

    init(limit: Int) { self.limit = limit }

    /// Whether the queue must now be drained.
    mutating func start(_ reports: JournalReports) -> Bool {
        self.reports = reports
        return beginDraining()
    }

    /// The new identifier, and whether the queue must now be drained.
    mutating func append(_ change: JournalChange) -> (CommitID, Bool) {
        lastID += 1
        if isClosed {
            refuse("the journal is closed")
        } else if changes >= limit {
            refuse("the disk does not keep up: \(limit) changes wait")
        } else {
            changes += 1
            entries.append(.change(CommitID(rawValue: lastID), change))
        }
        return (CommitID(rawValue: lastID), beginDraining())
    }

    private mutating func refuse(_ reason: String) {
        if case .refused(let range, reason)? = entries.last {
            entries[entries.count - 1] = .refused(range.lowerBound...lastID, reason: reason)
        } else {
            entries.append(.refused(lastID...lastID, reason: reason))
        }
    }

    private mutating func beginDraining() -> Bool {
        guard reports != nil, !isDraining, !entries.isEmpty else { return false }
        isDraining = true
        return true
    }

    mutating func close() { isClosed = true }

    /// Everything that waits; `nil`, and the end of draining, when nothing does.
    mutating func take() -> ([Entry], JournalReports?)? {
        guard !entries.isEmpty else {
            isDraining = false
            return nil
        }
        defer {
            entries = []
            changes = 0
        }
        return (entries, reports)
    }
}
