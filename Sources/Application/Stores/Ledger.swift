import Domain

/// Writes changes of the node's stores down, and sees to it that what waits for the disk is done then.
final class Ledger {
    private let journal: any Journal
    private let outcomes: PendingOutcomes
    private var metrics: [Metric: UInt64] = [:]

    /// - Parameter records: What the stores held at the last run; counters go on from there.
    init(journal: any Journal, outcomes: PendingOutcomes, records: [Record]) {
        self.journal = journal
        self.outcomes = outcomes
        for case .metric(let metric, let count) in records { metrics[metric] = count }
    }

    /// The counters that survive restarts, those that never counted included.
    var report: [Metric: UInt64] {
        Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0, metrics[$0] ?? 0) })
    }

    /// Writes changes that belong together; all become durable, or none.
    ///
    /// - Parameters:
    ///   - counted: What happened with them.
    ///   - outcome: What is done once they are durable, or undone when they never will be.
    func write(_ changes: [JournalChange], counting counted: [Metric] = [], then outcome: Outcome? = nil) {
        for metric in counted { metrics[metric] = (metrics[metric] ?? 0) &+ 1 }
        // Once for each, however often it happened: what waits for the disk is bounded.
        let all = changes + Metric.allCases.filter(counted.contains).map { .put(.metric($0, metrics[$0] ?? 0)) }
        guard !all.isEmpty else { return }
        let commit = journal.append(all)
        if let outcome { outcomes.hold(outcome, until: commit) }
    }
}
