import Domain

/// How long the packets of a connection may be on the air.
struct DataLength: Hashable, Sendable {
    /// Bytes of payload, 27...251.
    let octets: UInt16
    /// The time that takes, in µs.
    let time: UInt16

    /// The most there is on LE 1M: a frame of 512 bytes then takes three packets instead of twenty (spec: ble-gatt §12).
    static let longest = DataLength(octets: 251, time: 2120)
}

/// The numbers in which HCI counts, and the fixed ones among our parameters.
enum Units {
    /// The three advertising channels.
    static let allChannels: UInt8 = 7
    /// The one advertising set that we use.
    static let advertisingSet: UInt8 = 0
    /// LE 1M, as a PHY and as the bit of a set of PHYs.
    static let oneMegabit: UInt8 = 1
    /// Interval and window of the search for a device to connect to, in units of 0.625 ms: 60 ms, all of it. [ours]: an
    /// attempt is short, and the sooner it ends, the sooner there is time for the rest.
    static let connectingScan: UInt16 = 96

    /// An advertising interval in units of 0.625 ms, brought inside 20 ms...10.24 s.
    static func advertising(_ interval: Milliseconds) -> UInt32 {
        UInt32(clamping: min(max(interval.count, 20), 10_240) * 8 / 5)
    }

    /// A scan interval or window in units of 0.625 ms, brought inside 2.5 ms...10.24 s.
    static func scan(_ time: Milliseconds) -> UInt16 {
        UInt16(clamping: max(min(max(time.count, 0), 10_240) * 8 / 5, 4))
    }
}

extension [UInt8] {
    /// Appends connection parameters; the length of a connection event is left to the controller.
    mutating func append(_ parameters: ConnectionParameters) {
        append(littleEndian: parameters.minimumInterval)
        append(littleEndian: parameters.maximumInterval)
        append(littleEndian: parameters.latency)
        append(littleEndian: parameters.timeout)
        append(littleEndian: UInt32(0))
    }

    /// Appends a scan interval and a window that is no longer.
    mutating func append(_ scanning: Controller.Scanning) {
        let interval = Units.scan(scanning.interval)
        append(littleEndian: interval)
        append(littleEndian: Swift.min(interval, Units.scan(scanning.window)))
    }

    /// Appends a length and 31 bytes, of which so many count.
    mutating func append(padded data: [UInt8]) {
        let taken = data.prefix(Controller.Advertising.limit)
        append(UInt8(clamping: taken.count))
        self += taken
        self += [UInt8](repeating: 0, count: Controller.Advertising.limit - taken.count)
    }

    /// Appends the three lower bytes, least significant first.
    mutating func append(threeBytes value: UInt32) {
        append(littleEndian: UInt16(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 16))
    }
}
