/// How often the two ends of a connection meet, and when they give it up, in the units of the air.
struct ConnectionParameters: Hashable, Sendable {
    /// The shortest interval, in units of 1.25 ms.
    var minimumInterval: UInt16
    /// The longest interval, in units of 1.25 ms.
    var maximumInterval: UInt16
    /// Meetings that the peripheral may skip when it has nothing to say.
    var latency: UInt16
    /// The supervision timeout, in units of 10 ms.
    var timeout: UInt16

    /// What we ask for as the central: 30–50 ms, latency 0, supervision 5 s (spec: ble-gatt §12).
    static let ours = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, timeout: 500)

    /// The longest supervision timeout, 32 s, in units of 10 ms (Core Specification, Vol 4, Part E, 7.8.18).
    static let longestTimeout: UInt16 = 3200

    /// Whether a controller may be asked for them: every number in its range, and a timeout of more than two meetings.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.8.18.
    var areValid: Bool {
        guard (6...3200).contains(minimumInterval), (6...3200).contains(maximumInterval) else { return false }
        guard minimumInterval <= maximumInterval, latency <= 499, (10...Self.longestTimeout).contains(timeout)
        else { return false }
        // The timeout in ms shall be larger than (1 + latency) × interval × 2; both sides times four make it whole.
        return UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(maximumInterval)
    }
}
