import Domain

extension ConnectionParameters {
    /// Reads what a peripheral asks its central for: the eight bytes of a Connection Parameter Update Request.
    ///
    /// Source: Core Specification, Vol 3, Part A, 4.20.
    init?(request bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let minimum = reader.takeLittleEndian(UInt16.self), let maximum = reader.takeLittleEndian(UInt16.self),
            let latency = reader.takeLittleEndian(UInt16.self), let timeout = reader.takeLittleEndian(UInt16.self),
            reader.isAtEnd
        else { return nil }
        self.init(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
    }
}
