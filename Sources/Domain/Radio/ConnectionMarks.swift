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

    /// Whether a mark is younger than `span`.
    static func isFresh(_ mark: Uptime?, for span: Milliseconds, at now: Uptime) -> Bool {
        mark.map { now - $0 < span } ?? false
    }

    /// Drops what is older than ``RadioPolicy/markLifetime``; `nil` when nothing is left.
    ///
    /// The count of failures goes with the last of them. [ours]: the specification gives it no age, but a device that
    /// changed its address never has the success that would clear it.
    func swept(at now: Uptime) -> ConnectionMarks? {
        func kept(_ mark: Uptime?) -> Uptime? { mark.flatMap { now - $0 <= RadioPolicy.markLifetime ? $0 : nil } }
        var marks = self
        marks.attemptedAt = kept(attemptedAt)
        marks.timedOutAt = kept(timedOutAt)
        marks.brokeAt = kept(brokeAt)
        marks.failedAt = kept(failedAt)
        if marks.failedAt == nil { marks.failures = 0 }
        return marks == ConnectionMarks() ? nil : marks
    }
}
