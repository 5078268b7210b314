/// How much may be spent at once and in the long run.
public struct Allowance: Hashable, Sendable {
    /// What may be spent at once.
    public let burst: Int64
    /// How many come back in every ``period``.
    public let refill: Int64
    /// The span that ``refill`` refers to.
    public let period: Milliseconds

    /// States an allowance: so many at once, and so many more in every `period`, a second unless it is said.
    public init(burst: Int64, refill: Int64, per period: Milliseconds = .seconds(1)) {
        self.burst = burst
        self.refill = refill
        self.period = period
    }
}

/// A budget that refills with time: spending more than it holds is refused and costs nothing.
///
/// Counted in fractions of a token, so that a slow refill loses nothing to rounding.
public struct TokenBucket: Hashable, Sendable {
    /// Fractions that a token has: as many as milliseconds in which ``Allowance/refill`` tokens come back.
    private let grain: Int64
    private let capacity: Int64
    private let perMillisecond: Int64
    private var fractions: Int64
    private var refilledAt: Uptime

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - capacity: Tokens it holds at most.
    ///   - perSecond: Tokens that come back every second.
    public init(capacity: Int64, perSecond: Int64, at now: Uptime) {
        self.init(Allowance(burst: capacity, refill: perSecond), at: now)
    }

    /// A full bucket.
    public init(_ allowance: Allowance, at now: Uptime) {
        grain = max(1, allowance.period.count)
        capacity = allowance.burst * grain
        perMillisecond = allowance.refill
        fractions = capacity
        refilledAt = now
    }

    /// Takes tokens, if there are enough.
    public mutating func spend(_ tokens: Int64, at now: Uptime) -> Bool {
        refill(at: now)
        let (price, overflow) = tokens.multipliedReportingOverflow(by: grain)
        guard !overflow, price >= 0, price <= fractions else { return false }
        fractions -= price
        return true
    }

    /// Whether there are enough tokens; takes none.
    public func holds(_ tokens: Int64, at now: Uptime) -> Bool {
        var copy = self
        return copy.spend(tokens, at: now)
    }

    private mutating func refill(at now: Uptime) {
        guard now > refilledAt else { return }
        let (gain, overflow) = (now - refilledAt).count.multipliedReportingOverflow(by: perMillisecond)
        fractions = overflow ? capacity : min(capacity, fractions + min(gain, capacity))
        refilledAt = now
    }
}
