/// Why an attribute request was refused.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.1.1.
struct ATTError: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code on the air. Any byte may come: 0x80...0x9F are the application's, 0xE0...0xFF of common profiles.
    let rawValue: UInt8

    static let invalidHandle = ATTError(rawValue: 0x01)
    static let readNotPermitted = ATTError(rawValue: 0x02)
    static let writeNotPermitted = ATTError(rawValue: 0x03)
    static let invalidPDU = ATTError(rawValue: 0x04)
    static let insufficientAuthentication = ATTError(rawValue: 0x05)
    static let requestNotSupported = ATTError(rawValue: 0x06)
    static let invalidOffset = ATTError(rawValue: 0x07)
    static let insufficientAuthorization = ATTError(rawValue: 0x08)
    static let prepareQueueFull = ATTError(rawValue: 0x09)
    static let attributeNotFound = ATTError(rawValue: 0x0A)
    static let attributeNotLong = ATTError(rawValue: 0x0B)
    static let encryptionKeySizeTooShort = ATTError(rawValue: 0x0C)
    static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    static let unlikelyError = ATTError(rawValue: 0x0E)
    static let insufficientEncryption = ATTError(rawValue: 0x0F)
    static let unsupportedGroupType = ATTError(rawValue: 0x10)
    static let insufficientResources = ATTError(rawValue: 0x11)
    static let databaseOutOfSync = ATTError(rawValue: 0x12)
    static let valueNotAllowed = ATTError(rawValue: 0x13)

    private static let names: [ATTError: String] = [
        .invalidHandle: "Invalid Handle", .readNotPermitted: "Read Not Permitted",
        .writeNotPermitted: "Write Not Permitted", .invalidPDU: "Invalid PDU",
        .insufficientAuthentication: "Insufficient Authentication", .requestNotSupported: "Request Not Supported",
        .invalidOffset: "Invalid Offset", .insufficientAuthorization: "Insufficient Authorization",
        .prepareQueueFull: "Prepare Queue Full", .attributeNotFound: "Attribute Not Found",
        .attributeNotLong: "Attribute Not Long", .encryptionKeySizeTooShort: "Encryption Key Size Too Short",
        .invalidAttributeValueLength: "Invalid Attribute Value Length", .unlikelyError: "Unlikely Error",
        .insufficientEncryption: "Insufficient Encryption", .unsupportedGroupType: "Unsupported Group Type",
        .insufficientResources: "Insufficient Resources", .databaseOutOfSync: "Database Out Of Sync",
        .valueNotAllowed: "Value Not Allowed",
    ]

    /// `0x0A Attribute Not Found`.
    var description: String {
        let code = rawValue.hexadecimal
        return Self.names[self].map { "\(code) \($0)" } ?? code
    }
}
