import Domain

extension AdvertisingReport {
    /// What stands in place of a signal that is not known.
    private static let noSignal: Int8 = 127

    /// Reads the reports of an LE Advertising Report event; `nil` when one is cut.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.7.65.2. The tables there list field by field; on the wire one report
    /// follows the other.
    static func legacy(_ reader: inout ByteReader) -> [AdvertisingReport]? {
        read(&reader) { reader in
            guard let type = reader.take(UInt8.self), let device = reader.takeAddress(),
                let length = reader.take(UInt8.self), let data = reader.take(Int(length)),
                let signal = reader.take(UInt8.self)
            else { return nil }
            guard let device else { return .some(nil) }
            // 0 ADV_IND and 1 ADV_DIRECT_IND take connections, 2 ADV_SCAN_IND and 3 ADV_NONCONN_IND do not, 4 is SCAN_RSP.
            return AdvertisingReport(
                device: device, isConnectable: type < 2, isScanResponse: type == 4, data: data, signal: signal)
        }
    }

    /// Reads the reports of an LE Extended Advertising Report event; `nil` when one is cut.
    ///
    /// Data that comes in several reports is passed over: what our mesh advertises fits into one.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.7.65.13.
    static func extended(_ reader: inout ByteReader) -> [AdvertisingReport]? {
        read(&reader) { reader in
            guard let type = reader.takeLittleEndian(UInt16.self), let device = reader.takeAddress(),
                reader.take(4) != nil,  // the two PHYs, set ID, transmit power
                let signal = reader.take(UInt8.self),
                reader.take(9) != nil,  // periodic interval, and at whom it is directed
                let length = reader.take(UInt8.self), let data = reader.take(Int(length))
            else { return nil }
            guard let device, type & 0x60 == 0 else { return .some(nil) }
            return AdvertisingReport(
                device: device, isConnectable: type & 1 != 0, isScanResponse: type & 8 != 0, data: data, signal: signal)
        }
    }

    private init(
        device: DeviceAddress, isConnectable: Bool, isScanResponse: Bool, data: ArraySlice<UInt8>, signal: UInt8
    ) {
        let strength = Int8(bitPattern: signal)
        self.init(
            device: device, isConnectable: isConnectable && !isScanResponse, isScanResponse: isScanResponse,
            data: Array(data), signal: strength == Self.noSignal ? nil : strength)
    }

    /// Reads a count and so many reports; those that are of no use are left out.
    private static func read(
        _ reader: inout ByteReader, _ one: (inout ByteReader) -> AdvertisingReport??
    ) -> [AdvertisingReport]? {
        guard let count = reader.take(UInt8.self) else { return nil }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            guard let report = one(&reader) else { return nil }
            if let report { reports.append(report) }
        }
        return reports
    }
}
