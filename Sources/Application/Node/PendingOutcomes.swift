import Domain

/// What the node does once a change is durable, or undoes when it never will be.
enum Outcome: Hashable {
    /// Tell the writer that the message arrived.
    case acknowledge(PeerID, MessageID)
    /// Send a message of ours.
    case dispatch(PeerID, MessageID)
}

/// Outcomes that wait for the disk, in the order of their commits.
final class PendingOutcomes {
    private var waiting: [(commit: CommitID, outcome: Outcome)] = []
    private var held: Set<Outcome> = []

    /// The number of outcomes that wait.
    var count: Int { waiting.count }

    /// Whether this outcome waits.
    func isHeld(_ outcome: Outcome) -> Bool { held.contains(outcome) }

    /// Holds an outcome back until its commit is durable.
    func hold(_ outcome: Outcome, until commit: CommitID) {
        guard held.insert(outcome).inserted else { return }
        waiting.append((commit, outcome))
    }

    /// Releases everything up to a commit, in order.
    func release(upTo commit: CommitID) -> [Outcome] {
        let count = waiting.firstIndex { $0.commit > commit } ?? waiting.count
        return drop(waiting.prefix(count).map(\.outcome)) { waiting.removeFirst(count) }
    }

    /// Takes back what waited for a commit that failed.
    func fail(_ commit: CommitID) -> [Outcome] {
        drop(waiting.filter { $0.commit == commit }.map(\.outcome)) { waiting.removeAll { $0.commit == commit } }
    }

    private func drop(_ outcomes: [Outcome], _ removal: () -> Void) -> [Outcome] {
        removal()
        held.subtract(outcomes)
        return outcomes
    }
}
