import Domain

/// An event of a controller, typed. The section of Core Specification, Vol 4, Part E, stands with each.
enum HCIEvent: Hashable, Sendable {
    /// 7.7.5.
    case disconnectionComplete(HCIStatus, ConnectionHandle, reason: HCIStatus)
    /// 7.7.8.
    case encryptionChange(HCIStatus, ConnectionHandle, isOn: Bool)
    /// 7.7.14. What is behind the op code, the status in front.
    case commandComplete(OpCode, credits: Int, returned: ArraySlice<UInt8>)
    /// 7.7.15.
    case commandStatus(OpCode, credits: Int, HCIStatus)
    /// 7.7.16.
    case hardwareError(code: UInt8)
    /// 7.7.19.
    case completedPackets([Completion])
    /// 7.7.26.
    case bufferOverflow(linkType: UInt8)
    /// 7.7.65.
    case lowEnergy(LowEnergyEvent)
    /// Anything else.
    case unknown(code: UInt8)

    /// So many packets of one connection have left the controller.
    struct Completion: Hashable, Sendable {
        let handle: ConnectionHandle
        let count: Int
    }

    /// Reads an event, the H4 indicator taken off; `nil` when it is shorter than it says or than its kind must be.
    ///
    /// Bytes behind the end are let pass: later versions of the specification have made events longer.
    init?(_ bytes: ArraySlice<UInt8>) {
        var packet = ByteReader(bytes)
        guard let code = packet.take(UInt8.self), let length = packet.take(UInt8.self),
            let parameters = packet.take(Int(length))
        else { return nil }
        var reader = ByteReader(parameters)
        guard let event = Self.read(code, &reader) else { return nil }
        self = event
    }

    private static func read(_ code: UInt8, _ reader: inout ByteReader) -> HCIEvent? {
        switch code {
        case 0x05: disconnectionComplete(&reader)
        case 0x08: encryptionChange(&reader)
        case 0x0e: commandComplete(&reader)
        case 0x0f: commandStatus(&reader)
        case 0x10: reader.take(UInt8.self).map { .hardwareError(code: $0) }
        case 0x13: completedPackets(&reader)
        case 0x1a: reader.take(UInt8.self).map { .bufferOverflow(linkType: $0) }
        case 0x3e: LowEnergyEvent(&reader).map { .lowEnergy($0) }
        default: .unknown(code: code)
        }
    }

    private static func disconnectionComplete(_ reader: inout ByteReader) -> HCIEvent? {
        guard let status = reader.takeStatus(), let handle = reader.takeHandle(), let reason = reader.takeStatus()
        else {
            return nil
        }
        return .disconnectionComplete(status, handle, reason: reason)
    }

    private static func encryptionChange(_ reader: inout ByteReader) -> HCIEvent? {
        guard let status = reader.takeStatus(), let handle = reader.takeHandle(), let mode = reader.take(UInt8.self)
        else { return nil }
        return .encryptionChange(status, handle, isOn: mode != 0)
    }

    private static func commandComplete(_ reader: inout ByteReader) -> HCIEvent? {
        guard let credits = reader.take(UInt8.self), let opCode = reader.takeLittleEndian(UInt16.self) else {
            return nil
        }
        return .commandComplete(OpCode(rawValue: opCode), credits: Int(credits), returned: reader.rest)
    }

    private static func commandStatus(_ reader: inout ByteReader) -> HCIEvent? {
        guard let status = reader.takeStatus(), let credits = reader.take(UInt8.self),
            let opCode = reader.takeLittleEndian(UInt16.self)
        else { return nil }
        return .commandStatus(OpCode(rawValue: opCode), credits: Int(credits), status)
    }

    private static func completedPackets(_ reader: inout ByteReader) -> HCIEvent? {
        guard let connections = reader.take(UInt8.self) else { return nil }
        var completions: [Completion] = []
        for _ in 0..<connections {
            guard let handle = reader.takeHandle(), let count = reader.takeLittleEndian(UInt16.self) else { return nil }
            completions.append(Completion(handle: handle, count: Int(count)))
        }
        return .completedPackets(completions)
    }
}

extension ByteReader {
    /// Takes a status, or the reason of an end.
    mutating func takeStatus() -> HCIStatus? { take(UInt8.self).map { HCIStatus(rawValue: $0) } }

    /// Takes a handle as it comes, in range or not.
    mutating func takeHandle() -> ConnectionHandle? {
        takeLittleEndian(UInt16.self).map { ConnectionHandle(rawValue: $0) }
    }

    /// Takes the kind of an address and the address.
    ///
    /// - Returns: `nil` when too little is left; inside, `nil` for a kind that has no address, as of anonymous advertising.
    ///   Identity addresses (2 and 3) are what they are made of (Core Specification, Vol 4, Part E, 7.7.65.10).
    mutating func takeAddress() -> DeviceAddress?? {
        guard count >= 7, let kind = take(UInt8.self), let bytes = take(6) else { return nil }
        guard kind < 4 else { return .some(nil) }
        let bits = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return DeviceAddress(kind: kind & 1 == 0 ? .public : .random, bits: bits)
    }
}
