/// A device that advertises our service.
public struct Sighting<Device: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// Which device: an address, as the radio knows it.
    public let device: Device
    /// How strong it is, in dBm.
    public let signal: Int8
    /// Whether it says that it takes connections.
    public let isConnectable: Bool
    /// Whether the radio has a connection to it, or is making one, whatever the scheduler believes.
    public let isHeldByRadio: Bool

    /// Describes a sighting.
    public init(device: Device, signal: Int8, isConnectable: Bool, isHeldByRadio: Bool = false) {
        self.device = device
        self.signal = signal
        self.isConnectable = isConnectable
        self.isHeldByRadio = isHeldByRadio
    }
}

/// What to do about a sighting.
public enum SightingDecision: Hashable, Sendable {
    /// Nothing.
    case ignore
    /// It waits in the queue now. With `retryAfter`, run the queue then.
    case enqueued(retryAfter: Milliseconds?)
    /// The radio holds a connection that we know nothing of: cancel it.
    case cancel
    /// Connect; the attempt is on record already.
    case connect
}

/// What to do about the queue.
public enum QueueDecision<Device: Hashable & Sendable>: Hashable, Sendable {
    /// Nothing.
    case idle
    /// Run the queue again after this long.
    case retry(after: Milliseconds)
    /// Connect; the attempt is on record already.
    case connect(Device)
}

/// Whom to open links to, and when: near devices at once, the others one by one, those that failed later.
///
/// There is no rule about who of two connects: both do. Devices that already have a link to us in the other role are left
/// alone, since one link serves both directions. Memory is bounded: links by the controller, the queue by its cap, and
/// marks by the rate of attempts times the life of a mark.
///
/// Source: spec, mesh §21.
public struct ConnectionScheduler<Device: Hashable & Comparable & Sendable>: Sendable {
    /// The queue.
    public private(set) var queue = CandidateQueue<Device>()
    /// The signal strength that a device must exceed.
    public private(set) var threshold = SignalThreshold()
    /// Attempts under way, with their start.
    private var connecting: [Device: Uptime] = [:]
    /// Links that we opened.
    private var connected: Set<Device> = []
    /// Links that neighbours opened.
    private var incoming: Set<Device> = []
    private var marks: [Device: ConnectionMarks] = [:]
    private var lastAttempt: Uptime?
    private let budget: LinkBudget

    /// Starts without links.
    public init(budget: LinkBudget) { self.budget = budget }

    /// Links that we opened or are opening.
    public var outgoingCount: Int { connecting.count + connected.count }
    /// Devices with marks.
    public var markCount: Int { marks.count }

    /// What is remembered of a device.
    public subscript(device: Device) -> ConnectionMarks { marks[device] ?? ConnectionMarks() }

    // MARK: Decisions

    /// Decides about a sighting; the first rule that matches counts.
    public mutating func sighted(_ sighting: Sighting<Device>, at now: Uptime) -> SightingDecision {
        let device = sighting.device
        guard sighting.isConnectable, !incoming.contains(device) else { return .ignore }
        guard threshold.passes(sighting.signal), hasRoom else { return enqueue(sighting, at: now) }
        if let wait = waitForRate(at: now) { return enqueue(sighting, retryAfter: wait, at: now) }
        let marks = self[device]
        if isOutgoing(device)
            || ConnectionMarks.isFresh(marks.attemptedAt, for: RadioPolicy.repeatInterval, at: now)
            || ConnectionMarks.isFresh(marks.timedOutAt, for: RadioPolicy.timeoutIgnore, at: now)
            || ConnectionMarks.isFresh(marks.brokeAt, for: RadioPolicy.disconnectIgnore, at: now)
        {
            return .ignore
        }
        if sighting.isHeldByRadio { return .cancel }
        begin(device, at: now)
        return .connect
    }

    /// Takes the next device from the queue; due at each maintenance tick, and after a failure, a timeout or a disconnect.
    ///
    /// The signal threshold does not count here: a weak device was only put off.
    public mutating func next(at now: Uptime) -> QueueDecision<Device> {
        guard hasRoom, queue.count > 0 else { return .idle }
        if let wait = waitForRate(at: now) { return .retry(after: wait) }
        while let candidate = queue.best(by: { score($0, at: now) }) {
            if let wait = cooldown(of: candidate, at: now) { return .retry(after: wait) }
            let device = candidate.device
            guard !isOutgoing(device), !incoming.contains(device) else {
                queue.remove(device)
                continue
            }
            begin(device, at: now)
            return .connect(device)
        }
        return .idle
    }

