/// What a controller said of itself when it was started.
struct ControllerCapabilities: Hashable, Sendable {
    /// The number of its HCI version, see ``ControllerDescription/version``.
    var version: UInt8 = 0
    /// The number of its maker in the list of company identifiers.
    var manufacturer: UInt16 = 0
    /// Its public address; `nil` when it has none.
    var publicAddress: DeviceAddress?
    /// The LMP features, bit n of byte n/8 being bit n here; `nil` when it does not tell.
    var features: UInt64?
    /// The LE features in the same order.
    var lowEnergyFeatures: LowEnergyFeatures = []
    /// The combinations of states that it can be in; `nil` when it does not tell.
    var states: LowEnergyStates?
    /// The commands it takes; `nil` when it does not tell.
    var commands: SupportedCommands?
    /// The longest piece of a frame that it takes, in bytes.
    var bufferLength = 0
    /// How many pieces it takes before one must have left.
    var bufferCount = 0

    /// Whether advertising, scanning and connecting go by the extended commands.
    ///
    /// The legacy ones are preferred, since what they send is what every phone can see; the two must not be mixed (Core
    /// Specification, Vol 4, Part E, 3.1.1). A controller that does not tell is taken for one that knows the legacy ones.
    var usesExtendedCommands: Bool {
        guard let commands, !commands.isSuperset(of: .legacy) else { return false }
        return commands.isSuperset(of: .extended)
    }

    /// Whether it does BR/EDR as well, and has to be told that we know LE: "BR/EDR Not Supported" is not set (Core
    /// Specification, Vol 2, Part C, 3.2, feature 37).
    var isDualMode: Bool { features.map { $0 >> 37 & 1 == 0 } ?? false }

    /// Whether it asks us what far ends ask it for, and takes an answer.
    var answersParameterRequests: Bool {
        lowEnergyFeatures.contains(.parameterRequest) && commands?.contains(.parameterRequestReply) ?? true
    }

    /// Whether the packets of a connection can be made longer.
    var setsDataLength: Bool { lowEnergyFeatures.contains(.dataLength) && commands?.contains(.setDataLength) ?? true }

    /// The same for people.
    var description: ControllerDescription { ControllerDescription(self) }
}
