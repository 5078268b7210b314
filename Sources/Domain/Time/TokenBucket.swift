/// A budget that refills with time: spending more than it holds is refused and costs nothing.
///
/// Counted in thousandths of a token, so that a slow refill loses nothing to rounding.
public struct TokenBucket: Hashable, Sendable {
    private let capacity: Int64
    private let perSecond: Int64
    private var milliTokens: Int64
    private var refilledAt: Uptime

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - capacity: Tokens it holds at most.
    ///   - perSecond: Tokens that come back every second.
    public init(capacity: Int64, perSecond: Int64, at now: Uptime) {
        self.capacity = capacity
        self.perSecond = perSecond
        milliTokens = capacity * 1000
        refilledAt = now
    }

    /// Takes tokens, if there are enough.
    public mutating func spend(_ tokens: Int64, at now: Uptime) -> Bool {
        refill(at: now)
        let (price, overflow) = tokens.multipliedReportingOverflow(by: 1000)
        guard !overflow, price >= 0, price <= milliTokens else { return false }
        milliTokens -= price
        return true
    }

    private mutating func refill(at now: Uptime) {
        guard now > refilledAt else { return }
        let (gain, overflow) = (now - refilledAt).count.multipliedReportingOverflow(by: perSecond)
        milliTokens = overflow ? capacity * 1000 : min(capacity * 1000, milliTokens + min(gain, capacity * 1000))
        refilledAt = now
    }
}