    /// The points of a candidate; the highest goes first.
    public func score(_ candidate: ConnectionCandidate<Device>, at now: Uptime) -> Int64 {
        let marks = self[candidate.device]
        let signal = RadioPolicy.scorePerDecibel * (Int64(candidate.signal) - RadioPolicy.scoreSignalFloor)
        let age = (now - candidate.seenAt).count / RadioPolicy.scoreAgeStep.count
        let failures = Int64(1) << Int64(min(marks.failures, RadioPolicy.scoreMaximumFailures))
        let timedOut = ConnectionMarks.isFresh(marks.timedOutAt, for: RadioPolicy.scoreTimeoutWindow, at: now)
        return RadioPolicy.scoreBase + signal - age - failures - (timedOut ? RadioPolicy.scoreTimeoutPenalty : 0)
    }

    /// Attempts that take too long, oldest first: cancel them and report ``timedOut(_:at:)``.
    public func overdue(at now: Uptime) -> [Device] {
        connecting.filter { now - $0.value >= RadioPolicy.connectTimeout }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    // MARK: Outcomes

    /// An attempt succeeded: what went wrong before is forgotten.
    public mutating func succeeded(_ device: Device) {
        connecting[device] = nil
        connected.insert(device)
        guard let attemptedAt = marks[device]?.attemptedAt else { return marks[device] = nil }
        marks[device] = ConnectionMarks()
        marks[device]?.attemptedAt = attemptedAt
    }

    /// An attempt failed.
    public mutating func failed(_ device: Device, at now: Uptime) {
        connecting[device] = nil
        countFailure(device, at: now)
    }

    /// An attempt took too long and was cancelled.
    public mutating func timedOut(_ device: Device, at now: Uptime) {
        failed(device, at: now)
        marks[device]?.timedOutAt = now
    }

    /// A link that we opened ended.
    ///
    /// - Parameter isError: Whether it broke, as opposed to being closed on purpose by either side.
    public mutating func disconnected(_ device: Device, isError: Bool, at now: Uptime) {
        connecting[device] = nil
        connected.remove(device)
        if isError { marks[device, default: ConnectionMarks()].brokeAt = now }
    }

    /// A neighbour opened a link to us.
    public mutating func accepted(_ device: Device) { incoming.insert(device) }

    /// A link that a neighbour had opened ended.
    public mutating func released(_ device: Device) { incoming.remove(device) }

    // MARK: Upkeep

    /// Adapts the signal threshold; due at each maintenance tick.
    public mutating func adapt(degree: Int, at now: Uptime) {
        threshold.adapt(degree: degree, outgoingLinks: outgoingCount, candidates: queue.count, at: now)
    }

    /// Drops marks older than two minutes; due every 15 s.
    public mutating func cleanUp(at now: Uptime) { marks = marks.compactMapValues { $0.swept(at: now) } }

    // MARK: Parts

    private var hasRoom: Bool { budget.allowsOutgoing(outgoing: outgoingCount, incoming: incoming.count) }

    private func isOutgoing(_ device: Device) -> Bool { connecting[device] != nil || connected.contains(device) }

    /// How long the limit on attempts to anybody still holds.
    private func waitForRate(at now: Uptime) -> Milliseconds? {
        guard let lastAttempt, now - lastAttempt < RadioPolicy.connectInterval else { return nil }
        return lastAttempt + RadioPolicy.connectInterval + RadioPolicy.retryMargin - now
    }

    /// How long a candidate must be left alone, if the queue has to wait for it.
    private func cooldown(of candidate: ConnectionCandidate<Device>, at now: Uptime) -> Milliseconds? {
        let marks = self[candidate.device]
        if let timedOutAt = marks.timedOutAt, candidate.signal <= RadioPolicy.weakSignal,
            now - timedOutAt < RadioPolicy.weakCooldown
        {
            let remaining = timedOutAt + RadioPolicy.weakCooldown - now
            return min(max(remaining, RadioPolicy.weakRetry.lowerBound), RadioPolicy.weakRetry.upperBound)
        }
        if let brokeAt = marks.brokeAt, now - brokeAt < RadioPolicy.disconnectIgnore {
            return brokeAt + RadioPolicy.disconnectIgnore + RadioPolicy.retryMargin - now
        }
        return nil
    }

    private mutating func enqueue(
        _ sighting: Sighting<Device>, retryAfter: Milliseconds? = nil, at now: Uptime
    ) -> SightingDecision {
        queue.insert(ConnectionCandidate(device: sighting.device, signal: sighting.signal, seenAt: now))
        return .enqueued(retryAfter: retryAfter)
    }

    private mutating func begin(_ device: Device, at now: Uptime) {
        queue.remove(device)
        connecting[device] = now
        lastAttempt = now
        marks[device, default: ConnectionMarks()].attemptedAt = now
    }

    private mutating func countFailure(_ device: Device, at now: Uptime) {
        var known = self[device]
        known.failures = min(known.failures + 1, RadioPolicy.scoreMaximumFailures)
        known.failedAt = now
        marks[device] = known
    }
}
