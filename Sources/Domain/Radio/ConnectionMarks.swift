/// What is remembered of a device that we tried to connect to.
///
/// Source: spec, mesh §21.
public struct ConnectionMarks: Hashable, Sendable {
    /// When we last tried.
    public internal(set) var attemptedAt: Uptime?
    /// When an attempt last took too long.
    public internal(set) var timedOutAt: Uptime?
    /// When a link last broke with an error.
    public internal(set) var brokeAt: Uptime?
    /// Attempts that failed in a row.
    public internal(set) var failures = 0
    /// When the last of them failed.
    var failedAt: Uptime?
    /// Links in a row that broke as soon as they were up; each is a failure as well.
    public internal(set) var earlyBreaks = 0

    /// Until when the device is left alone because its link broke; `nil` when it need not be.
    ///
    /// Twice as long for each link in a row that broke at once. [ours]: the specification has 3 s for all, and a device that
    /// takes every link and drops it would have us do little else.
    func settledAt(after now: Uptime) -> Uptime? {
        let doublings = min(max(earlyBreaks, 1), RadioPolicy.maximumEarlyBreaks) - 1
        let settling = RadioPolicy.disconnectIgnore * (Int64(1) << Int64(doublings))
        return brokeAt.flatMap { now - $0 < settling ? $0 + settling : nil }
    }

    /// When something last happened.
    var latest: Uptime {
        let never = Uptime(milliseconds: .min)
        return max(attemptedAt ?? never, timedOutAt ?? never, brokeAt ?? never, failedAt ?? never)
    }

    /// Whether a mark is younger than `span`.
    static func isFresh(_ mark: Uptime?, for span: Milliseconds, at now: Uptime) -> Bool {
        mark.map { now - $0 < span } ?? false
    }

    /// Counts an attempt that failed.
    mutating func countFailure(at now: Uptime) {
        failures = min(failures + 1, RadioPolicy.scoreMaximumFailures)
        failedAt = now
    }

    /// Drops what is older than ``RadioPolicy/markLifetime``; `nil` when nothing is left.
    ///
    /// The counts of failures go with the last of them. [ours]: the specification gives them no age, but a device that
    /// changed its address never has the success that would clear them.
    func swept(at now: Uptime) -> ConnectionMarks? {
        func kept(_ mark: Uptime?) -> Uptime? { mark.flatMap { now - $0 <= RadioPolicy.markLifetime ? $0 : nil } }
        var marks = self
        marks.attemptedAt = kept(attemptedAt)
        marks.timedOutAt = kept(timedOutAt)
        marks.brokeAt = kept(brokeAt)
        marks.failedAt = kept(failedAt)
        if marks.failedAt == nil { (marks.failures, marks.earlyBreaks) = (0, 0) }
        return marks == ConnectionMarks() ? nil : marks
    }
}
