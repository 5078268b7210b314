/// What a controller's link layer can do.
///
/// Source: Core Specification, Vol 6, Part B, 4.6.
struct LowEnergyFeatures: OptionSet, Hashable, Sendable {
    /// The first 64 features, feature n being bit n.
    let rawValue: UInt64

    static let encryption = LowEnergyFeatures(rawValue: 1 << 0)
    static let parameterRequest = LowEnergyFeatures(rawValue: 1 << 1)
    static let dataLength = LowEnergyFeatures(rawValue: 1 << 5)
    static let privacy = LowEnergyFeatures(rawValue: 1 << 6)
    static let doubleRate = LowEnergyFeatures(rawValue: 1 << 8)
    static let coded = LowEnergyFeatures(rawValue: 1 << 11)
    static let extendedAdvertising = LowEnergyFeatures(rawValue: 1 << 12)
    static let periodicAdvertising = LowEnergyFeatures(rawValue: 1 << 13)
    static let channelSelection2 = LowEnergyFeatures(rawValue: 1 << 14)

    /// Those that people may want to know of, by a short name.
    private static let named: [(LowEnergyFeatures, String)] = [
        (.encryption, "encryption"), (.parameterRequest, "parameter request"), (.dataLength, "data length"),
        (.privacy, "privacy"), (.doubleRate, "2M"), (.coded, "coded"), (.extendedAdvertising, "extended advertising"),
        (.periodicAdvertising, "periodic advertising"), (.channelSelection2, "channel selection 2"),
    ]

    /// The short names, in the order of the specification.
    var names: [String] { Self.named.filter { contains($0.0) }.map(\.1) }
}

/// The combinations of states that a controller can be in.
///
/// Source: Core Specification, Vol 4, Part E, 7.8.27.
struct LowEnergyStates: OptionSet, Hashable, Sendable {
    /// Combination n is bit n.
    let rawValue: UInt64

    static let advertisingWhileScanning = LowEnergyStates(rawValue: 1 << 14)
    static let connectingWhileScanning = LowEnergyStates(rawValue: 1 << 23)
    static let scanningAsCentral = LowEnergyStates(rawValue: 1 << 25)
    static let scanningAsPeripheral = LowEnergyStates(rawValue: 1 << 27)
    static let connectingAsCentral = LowEnergyStates(rawValue: 1 << 28)
    static let advertisingWhileConnecting = LowEnergyStates(rawValue: 1 << 32)
    static let advertisingAsCentral = LowEnergyStates(rawValue: 1 << 35)
    static let advertisingAsPeripheral = LowEnergyStates(rawValue: 1 << 38)
    static let connectingAsPeripheral = LowEnergyStates(rawValue: 1 << 41)

    /// What a node of the mesh does all at once: advertise connectably, scan actively, connect, with links in both roles.
    static let mesh: LowEnergyStates = [
        .advertisingWhileScanning, .connectingWhileScanning, .scanningAsCentral, .scanningAsPeripheral,
        .connectingAsCentral, .advertisingWhileConnecting, .advertisingAsCentral, .advertisingAsPeripheral,
        .connectingAsPeripheral,
    ]
}
