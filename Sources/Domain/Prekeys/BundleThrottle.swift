/// When our bundle may be sent: with an announce, but seldom, since gossip does the spreading; at once when it must.
///
/// Source: spec, store-and-forward §4.2.
public struct BundleThrottle: Sendable {
    private var last: Uptime?

    /// Nothing was sent yet.
    public init() {}

    /// Whether to send now; if so, the time counts as that of a publication.
    ///
    /// - Parameter forced: The prekeys on offer changed otherwise than by being used.
    public mutating func admits(forced: Bool = false, at now: Uptime) -> Bool {
        if !forced, let last, now - last < PrekeyPolicy.publishInterval { return false }
        last = now
        return true
    }

    /// Lets the next one pass: a new identity has published nothing.
    public mutating func reset() { last = nil }
}
