import Domain

/// What a simulated disk does with writes: commits them in groups and in order, late, not at all, or never.
///
/// As in the real stores, one group is on its way at a time and what comes meanwhile waits for the next one. Outcomes are
/// told from the event queue only, never from within ``append(_:)``.
final class CommitQueue<Change> {
    /// How long a group takes, in milliseconds.
    var delay: ClosedRange<Int64>
    /// How many of the next writes fail.
    var failuresToCome = 0
    /// The probability that a write fails.
    var failureProbability = 0.0
    /// While set, no group starts.
    var isHeld = false {
        didSet { start() }
    }
    /// Keeps a write; called as it becomes durable.
    var keep: (UInt64, Change) -> Void = { _, _ in }
    /// Told after the group about each write, in order: its number, whether it was kept, and whether the next one was
    /// kept too, so that a whole run can be told as one.
    var settled: (UInt64, Bool, Bool) -> Void = { _, _, _ in }

    private let time: VirtualTime
    private let dice: SeededRandomness
    private var waiting: [(number: UInt64, change: Change)] = []
    private var group: [(number: UInt64, change: Change)] = []
    private var last: UInt64 = 0
    private var life = 0
    private var isStarting = false

    init(_ time: VirtualTime, dice: SeededRandomness, delay: ClosedRange<Int64>) {
        self.time = time
        self.dice = dice
        self.delay = delay
    }

    /// What is not durable yet, oldest first.
    var pending: [Change] { (group + waiting).map(\.change) }

    func append(_ change: Change) -> UInt64 {
        last += 1
        waiting.append((last, change))
        start()
        return last
    }

    /// Loses what is not durable, and counts from 1 again, as a new run does.
    func crash() {
        life += 1
        waiting = []
        group = []
        last = 0
        isStarting = false
    }

    /// Collects a group at the end of the present moment and commits it after the delay.
    private func start() {
        guard !isHeld, !isStarting, group.isEmpty, !waiting.isEmpty else { return }
        isStarting = true
        schedule(after: 0) { queue in
            queue.isStarting = false
            guard !queue.isHeld else { return }
            swap(&queue.group, &queue.waiting)
            let spread = Int(queue.delay.upperBound - queue.delay.lowerBound) + 1
            let span = Milliseconds(queue.delay.lowerBound + Int64(queue.dice.number(below: spread)))
            queue.schedule(after: span) { $0.finish() }
        }
    }

    private func finish() {
        let finished = group
        let finishedLife = life
        group = []
        let outcomes = finished.map { entry in
            let fails = dice.chance(failureProbability) || failuresToCome > 0
            if failuresToCome > 0 { failuresToCome -= 1 }
            if !fails { keep(entry.number, entry.change) }
            return (entry.number, !fails)
        }
        start()
        for (index, (number, isKept)) in outcomes.enumerated() where life == finishedLife {
            settled(number, isKept, index + 1 < outcomes.count && outcomes[index + 1].1)
        }
    }

    private func schedule(after span: Milliseconds, _ action: @escaping (CommitQueue) -> Void) {
        let scheduledLife = life
        time.after(span) { [weak self] in
            if let self, life == scheduledLife { action(self) }
        }
    }
}
