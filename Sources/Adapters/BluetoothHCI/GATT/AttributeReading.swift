import Domain

/// The answers to what a peer's client reads: the database as it is at this moment.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.3–3.4.4.
struct AttributeReading {
    let database: AttributeDatabase
    /// The peer's subscriptions, by handle.
    let configurations: [UInt16: UInt16]
    /// The longest answer, in bytes.
    let mtu: Int

    /// What a read gives; `nil` when it is not permitted.
    private func value(of attribute: AttributeDatabase.Attribute) -> [UInt8]? {
        switch attribute.content {
        case .constant(let bytes): return bytes
        // Neither app reads the characteristic; success with nothing is what a reader can do least with.
        case .empty, .mesh: return []
        case .clientConfiguration:
            var bytes: [UInt8] = []
            bytes.append(littleEndian: configurations[attribute.handle] ?? 0)
            return bytes
        case .indicated: return nil
        }
    }

    private func hasFixedLength(_ attribute: AttributeDatabase.Attribute) -> Bool {
        switch attribute.content {
        case .constant, .clientConfiguration, .indicated: true
        case .empty, .mesh: false
        }
    }

    // MARK: By handle

    /// 3.4.4.3.
    func read(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard let handle = reader.takeLittleEndian(UInt16.self), reader.isAtEnd else {
            throw AttributeRefusal(.invalidPDU)
        }
        return [AttributeOpcode.readResponse.rawValue] + (try value(at: handle).prefix(mtu - 1))
    }

    /// 3.4.4.5. An offset beyond the end is refused as such; one within a value that a plain read returns whole, and whose
    /// length is fixed, is refused as pointless.
    func readBlob(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard let handle = reader.takeLittleEndian(UInt16.self), let offset = reader.takeLittleEndian(UInt16.self),
            reader.isAtEnd
        else { throw AttributeRefusal(.invalidPDU) }
        let value = try value(at: handle)
        guard offset <= value.count else { throw AttributeRefusal(.invalidOffset, at: handle) }
        if let attribute = database[handle], hasFixedLength(attribute), value.count <= mtu - 1 {
            throw AttributeRefusal(.attributeNotLong, at: handle)
        }
        return [AttributeOpcode.readBlobResponse.rawValue] + value.dropFirst(Int(offset)).prefix(mtu - 1)
    }

    /// 3.4.4.7.
    func readMultiple(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        guard parameters.count >= 4, parameters.count.isMultiple(of: 2) else { throw AttributeRefusal(.invalidPDU) }
        var reader = ByteReader(parameters)
        var values: [UInt8] = []
        while let handle = reader.takeLittleEndian(UInt16.self) { values += try value(at: handle) }
        return [AttributeOpcode.readMultipleResponse.rawValue] + values.prefix(mtu - 1)
    }

    private func value(at handle: UInt16) throws(AttributeRefusal) -> [UInt8] {
        guard let attribute = database[handle] else { throw AttributeRefusal(.invalidHandle, at: handle) }
        guard let value = value(of: attribute) else { throw AttributeRefusal(.readNotPermitted, at: handle) }
        return value
    }

    // MARK: By range

    /// 3.4.3.1: types of one length only.
    func findInformation(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        guard parameters.count == 4 else { throw AttributeRefusal(.invalidPDU) }
        var reader = ByteReader(parameters)
        let handles = try takeHandles(&reader)
        var list = ResponseList(mtu: mtu, header: 2)
        for attribute in database.attributes(in: handles) {
            var entry: [UInt8] = []
            entry.append(littleEndian: attribute.handle)
            guard list.append(entry + attribute.type.bytes) else { break }
        }
        guard let length = list.entryLength else { throw AttributeRefusal(.attributeNotFound, at: handles.lowerBound) }
        return [AttributeOpcode.findInformationResponse.rawValue, length == 4 ? 1 : 2] + list.bytes
    }

