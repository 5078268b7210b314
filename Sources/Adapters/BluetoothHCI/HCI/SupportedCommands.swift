/// Which of the commands that we care for a controller takes.
///
/// Source: Core Specification, Vol 4, Part E, 6.27.
struct SupportedCommands: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// The 64 bytes of the table, and the place of each command in it: byte, bit.
    private static let places: [(byte: Int, bit: Int, command: SupportedCommands)] = [
        (15, 1, .readAddress), (15, 5, .readRSSI), (24, 6, .writeHostSupport),
        (25, 5, .advertisingParameters), (25, 7, .advertisingData), (26, 0, .scanResponseData),
        (26, 1, .advertisingEnable), (26, 2, .scanParameters), (26, 3, .scanEnable), (26, 4, .createConnection),
        (27, 2, .connectionUpdate), (28, 3, .readStates), (33, 4, .parameterRequestReply), (33, 6, .setDataLength),
        (34, 0, .writeDefaultDataLength), (36, 1, .setRandomAddress), (36, 2, .extendedAdvertisingParameters),
        (36, 3, .extendedAdvertisingData), (36, 4, .extendedScanResponseData), (36, 5, .extendedAdvertisingEnable),
        (37, 5, .extendedScanParameters), (37, 6, .extendedScanEnable), (37, 7, .extendedCreateConnection),
    ]

    static let readAddress = SupportedCommands(rawValue: 1 << 0)
    static let readRSSI = SupportedCommands(rawValue: 1 << 1)
    static let writeHostSupport = SupportedCommands(rawValue: 1 << 2)
    static let advertisingParameters = SupportedCommands(rawValue: 1 << 3)
    static let advertisingData = SupportedCommands(rawValue: 1 << 4)
    static let scanResponseData = SupportedCommands(rawValue: 1 << 5)
    static let advertisingEnable = SupportedCommands(rawValue: 1 << 6)
    static let scanParameters = SupportedCommands(rawValue: 1 << 7)
    static let scanEnable = SupportedCommands(rawValue: 1 << 8)
    static let createConnection = SupportedCommands(rawValue: 1 << 9)
    static let connectionUpdate = SupportedCommands(rawValue: 1 << 10)
    static let readStates = SupportedCommands(rawValue: 1 << 11)
    static let parameterRequestReply = SupportedCommands(rawValue: 1 << 12)
    static let setDataLength = SupportedCommands(rawValue: 1 << 13)
    static let writeDefaultDataLength = SupportedCommands(rawValue: 1 << 14)
    /// The random address of an advertising set.
    static let setRandomAddress = SupportedCommands(rawValue: 1 << 15)
    static let extendedAdvertisingParameters = SupportedCommands(rawValue: 1 << 16)
    static let extendedAdvertisingData = SupportedCommands(rawValue: 1 << 17)
    static let extendedScanResponseData = SupportedCommands(rawValue: 1 << 18)
    static let extendedAdvertisingEnable = SupportedCommands(rawValue: 1 << 19)
    static let extendedScanParameters = SupportedCommands(rawValue: 1 << 20)
    static let extendedScanEnable = SupportedCommands(rawValue: 1 << 21)
    static let extendedCreateConnection = SupportedCommands(rawValue: 1 << 22)

    /// What advertising, scanning and connecting in the legacy manner takes.
    static let legacy: SupportedCommands = [
        .advertisingParameters, .advertisingData, .scanResponseData, .advertisingEnable, .scanParameters, .scanEnable,
        .createConnection,
    ]
    /// The same in the extended manner.
    static let extended: SupportedCommands = [
        .setRandomAddress, .extendedAdvertisingParameters, .extendedAdvertisingData, .extendedScanResponseData,
        .extendedAdvertisingEnable, .extendedScanParameters, .extendedScanEnable, .extendedCreateConnection,
    ]

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Takes the table as the controller sends it; a shorter one stands for zeros behind its end.
    init(table: ArraySlice<UInt8>) {
        self = []
        for place in Self.places where place.byte < table.count {
            if table[table.startIndex + place.byte] >> place.bit & 1 == 1 { insert(place.command) }
        }
    }
}
