/// What an attribute PDU is.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.8.
enum AttributeOpcode: UInt8, CaseIterable, Sendable {
    case errorResponse = 0x01
    case exchangeMTURequest = 0x02
    case exchangeMTUResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case readRequest = 0x0A
    case readResponse = 0x0B
    case readBlobRequest = 0x0C
    case readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E
    case readMultipleResponse = 0x0F
    case readByGroupTypeRequest = 0x10
    case readByGroupTypeResponse = 0x11
    case writeRequest = 0x12
    case writeResponse = 0x13
    case prepareWriteRequest = 0x16
    case prepareWriteResponse = 0x17
    case executeWriteRequest = 0x18
    case executeWriteResponse = 0x19
    case handleValueNotification = 0x1B
    case handleValueIndication = 0x1D
    case handleValueConfirmation = 0x1E
    case readMultipleVariableRequest = 0x20
    case readMultipleVariableResponse = 0x21
    case multipleHandleValueNotification = 0x23
    case writeCommand = 0x52
    case signedWriteCommand = 0xD2

    /// Who is meant by a PDU, and whether it wants an answer.
    enum Kind: Sendable {
        /// For our server; answered.
        case request
        /// For our server; never answered.
        case command
        /// For our server, about an indication.
        case confirmation
        /// For our client.
        case response
        /// For our client; never answered.
        case notification
        /// For our client; confirmed.
        case indication
    }

    /// Sorts any first byte. What is not known is a command if its command flag (bit 6) says so; else it counts as a
    /// request, which is refused by name.
    ///
    /// Source: Core Specification, Vol 3, Part F, 3.3.
    static func kind(of code: UInt8) -> Kind {
        switch AttributeOpcode(rawValue: code) {
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse:
            .response
        case .handleValueNotification, .multipleHandleValueNotification: .notification
        case .handleValueIndication: .indication
        case .handleValueConfirmation: .confirmation
        default: code & 0x40 == 0 ? .request : .command
        }
    }
}
