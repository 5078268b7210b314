/// When to try to open an adapter that is gone: unplugged, reset by its firmware, switched off, or not there yet.
///
/// Often at first, because most losses are short; never seldom, because whoever plugs an adapter in wants it taken within
/// five seconds, opening and reset included; and for ever. Only an adapter that keeps failing soon after it was ready is
/// given more time: it is broken, and each try resets it.
///
/// Source: [ours], after spec, ble-gatt §10 (a phone comes back by itself when we do).
public struct AdapterRecovery: Sendable {
    /// Since when the adapter is gone; `nil` while it is ready.
    private var lostAt: Uptime?
    /// When it became ready; `nil` while it is gone.
    private var readyAt: Uptime?
    /// How often in a row it was gone soon after it was ready.
    private var shortLives = 0

    /// Starts with an adapter that was not opened yet.
    public init() {}

    /// Whether the adapter fails again and again, so that tries are rare.
    public var isPatient: Bool { shortLives >= RadioPolicy.maximumShortLives }

    /// An adapter that was ready is gone. Returns when to try to open it.
    ///
    /// For one that was not ready yet, the same as ``failed(at:after:)``.
    public mutating func lost(at now: Uptime) -> Uptime {
        guard let since = readyAt else { return failed(at: now) }
        readyAt = nil
        lostAt = now
        shortLives = now - since < RadioPolicy.shortLife ? min(shortLives + 1, RadioPolicy.maximumShortLives) : 0
        return now + (isPatient ? RadioPolicy.patientReopening : RadioPolicy.firstReopening)
    }

    /// A try to open it, or to make it ready, failed. Returns when to try again.
    ///
    /// The pause counts from the beginning of the try: waiting for the answer to a reset took most of the five seconds.
    ///
    /// - Parameter duration: How long the try took.
    public mutating func failed(at now: Uptime, after duration: Milliseconds = 0) -> Uptime {
        readyAt = nil
        let since = lostAt ?? now
        lostAt = since
        guard now - since <= RadioPolicy.eagerReopening else {
            // Nothing was there to be reset for so long: what comes back is a fresh start.
            shortLives = 0
            return now + pause(RadioPolicy.steadyReopeningInterval, after: duration)
        }
        return now
            + (isPatient ? RadioPolicy.patientReopening : pause(RadioPolicy.eagerReopeningInterval, after: duration))
    }

    private func pause(_ interval: Milliseconds, after duration: Milliseconds) -> Milliseconds {
        max(Milliseconds(interval.count - duration.count), RadioPolicy.firstReopening)
    }

    /// The adapter is open, reset and of use.
    public mutating func ready(at now: Uptime) {
        readyAt = now
        lostAt = nil
    }
}
