import Domain

/// An LE event of a controller, typed. The subsection of Core Specification, Vol 4, Part E, 7.7.65, stands with each.
enum LowEnergyEvent: Hashable, Sendable {
    /// .1 and .10, which say the same to us.
    case connectionComplete(ConnectionComplete)
    /// .2 and .13, which say the same to us.
    case advertisingReport([AdvertisingReport])
    /// .3.
    case connectionUpdateComplete(HCIStatus, ConnectionHandle, timeout: UInt16)
    /// .5. The far end wants encryption with a key of an earlier day.
    case keyRequest(ConnectionHandle)
    /// .6.
    case parameterRequest(ConnectionHandle, ConnectionParameters)
    /// .7.
    case dataLengthChange(ConnectionHandle, sent: DataLength, received: DataLength)
    /// .12.
    case physicalLayerUpdate(HCIStatus, ConnectionHandle, sent: UInt8, received: UInt8)
    /// .17.
    case scanTimeout
    /// .18.
    case advertisingSetTerminated(HCIStatus, ConnectionHandle)
    /// .20.
    case channelSelection(ConnectionHandle, algorithm: UInt8)
    /// Anything else.
    case unknown(code: UInt8)

    /// A connection that came up, or did not.
    struct ConnectionComplete: Hashable, Sendable {
        let status: HCIStatus
        let handle: ConnectionHandle
        /// 0 when we opened it, 1 when the far end did.
        let role: UInt8
        /// `nil` when the kind of the address is none that there is.
        let peer: DeviceAddress?
        /// The supervision timeout, in units of 10 ms.
        let timeout: UInt16
    }

    /// Reads the parameters of an LE event; `nil` when they are too short.
    init?(_ reader: inout ByteReader) {
        guard let code = reader.take(UInt8.self), let event = Self.read(code, &reader) else { return nil }
        self = event
    }

    private static func read(_ code: UInt8, _ reader: inout ByteReader) -> LowEnergyEvent? {
        switch code {
        case 0x01: connectionComplete(&reader, privateAddresses: 0)
        case 0x02: AdvertisingReport.legacy(&reader).map { .advertisingReport($0) }
        case 0x03: connectionUpdateComplete(&reader)
        case 0x05: keyRequest(&reader)
        case 0x06: parameterRequest(&reader)
        case 0x07: dataLengthChange(&reader)
        case 0x0a: connectionComplete(&reader, privateAddresses: 12)
        case 0x0c: physicalLayerUpdate(&reader)
        case 0x0d: AdvertisingReport.extended(&reader).map { .advertisingReport($0) }
        case 0x11: .scanTimeout
        case 0x12: advertisingSetTerminated(&reader)
        case 0x14: channelSelection(&reader)
        default: .unknown(code: code)
        }
    }

    private static func connectionComplete(_ reader: inout ByteReader, privateAddresses: Int) -> LowEnergyEvent? {
        guard let status = reader.takeStatus(), let handle = reader.takeHandle(), let role = reader.take(UInt8.self),
            let peer = reader.takeAddress(), reader.take(privateAddresses) != nil,
            reader.take(4) != nil,  // interval and latency
            let timeout = reader.takeLittleEndian(UInt16.self),
            reader.take(1) != nil  // clock accuracy
        else { return nil }
        return .connectionComplete(
            ConnectionComplete(status: status, handle: handle, role: role, peer: peer, timeout: timeout))
    }

    private static func connectionUpdateComplete(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let status = reader.takeStatus(), let handle = reader.takeHandle(),
            reader.take(4) != nil,  // interval and latency
            let timeout = reader.takeLittleEndian(UInt16.self)
        else { return nil }
        return .connectionUpdateComplete(status, handle, timeout: timeout)
    }

    private static func keyRequest(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let handle = reader.takeHandle(), reader.take(10) != nil else { return nil }
        return .keyRequest(handle)
    }

    private static func parameterRequest(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let handle = reader.takeHandle(), let minimum = reader.takeLittleEndian(UInt16.self),
            let maximum = reader.takeLittleEndian(UInt16.self), let latency = reader.takeLittleEndian(UInt16.self),
            let timeout = reader.takeLittleEndian(UInt16.self)
        else { return nil }
        return .parameterRequest(
            handle,
            ConnectionParameters(
                minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout))
    }

    private static func dataLengthChange(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let handle = reader.takeHandle(), let sent = reader.takeDataLength(),
            let received = reader.takeDataLength()
        else { return nil }
        return .dataLengthChange(handle, sent: sent, received: received)
    }

    private static func physicalLayerUpdate(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let status = reader.takeStatus(), let handle = reader.takeHandle(), let sent = reader.take(UInt8.self),
            let received = reader.take(UInt8.self)
        else { return nil }
        return .physicalLayerUpdate(status, handle, sent: sent, received: received)
    }

    private static func advertisingSetTerminated(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let status = reader.takeStatus(), reader.take(1) != nil,  // which set
            let handle = reader.takeHandle(), reader.take(1) != nil  // events that were sent
        else { return nil }
        return .advertisingSetTerminated(status, handle)
    }

    private static func channelSelection(_ reader: inout ByteReader) -> LowEnergyEvent? {
        guard let handle = reader.takeHandle(), let algorithm = reader.take(UInt8.self) else { return nil }
        return .channelSelection(handle, algorithm: algorithm)
    }
}

extension ByteReader {
    fileprivate mutating func takeDataLength() -> DataLength? {
        guard let octets = takeLittleEndian(UInt16.self), let time = takeLittleEndian(UInt16.self) else { return nil }
        return DataLength(octets: octets, time: time)
    }
}
