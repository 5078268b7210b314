/// Names a command: six bits of group, ten bits of command.
///
/// Source: Core Specification, Vol 4, Part E, 5.4.1; the numbers stand with each command in 7.1–7.8.
struct OpCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    let rawValue: UInt16

    /// Carries credits in an event that answers no command.
    static let none = OpCode(rawValue: 0x0000)
    static let disconnect = OpCode(rawValue: 0x0406)
    static let setEventMask = OpCode(rawValue: 0x0c01)
    static let reset = OpCode(rawValue: 0x0c03)
    static let writeHostSupport = OpCode(rawValue: 0x0c6d)
    static let readVersion = OpCode(rawValue: 0x1001)
    static let readCommands = OpCode(rawValue: 0x1002)
    static let readFeatures = OpCode(rawValue: 0x1003)
    static let readBufferSize = OpCode(rawValue: 0x1005)
    static let readAddress = OpCode(rawValue: 0x1009)
    static let readRSSI = OpCode(rawValue: 0x1405)
    static let setLowEnergyEventMask = OpCode(rawValue: 0x2001)
    static let readLowEnergyBufferSize = OpCode(rawValue: 0x2002)
    static let readLowEnergyFeatures = OpCode(rawValue: 0x2003)
    static let setRandomAddress = OpCode(rawValue: 0x2005)
    static let setAdvertisingParameters = OpCode(rawValue: 0x2006)
    static let setAdvertisingData = OpCode(rawValue: 0x2008)
    static let setScanResponseData = OpCode(rawValue: 0x2009)
    static let setAdvertisingEnable = OpCode(rawValue: 0x200a)
    static let setScanParameters = OpCode(rawValue: 0x200b)
    static let setScanEnable = OpCode(rawValue: 0x200c)
    static let createConnection = OpCode(rawValue: 0x200d)
    static let createConnectionCancel = OpCode(rawValue: 0x200e)
    static let connectionUpdate = OpCode(rawValue: 0x2013)
    static let keyRequestNegativeReply = OpCode(rawValue: 0x201b)
    static let readStates = OpCode(rawValue: 0x201c)
    static let parameterRequestReply = OpCode(rawValue: 0x2020)
    static let parameterRequestNegativeReply = OpCode(rawValue: 0x2021)
    static let setDataLength = OpCode(rawValue: 0x2022)
    static let writeDefaultDataLength = OpCode(rawValue: 0x2024)
    static let setAdvertisingSetAddress = OpCode(rawValue: 0x2035)
    static let setExtendedAdvertisingParameters = OpCode(rawValue: 0x2036)
    static let setExtendedAdvertisingData = OpCode(rawValue: 0x2037)
    static let setExtendedScanResponseData = OpCode(rawValue: 0x2038)
    static let setExtendedAdvertisingEnable = OpCode(rawValue: 0x2039)
    static let setExtendedScanParameters = OpCode(rawValue: 0x2041)
    static let setExtendedScanEnable = OpCode(rawValue: 0x2042)
    static let extendedCreateConnection = OpCode(rawValue: 0x2043)

    /// Whether a Command Status event answers the command, an event of its own telling the end; all others that we send are
    /// answered by Command Complete.
    var isAnsweredByStatus: Bool {
        switch self {
        case .disconnect, .createConnection, .extendedCreateConnection, .connectionUpdate: true
        default: false
        }
    }

    /// The name in the Core Specification, or the number.
    var description: String { Self.names[self] ?? rawValue.hexadecimal }

    private static let names: [OpCode: String] = [
        .disconnect: "Disconnect", .setEventMask: "Set Event Mask", .reset: "Reset",
        .writeHostSupport: "Write LE Host Support", .readVersion: "Read Local Version Information",
        .readCommands: "Read Local Supported Commands", .readFeatures: "Read Local Supported Features",
        .readBufferSize: "Read Buffer Size", .readAddress: "Read BD_ADDR", .readRSSI: "Read RSSI",
        .setLowEnergyEventMask: "LE Set Event Mask", .readLowEnergyBufferSize: "LE Read Buffer Size",
        .readLowEnergyFeatures: "LE Read Local Supported Features", .setRandomAddress: "LE Set Random Address",
        .setAdvertisingParameters: "LE Set Advertising Parameters", .setAdvertisingData: "LE Set Advertising Data",
        .setScanResponseData: "LE Set Scan Response Data", .setAdvertisingEnable: "LE Set Advertising Enable",
        .setScanParameters: "LE Set Scan Parameters", .setScanEnable: "LE Set Scan Enable",
        .createConnection: "LE Create Connection", .createConnectionCancel: "LE Create Connection Cancel",
        .connectionUpdate: "LE Connection Update",
        .keyRequestNegativeReply: "LE Long Term Key Request Negative Reply",
        .readStates: "LE Read Supported States",
        .parameterRequestReply: "LE Remote Connection Parameter Request Reply",
        .parameterRequestNegativeReply: "LE Remote Connection Parameter Request Negative Reply",
        .setDataLength: "LE Set Data Length", .writeDefaultDataLength: "LE Write Suggested Default Data Length",
        .setAdvertisingSetAddress: "LE Set Advertising Set Random Address",
        .setExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters",
        .setExtendedAdvertisingData: "LE Set Extended Advertising Data",
        .setExtendedScanResponseData: "LE Set Extended Scan Response Data",
        .setExtendedAdvertisingEnable: "LE Set Extended Advertising Enable",
        .setExtendedScanParameters: "LE Set Extended Scan Parameters",
        .setExtendedScanEnable: "LE Set Extended Scan Enable",
        .extendedCreateConnection: "LE Extended Create Connection",
    ]
}
