import Domain

/// Our side of what a peer's client asks: one for each connection, since a subscription and unfinished writes are the
/// peer's own.
///
/// Each request has exactly one answer, a command none. Nothing that comes in can make it trap or hold more than its
/// bounds.
///
/// Source: Core Specification, Vol 3, Part F, 3.3–3.4.
struct AttributeServer: Sendable {
    /// What comes of a PDU.
    struct Outcome: Hashable, Sendable {
        /// The response, or the error response.
        var answer: [UInt8]?
        /// What the peer wrote into the mesh characteristic; never empty.
        var value: ArraySlice<UInt8>?
        /// What the peer can receive, as it says: any number.
        var peerMTU: UInt16?
    }

    let database: AttributeDatabase
    private var configurations: [UInt16: UInt16] = [:]
    private var prepared = PreparedWrites()

    /// Serves the database of a mesh.
    init(service: BluetoothService) { database = AttributeDatabase(service: service) }

    /// Whether the peer wants notifications of the mesh characteristic: bit 0 of its client configuration, whatever the
    /// other bits say.
    var isSubscribed: Bool { configuration(of: AttributeDatabase.meshConfiguration) & 1 != 0 }

    /// Takes a request or a command.
    ///
    /// - Parameter mtu: The longest answer, in bytes.
    mutating func receive(_ pdu: ArraySlice<UInt8>, mtu: Int) -> Outcome {
        guard let code = pdu.first else { return Outcome() }
        var outcome = Outcome()
        do throws(AttributeRefusal) {
            guard pdu.count <= BluetoothPolicy.mtu else { throw AttributeRefusal(.invalidPDU) }
            outcome.answer = try answer(to: code, pdu.dropFirst(), mtu: mtu, &outcome)
        } catch {
            outcome.answer = error.response(to: code)
        }
        if AttributeOpcode.kind(of: code) == .command { outcome.answer = nil }
        return outcome
    }

    private mutating func answer(
        to code: UInt8, _ parameters: ArraySlice<UInt8>, mtu: Int, _ outcome: inout Outcome
    ) throws(AttributeRefusal) -> [UInt8]? {
        let reading = AttributeReading(database: database, configurations: configurations, mtu: mtu)
        switch AttributeOpcode(rawValue: code) {
        case .exchangeMTURequest: return try exchangeMTU(parameters, &outcome)
        case .findInformationRequest: return try reading.findInformation(parameters)
        case .findByTypeValueRequest: return try reading.findByTypeValue(parameters)
        case .readByTypeRequest: return try reading.readByType(parameters)
        case .readRequest: return try reading.read(parameters)
        case .readBlobRequest: return try reading.readBlob(parameters)
        case .readMultipleRequest: return try reading.readMultiple(parameters)
        case .readByGroupTypeRequest: return try reading.readByGroupType(parameters)
        case .writeRequest, .writeCommand: return try write(parameters, &outcome)
        case .prepareWriteRequest: return try prepareWrite(parameters, mtu: mtu)
        case .executeWriteRequest: return try executeWrite(parameters, &outcome)
        default: throw AttributeRefusal(.requestNotSupported)
        }
    }

    // MARK: MTU

    /// Source: Core Specification, Vol 3, Part F, 3.4.2.
    private func exchangeMTU(
        _ parameters: ArraySlice<UInt8>, _ outcome: inout Outcome
    ) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard let mtu = reader.takeLittleEndian(UInt16.self), reader.isAtEnd else {
            throw AttributeRefusal(.invalidPDU)
        }
        outcome.peerMTU = mtu
        var answer = [AttributeOpcode.exchangeMTUResponse.rawValue]
        answer.append(littleEndian: UInt16(BluetoothPolicy.mtu))
        return answer
    }

    // MARK: Writing

    /// Source: Core Specification, Vol 3, Part F, 3.4.5.
    private mutating func write(
        _ parameters: ArraySlice<UInt8>, _ outcome: inout Outcome
    ) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard let handle = reader.takeLittleEndian(UInt16.self) else { throw AttributeRefusal(.invalidPDU) }
        try checkWritable(handle)
        try check(reader.rest, for: handle)
        store(reader.rest, in: handle, &outcome)
        return [AttributeOpcode.writeResponse.rawValue]
    }

    private func checkWritable(_ handle: UInt16) throws(AttributeRefusal) {
        switch database[handle]?.content {
        case .mesh, .clientConfiguration: return
        case nil: throw AttributeRefusal(.invalidHandle, at: handle)
        default: throw AttributeRefusal(.writeNotPermitted, at: handle)
        }
    }

    /// A value may be as long as an MTU lets it, a client configuration has two bytes and may be written in part.
    private func check(_ value: ArraySlice<UInt8>, for handle: UInt16) throws(AttributeRefusal) {
        let limit = handle == AttributeDatabase.meshValue ? BluetoothPolicy.inboundValue : 2
        guard value.count <= limit else { throw AttributeRefusal(.invalidAttributeValueLength, at: handle) }
    }

    private mutating func store(_ value: ArraySlice<UInt8>, in handle: UInt16, _ outcome: inout Outcome) {
        guard handle != AttributeDatabase.meshValue else {
            // An empty frame is none (spec: ble-gatt §9.3).
            if !value.isEmpty { outcome.value = value }
            return
        }
        var bits = configuration(of: handle)
        for (place, byte) in value.enumerated().prefix(2) {
            bits = bits & ~(0xFF << (8 * place)) | UInt16(byte) << (8 * place)
        }
        configurations[handle] = bits
    }

    private func configuration(of handle: UInt16) -> UInt16 { configurations[handle] ?? 0 }

    // MARK: Long writes

    /// Source: Core Specification, Vol 3, Part F, 3.4.6.1: whether value and offset are valid is not judged here. A part
    /// longer than the MTU could not be sent back.
    private mutating func prepareWrite(
        _ parameters: ArraySlice<UInt8>, mtu: Int
    ) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard let handle = reader.takeLittleEndian(UInt16.self), let offset = reader.takeLittleEndian(UInt16.self),
            parameters.count < mtu
        else { throw AttributeRefusal(.invalidPDU) }
        try checkWritable(handle)
        guard prepared.append(reader.rest, to: handle, at: offset) else {
            throw AttributeRefusal(.prepareQueueFull, at: handle)
        }
        return [AttributeOpcode.prepareWriteResponse.rawValue] + parameters
    }

    /// All or nothing, and the mesh characteristic's value as one, however many parts it came in.
    ///
    /// Source: Core Specification, Vol 3, Part F, 3.4.6.3; spec: ble-gatt §9.2.
    private mutating func executeWrite(
        _ parameters: ArraySlice<UInt8>, _ outcome: inout Outcome
    ) throws(AttributeRefusal) -> [UInt8] {
        switch Array(parameters) {
        case [0]:
            prepared = PreparedWrites()
        case [1]:
            let before = configurations
            let values = try prepared.take { handle in
                // What is written into the mesh characteristic is a message, not a state: it starts from nothing.
                var bytes: [UInt8] = []
                if handle != AttributeDatabase.meshValue { bytes.append(littleEndian: before[handle] ?? 0) }
                return bytes
            }
            for (handle, value) in values { try check(value[...], for: handle) }
            for (handle, value) in values { store(value[...], in: handle, &outcome) }
        default:
            throw AttributeRefusal(.invalidPDU)
        }
        return [AttributeOpcode.executeWriteResponse.rawValue]
    }
}
