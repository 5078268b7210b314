import Domain

/// Attribute handles from one to another, both included.
typealias AttributeHandles = ClosedRange<UInt16>

/// A request that our client makes.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.
enum AttributeRequest: Hashable, Sendable {
    /// What we can receive, in bytes.
    case exchangeMTU(UInt16)
    /// The attributes of a type that has a short UUID, with exactly this value.
    case findByTypeValue(AttributeHandles, type: UInt16, value: [UInt8])
    /// The values of all attributes of a type.
    case readByType(AttributeHandles, type: AttributeUUID)
    /// The types of all attributes.
    case findInformation(AttributeHandles)
    /// A value to write, with response.
    case write(UInt16, value: [UInt8])

    /// Every handle there may be.
    static let allHandles: AttributeHandles = 0x0001...0xFFFF

    /// The search for a primary service, wherever it is.
    static func search(for service: AttributeUUID) -> AttributeRequest {
        .findByTypeValue(allHandles, type: 0x2800, value: service.bytes)
    }

    /// What the PDU begins with.
    var opcode: AttributeOpcode {
        switch self {
        case .exchangeMTU: .exchangeMTURequest
        case .findByTypeValue: .findByTypeValueRequest
        case .readByType: .readByTypeRequest
        case .findInformation: .findInformationRequest
        case .write: .writeRequest
        }
    }

    /// What a response to it begins with, unless it is an error.
    var response: AttributeOpcode? { AttributeOpcode(rawValue: opcode.rawValue + 1) }

    /// The PDU.
    var encoded: [UInt8] {
        var bytes = [opcode.rawValue]
        switch self {
        case .exchangeMTU(let mtu):
            bytes.append(littleEndian: mtu)
        case .findByTypeValue(let handles, let type, let value):
            bytes.append(handles)
            bytes.append(littleEndian: type)
            bytes.append(contentsOf: value)
        case .readByType(let handles, let type):
            bytes.append(handles)
            bytes.append(contentsOf: type.bytes)
        case .findInformation(let handles):
            bytes.append(handles)
        case .write(let handle, let value):
            bytes.append(littleEndian: handle)
            bytes.append(contentsOf: value)
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends the first and the last handle.
    fileprivate mutating func append(_ handles: AttributeHandles) {
        append(littleEndian: handles.lowerBound)
        append(littleEndian: handles.upperBound)
    }
}

/// A PDU that carries the value of a handle: a write without response, or a notification.
enum AttributeValuePDU {
    /// The bytes before the value: opcode and handle.
    static let headerLength = 3

    /// Puts a PDU together.
    ///
    /// - Parameter room: Zeros in front, for headers that go before it: so the value is copied once and no more.
    static func encode(
        _ opcode: AttributeOpcode, _ handle: UInt16, _ value: some Collection<UInt8>, behind room: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(room + headerLength + value.count)
        bytes.append(contentsOf: repeatElement(0, count: room))
        bytes.append(opcode.rawValue)
        bytes.append(littleEndian: handle)
        bytes.append(contentsOf: value)
        return bytes
    }
}
