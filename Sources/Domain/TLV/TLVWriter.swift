/// Builds a type-length-value list.
public struct TLVWriter {
    private let layout: TLVLayout
    private var output: [UInt8] = []
    private var overflowed = false

    /// Starts an empty list.
    ///
    /// - Parameter capacity: The expected number of bytes, to allocate once.
    public init(_ layout: TLVLayout, capacity: Int = 0) {
        self.layout = layout
        output.reserveCapacity(capacity)
    }

    /// The list; `nil` when some value was longer than its length field can state.
    public var bytes: [UInt8]? { overflowed ? nil : output }

    /// Appends a field.
    public mutating func append(_ tag: UInt8, _ value: some Collection<UInt8>) {
        guard appendHeader(tag, length: value.count) else { return }
        output.append(contentsOf: value)
    }

    /// Appends a field with bytes that are only lent, such as those of a secret.
    public mutating func append(_ tag: UInt8, _ value: Span<UInt8>) {
        guard appendHeader(tag, length: value.count) else { return }
        for index in value.indices { output.append(value[index]) }
    }

    /// Appends a field with a big-endian number.
    public mutating func append(_ tag: UInt8, bigEndian value: some FixedWidthInteger) {
        guard appendHeader(tag, length: value.bitWidth / 8) else { return }
        output.append(bigEndian: value)
    }

    /// Appends a field with 32 bytes.
    public mutating func append(_ tag: UInt8, _ value: Bytes32) { append(tag, value.bytes) }

    private mutating func appendHeader(_ tag: UInt8, length: Int) -> Bool {
        guard length <= layout.maximumValueLength else {
            overflowed = true
            return false
        }
        output.append(tag)
        switch layout {
        case .short: output.append(UInt8(truncatingIfNeeded: length))
        case .long: output.append(bigEndian: UInt16(truncatingIfNeeded: length))
        }
        return true
    }
}
