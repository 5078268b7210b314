/// The time of day as a neighbour tells it, tied to our monotonic clock.
///
/// Kept as the wall time that our uptime's zero would have by that neighbour's clock. So nothing has to be heard again
/// when our own wall clock is set: the difference to it is worked out when it is asked for.
public struct NeighbourClock: Hashable, Sendable {
    /// Who said so, in a signed announce.
    public let peer: PeerID
    /// The wall time, in milliseconds since 1970, at which our uptime was zero, by the neighbour's clock.
    public let epoch: Int64
    /// When the announce arrived.
    public let heardAt: Uptime

    /// Reads a neighbour's clock off an announce; `nil` for a time that no clock shows.
    ///
    /// - Parameters:
    ///   - timestamp: The time in the announce.
    ///   - now: The uptime of its arrival.
    public init?(peer: PeerID, timestamp: WallTime, at now: Uptime) {
        guard let epoch = ClockEpoch.of(timestamp, at: now) else { return nil }
        self.peer = peer
        self.epoch = epoch
        heardAt = now
    }
}

/// Ties a wall clock to the monotonic one.
public enum ClockEpoch {
    /// The wall time at which the uptime was zero, in milliseconds since 1970; `nil` beyond any calendar.
    public static func of(_ wall: WallTime, at now: Uptime) -> Int64? {
        // A third of the range: no difference of two epochs can overflow, whatever comes from the wire.
        guard wall.milliseconds <= UInt64(Int64.max / 3) else { return nil }
        let (epoch, overflow) = Int64(clamping: wall.milliseconds).subtractingReportingOverflow(now.milliseconds)
        return overflow || epoch.magnitude > UInt64(Int64.max / 3) ? nil : epoch
    }
}

/// What the neighbours say together.
public struct NeighbourClocks: Hashable, Sendable {
    /// The epoch that they agree on; `nil` when too few do.
    public let agreedEpoch: Int64?

    /// Asks the latest announce of each link.
    ///
    /// A peer with several links is one voice: its latest time, for an announce that somebody repeats is late and never
    /// early. The voices that agree must be ``ClockPolicy/quorum``, and more than half of all that were heard lately.
    public init(_ heard: some Sequence<NeighbourClock>, at now: Uptime) {
        var voices: [PeerID: Int64] = [:]
        for clock in heard where now - clock.heardAt <= ClockPolicy.evidenceLifetime {
            voices[clock.peer] = max(voices[clock.peer] ?? .min, clock.epoch)
        }
        let epochs = voices.values.sorted()
        var (first, best) = (0, 0..<0)
        for (last, epoch) in epochs.enumerated() {
            while epoch - epochs[first] > ClockPolicy.agreement.count { first += 1 }
            if last + 1 - first > best.count { best = first..<last + 1 }
        }
        let isEnough = best.count >= ClockPolicy.quorum && best.count * 2 > epochs.count
        agreedEpoch = isEnough ? epochs[best.lowerBound + (best.count - 1) / 2] : nil
    }
}
