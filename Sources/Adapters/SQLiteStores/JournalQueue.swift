import Application

/// What waits for the disk, in the order of the appends.
struct JournalQueue: Sendable {
    enum Entry: Sendable {
        /// One append: changes that become durable together or not at all.
        case group(CommitID, [JournalChange])
        /// Appends that found no room; a run of them is one entry, so that a stalled disk costs no memory.
        case refused(ClosedRange<UInt64>, reason: String)

        /// What is to be written.
        var changes: [JournalChange] { if case .group(_, let changes) = self { changes } else { [] } }
    }

    private let limit: Int
    private var entries: [Entry] = []
    /// Changes in all groups that wait.
    private var changes = 0
    private var lastID: UInt64 = 0
    private var isDraining = false
    /// Why nothing is taken any more.
    private var refusal: String?
    private var reports: JournalReports?

    /// Takes up to `limit` changes.
    init(limit: Int) { self.limit = limit }

    /// Takes nothing, and says why.
    init(refusing reason: String) {
        limit = 0
        refusal = reason
    }

    /// Whether the queue must now be drained.
    mutating func start(_ reports: JournalReports) -> Bool {
        self.reports = reports
        return beginDraining()
    }

    /// The new identifier, and whether the queue must now be drained.
    mutating func append(_ group: [JournalChange]) -> (CommitID, Bool) {
        lastID += 1
        // A group without changes waits like any other.
        let count = max(1, group.count)
        if let refusal {
            refuse(refusal)
        } else if changes > 0, changes + count > limit {
            // A group that is larger than the whole queue is taken when nothing waits: otherwise it would never be.
            refuse("the disk does not keep up: \(changes) changes wait")
        } else {
            changes += count
            entries.append(.group(CommitID(rawValue: lastID), group))
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

    /// Takes nothing from now on; a queue that never did keeps its reason.
    mutating func close() { refusal = refusal ?? "the journal is closed" }

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

extension JournalReports {
    /// Tells what became of entries, in the order of the appends, because `committed` speaks for everything before it.
    ///
    /// - Parameter failure: Why no group of them was committed; `nil` when all were.
    func report(_ entries: [JournalQueue.Entry], failure: String?) {
        var durable: CommitID?
        for entry in entries {
            switch entry {
            case .group(let id, _):
                if let failure { commitFailed(id, failure) } else { durable = id }
            case .refused(let range, let reason):
                if let id = durable { committed(id) }
                durable = nil
                for number in range { commitFailed(CommitID(rawValue: number), reason) }
            }
        }
        if let id = durable { committed(id) }
    }
}
