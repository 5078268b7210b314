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
/// alone, since one link serves both directions. Memory is bounded, since phones show new addresses all the time: links by
/// the controller, the queue and the marks by their caps.
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
    private var connected: [Device: Success] = [:]
    /// Links that neighbours opened.
    private var incoming: Set<Device> = []
    private var marks: [Device: ConnectionMarks] = [:]
    private var lastAttempt: Uptime?
    /// What the controller carries, as far as we know.
    public private(set) var budget: LinkBudget

    /// A link that we opened.
    private struct Success: Sendable {
        /// When it came up.
        let at: Uptime
        /// What was remembered before it: failures count again if it breaks at once.
        let before: ConnectionMarks
    }

    private let maximumAttempts: Int

    /// Starts without links.
    ///
    /// - Parameters:
    ///   - budget: What the controller carries.
    ///   - maximumAttempts: How many attempts the radio makes at a time; a device that is seen meanwhile waits.
    public init(budget: LinkBudget = LinkBudget(), maximumAttempts: Int = .max) {
        self.budget = budget
        self.maximumAttempts = maximumAttempts
    }

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
            || marks.settledAt(after: now) != nil
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
    ///
    /// [ours]: the specification takes the best candidate, or waits for it. Then one strong device that fails for ever keeps
    /// all others waiting. Here the best goes of those that need not wait, and one that timed out lately only when there is
    /// nobody else.
    public mutating func next(at now: Uptime) -> QueueDecision<Device> {
        guard hasRoom, queue.count > 0 else { return .idle }
        if let wait = waitForRate(at: now) { return .retry(after: wait) }
        for candidate in queue.entries where isOutgoing(candidate.device) || incoming.contains(candidate.device) {
            queue.remove(candidate.device)
        }
        let mayGo = queue.entries.filter { cooldown(of: $0, at: now) == nil }
        let unspoilt = mayGo.filter {
            !ConnectionMarks.isFresh(self[$0.device].timedOutAt, for: RadioPolicy.weakCooldown, at: now)
        }
        if let candidate = best(of: unspoilt, at: now) ?? best(of: mayGo, at: now) {
            begin(candidate.device, at: now)
            return .connect(candidate.device)
        }
        return queue.entries.compactMap { cooldown(of: $0, at: now) }.min().map { .retry(after: $0) } ?? .idle
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

    /// An attempt succeeded: what went wrong before is forgotten, unless the link breaks at once.
    public mutating func succeeded(_ device: Device, at now: Uptime) {
        connecting[device] = nil
        connected[device] = Success(at: now, before: self[device])
        budget.observe(links: connected.count + incoming.count)
        var marks = ConnectionMarks()
        marks.attemptedAt = self[device].attemptedAt
        keep(marks, of: device)
    }

    /// An attempt failed.
    public mutating func failed(_ device: Device, at now: Uptime) {
        connecting[device] = nil
        var marks = self[device]
        marks.countFailure(at: now)
        keep(marks, of: device)
    }

    /// An attempt took too long and was cancelled.
    public mutating func timedOut(_ device: Device, at now: Uptime) {
        failed(device, at: now)
        marks[device]?.timedOutAt = now
    }

    /// An attempt ended through no fault of the device: it was no longer wished, or the controller had no room for it.
    public mutating func withdrawn(_ device: Device) { connecting[device] = nil }

    /// A link that we opened ended.
    ///
    /// [ours]: one that broke within ``RadioPolicy/provenLinkAge`` counts as a failed attempt, on top of those before it;
    /// else a device that takes every link and drops it would start anew each time.
    ///
    /// - Parameters:
    ///   - isError: Whether it broke: the far end or the radio ended it. Not when it was closed because it was no longer
    ///     needed.
    ///   - wasOfUse: Whether frames could ever be sent on it. One that was of no use, without our service or too slow to be
    ///     set up, failed, however long it took and whoever ended it.
    public mutating func disconnected(_ device: Device, isError: Bool, wasOfUse: Bool = true, at now: Uptime) {
        connecting[device] = nil
        let success = connected.removeValue(forKey: device)
        guard isError || !wasOfUse else { return }
        var marks = self[device]
        marks.brokeAt = now
        if let success, !wasOfUse || now - success.at < RadioPolicy.provenLinkAge {
            marks.failures = max(marks.failures, success.before.failures)
            marks.earlyBreaks = min(success.before.earlyBreaks + 1, RadioPolicy.maximumEarlyBreaks)
            marks.countFailure(at: now)
        }
        keep(marks, of: device)
    }

    /// The controller refused a link, ours or a neighbour's, because so many are open: see ``LinkBudget``. An attempt of
    /// ours that ended so is ``withdrawn(_:)``.
    public mutating func limitReached(links: Int, at now: Uptime) { budget.limitReached(links: links, at: now) }

    /// A neighbour opened a link to us.
    public mutating func accepted(_ device: Device) {
        incoming.insert(device)
        budget.observe(links: connected.count + incoming.count)
    }

    /// A link that a neighbour had opened ended.
    public mutating func released(_ device: Device) { incoming.remove(device) }

    // MARK: Upkeep

    /// Adapts the signal threshold; due at each maintenance tick.
    public mutating func adapt(degree: Int, at now: Uptime) {
        threshold.adapt(degree: degree, outgoingLinks: outgoingCount, candidates: queue.count, at: now)
    }

    /// Drops marks older than two minutes, and believes in one more link now and then; due every 15 s.
    public mutating func cleanUp(at now: Uptime) {
        marks = marks.compactMapValues { $0.swept(at: now) }
        budget.relax(at: now)
    }

    // MARK: Parts

    private var hasRoom: Bool {
        connecting.count < maximumAttempts
            && budget.allowsOutgoing(outgoing: outgoingCount, incoming: incoming.count)
    }

    private func isOutgoing(_ device: Device) -> Bool { connecting[device] != nil || connected[device] != nil }

    /// How long the limit on attempts to anybody still holds.
    private func waitForRate(at now: Uptime) -> Milliseconds? {
        guard let lastAttempt, now - lastAttempt < RadioPolicy.connectInterval else { return nil }
        return lastAttempt + RadioPolicy.connectInterval + RadioPolicy.retryMargin - now
    }

    /// The candidate with the highest score; among equals the first one in the queue's order.
    private func best(
        of candidates: [ConnectionCandidate<Device>], at now: Uptime
    ) -> ConnectionCandidate<Device>? {
        var best: (candidate: ConnectionCandidate<Device>, score: Int64)?
        for candidate in candidates {
            let points = score(candidate, at: now)
            if best.map({ points > $0.score }) ?? true { best = (candidate, points) }
        }
        return best?.candidate
    }

    /// How long a candidate must be left alone, if the queue has to wait for it. [ours]: also after an attempt, as on sight;
    /// one that fails at once is seen again at once.
    private func cooldown(of candidate: ConnectionCandidate<Device>, at now: Uptime) -> Milliseconds? {
        let marks = self[candidate.device]
        if let timedOutAt = marks.timedOutAt, candidate.signal <= RadioPolicy.weakSignal,
            now - timedOutAt < RadioPolicy.weakCooldown
        {
            let remaining = timedOutAt + RadioPolicy.weakCooldown - now
            return min(max(remaining, RadioPolicy.weakRetry.lowerBound), RadioPolicy.weakRetry.upperBound)
        }
        let repeatable = marks.attemptedAt.flatMap { attempt in
            now - attempt < RadioPolicy.repeatInterval ? attempt + RadioPolicy.repeatInterval : nil
        }
        let free = [marks.settledAt(after: now), repeatable].compactMap { $0 }.max()
        return free.map { $0 + RadioPolicy.retryMargin - now }
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
        var marks = self[device]
        marks.attemptedAt = now
        keep(marks, of: device)
    }

    /// Keeps what is remembered of a device; when that is too much for one more, the one of whom nothing was heard for
    /// longest is forgotten.
    private mutating func keep(_ known: ConnectionMarks, of device: Device) {
        marks[device] = known == ConnectionMarks() ? nil : known
        guard marks.count > RadioPolicy.maximumMarks else { return }
        let oldest = marks.min { ($0.value.latest, $0.key) < ($1.value.latest, $1.key) }
        if let oldest { marks[oldest.key] = nil }
    }
}
