import Domain

/// What a peripheral asks its central to set the connection to, in the units of HCI.
///
/// Source: Core Specification, Vol 3, Part A, 4.20.
struct ConnectionParameterRequest: Hashable, Sendable {
    /// The shortest connection interval wanted, in steps of 1.25 ms.
    let minimumInterval: UInt16
    /// The longest connection interval wanted, in steps of 1.25 ms.
    let maximumInterval: UInt16
    /// How many connection events the peripheral may leave out.
    let latency: UInt16
    /// The supervision timeout, in steps of 10 ms.
    let timeout: UInt16

    /// Reads the eight bytes of the request.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let minimum = reader.takeLittleEndian(UInt16.self), let maximum = reader.takeLittleEndian(UInt16.self),
            let latency = reader.takeLittleEndian(UInt16.self), let timeout = reader.takeLittleEndian(UInt16.self),
            reader.isAtEnd
        else { return nil }
        minimumInterval = minimum
        maximumInterval = maximum
        self.latency = latency
        self.timeout = timeout
    }

    /// Whether a controller takes these values: 7.5 ms to 4 s, at most 499 events left out, 100 ms to 32 s of silence, and
    /// more silence than two intervals with all the events left out that may be.
    ///
    /// Source: Core Specification, Vol 3, Part A, 4.20; the last one as Vol 4, Part E, 7.8.18 has it (longer, not as long),
    /// since that is what the controller goes by.
    var isValid: Bool {
        let intervals: ClosedRange<UInt16> = 6...3200
        guard intervals.contains(minimumInterval), intervals.contains(maximumInterval),
            minimumInterval <= maximumInterval, latency < 500, (10...3200).contains(timeout)
        else { return false }
        // 10 ms × timeout > 2 × 1.25 ms × interval × (1 + latency)
        return Int(timeout) * 4 > (1 + Int(latency)) * Int(maximumInterval)
    }
}
