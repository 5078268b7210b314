/// A device that was seen and may be connected to later.
public struct ConnectionCandidate<Device: Hashable & Comparable & Sendable>: Hashable, Sendable {
    /// Which device: an address, as the radio knows it.
    public let device: Device
    /// How strong it was, in dBm.
    public let signal: Int8
    /// When it was seen last.
    public let seenAt: Uptime

    /// Describes a sighting.
    public init(device: Device, signal: Int8, seenAt: Uptime) {
        self.device = device
        self.signal = signal
        self.seenAt = seenAt
    }

    /// Whether this one stands before another in the queue: the stronger, then the older; among equals the lower device,
    /// so that the order is the same in every run.
    fileprivate func precedes(_ other: ConnectionCandidate) -> Bool {
        if signal != other.signal { return signal > other.signal }
        return (seenAt, device) < (other.seenAt, other.device)
    }
}

/// The devices that wait for an attempt to connect, strongest first, one entry each. Bounded; the weakest go first.
///
/// Entries do not expire: a device that is still there is seen again, and a score lets the others sink.
///
/// Source: spec, mesh §21.
public struct CandidateQueue<Device: Hashable & Comparable & Sendable>: Sendable {
    /// The entries, in order.
    public private(set) var entries: [ConnectionCandidate<Device>] = []

    /// Starts empty.
    public init() {}

    /// The number of entries.
    public var count: Int { entries.count }

    /// Puts a device in; its earlier entry goes.
    public mutating func insert(_ candidate: ConnectionCandidate<Device>) {
        remove(candidate.device)
        let place = entries.firstIndex(where: candidate.precedes) ?? entries.endIndex
        entries.insert(candidate, at: place)
        if entries.count > RadioPolicy.maximumCandidates { entries.removeLast() }
    }

    /// Takes a device out.
    public mutating func remove(_ device: Device) { entries.removeAll { $0.device == device } }
}