    /// 3.4.3.3: types with a short UUID only.
    func findByTypeValue(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        var reader = ByteReader(parameters)
        guard parameters.count >= 6 else { throw AttributeRefusal(.invalidPDU) }
        let handles = try takeHandles(&reader)
        let type = AttributeUUID(reader.takeLittleEndian(UInt16.self) ?? 0)
        var list = ResponseList(mtu: mtu, header: 1)
        for attribute in database.attributes(in: handles) where attribute.type == type {
            guard let value = value(of: attribute), value[...] == reader.rest else { continue }
            var entry: [UInt8] = []
            entry.append(littleEndian: attribute.handle)
            entry.append(littleEndian: database.lastHandle(of: attribute))
            guard list.append(entry) else { break }
        }
        guard list.entryLength != nil else { throw AttributeRefusal(.attributeNotFound, at: handles.lowerBound) }
        return [AttributeOpcode.findByTypeValueResponse.rawValue] + list.bytes
    }

    /// 3.4.4.1: values of one length only, at most 253 bytes of each.
    func readByType(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        let (handles, type) = try takeHandlesAndType(parameters)
        return try list(.readByTypeResponse, handles, type, limit: min(mtu - 4, 253)) { attribute in
            var entry: [UInt8] = []
            entry.append(littleEndian: attribute.handle)
            return entry
        }
    }

    /// 3.4.4.9: the same for groups, with the last handle of each, and at most 251 bytes of a value.
    func readByGroupType(_ parameters: ArraySlice<UInt8>) throws(AttributeRefusal) -> [UInt8] {
        let (handles, type) = try takeHandlesAndType(parameters)
        guard AttributeDatabase.isGrouping(type) else {
            throw AttributeRefusal(.unsupportedGroupType, at: handles.lowerBound)
        }
        return try list(.readByGroupTypeResponse, handles, type, limit: min(mtu - 6, 251)) { attribute in
            var entry: [UInt8] = []
            entry.append(littleEndian: attribute.handle)
            entry.append(littleEndian: database.lastHandle(of: attribute))
            return entry
        }
    }

    /// As many values of a type as have one length and fit. What may not be read ends the list, or is the answer when it
    /// comes first.
    private func list(
        _ response: AttributeOpcode, _ handles: AttributeHandles, _ type: AttributeUUID, limit: Int,
        head: (AttributeDatabase.Attribute) -> [UInt8]
    ) throws(AttributeRefusal) -> [UInt8] {
        var list = ResponseList(mtu: mtu, header: 2)
        for attribute in database.attributes(in: handles) where attribute.type == type {
            guard let value = value(of: attribute) else {
                if list.entryLength == nil { throw AttributeRefusal(.readNotPermitted, at: attribute.handle) }
                break
            }
            guard list.append(head(attribute) + value.prefix(limit)) else { break }
        }
        guard let length = list.entryLength else { throw AttributeRefusal(.attributeNotFound, at: handles.lowerBound) }
        return [response.rawValue, UInt8(clamping: length)] + list.bytes
    }

    // MARK: Parameters

    /// Takes first and last handle.
    private func takeHandles(_ reader: inout ByteReader) throws(AttributeRefusal) -> AttributeHandles {
        guard let first = reader.takeLittleEndian(UInt16.self), let last = reader.takeLittleEndian(UInt16.self) else {
            throw AttributeRefusal(.invalidPDU)
        }
        guard first > 0, first <= last else { throw AttributeRefusal(.invalidHandle, at: first) }
        return first...last
    }

    private func takeHandlesAndType(
        _ parameters: ArraySlice<UInt8>
    ) throws(AttributeRefusal) -> (AttributeHandles, AttributeUUID) {
        guard let type = AttributeUUID(parameters.dropFirst(4)) else { throw AttributeRefusal(.invalidPDU) }
        var reader = ByteReader(parameters)
        return (try takeHandles(&reader), type)
    }
}

/// Entries of one length, as many as an answer holds.
private struct ResponseList {
    private let room: Int
    private(set) var bytes: [UInt8] = []
    /// The length of each entry; `nil` while there is none.
    private(set) var entryLength: Int?

    /// - Parameter header: The bytes of the answer before the first entry.
    init(mtu: Int, header: Int) { room = mtu - header }

    /// Adds an entry; `false` when it is of another length or does not fit.
    mutating func append(_ entry: [UInt8]) -> Bool {
        guard entryLength ?? entry.count == entry.count, bytes.count + entry.count <= room else { return false }
        entryLength = entry.count
        bytes += entry
        return true
    }
}
