/// What people are told of a controller.
public struct ControllerDescription: Hashable, Sendable {
    /// The version of the Core Specification that it follows, as `5.3`.
    public let version: String
    /// The number of its maker in the list of company identifiers.
    public let manufacturer: UInt16
    /// Its public address as `00:11:22:33:44:55`; `nil` when it has none.
    public let address: String?
    /// The longest piece of data that it takes, in bytes.
    public let bufferLength: Int
    /// How many such pieces it holds.
    public let bufferCount: Int
    /// Short names of what it can do beyond Bluetooth 4.0, as `2M`.
    public let features: [String]
    /// Whether it is driven by the extended commands, not the legacy ones.
    public let usesExtendedCommands: Bool
    /// Whether it says that it can advertise, scan and connect all at once, with connections in both roles; `nil` when it
    /// does not tell.
    public let doesAllAtOnce: Bool?

    init(_ capabilities: ControllerCapabilities) {
        version = Self.version(capabilities.version)
        manufacturer = capabilities.manufacturer
        address = capabilities.publicAddress?.text
        bufferLength = capabilities.bufferLength
        bufferCount = capabilities.bufferCount
        features = capabilities.lowEnergyFeatures.names
        usesExtendedCommands = capabilities.usesExtendedCommands
        doesAllAtOnce = capabilities.states.map { $0.isSuperset(of: .mesh) }
    }

    /// The numbers of the Core Specification's versions are assigned one after the other.
    ///
    /// Source: Assigned Numbers, 2.1.
    static func version(_ number: UInt8) -> String {
        let names = [
            "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
            "6.1",
            "6.2",
        ]
        return Int(number) < names.count ? names[Int(number)] : "unknown (\(number))"
    }
}
