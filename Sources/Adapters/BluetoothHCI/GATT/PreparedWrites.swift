import Domain

/// The parts of long writes that a peer has sent and not yet executed. Bounded in number and bytes.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.6.
struct PreparedWrites: Sendable {
    private struct Part {
        let handle: UInt16
        let offset: Int
        let value: [UInt8]
    }

    private var parts: [Part] = []
    private var bytes = 0

    /// Keeps one part; `false` when there is no room.
    mutating func append(_ value: ArraySlice<UInt8>, to handle: UInt16, at offset: UInt16) -> Bool {
        guard parts.count < BluetoothPolicy.preparedWrites, bytes + value.count <= BluetoothPolicy.preparedBytes else {
            return false
        }
        parts.append(Part(handle: handle, offset: Int(offset), value: Array(value)))
        bytes += value.count
        return true
    }

    /// Takes everything out, and puts together what each handle is to hold, in the order in which they came first.
    ///
    /// Parts of one handle are taken by their offsets, not by arrival as the Core Specification has it: for a write that
    /// is split in order it is the same, and the reference sorts (spec: ble-gatt §9.2). Empty parts are skipped, as there.
    ///
    /// - Parameter base: What a handle holds before; parts may overwrite and lengthen it.
    /// - Throws: Invalid Offset, when a part does not begin within what is there.
    mutating func take(over base: (UInt16) -> [UInt8]) throws(AttributeRefusal) -> [(handle: UInt16, value: [UInt8])] {
        defer { self = PreparedWrites() }
        var values: [(handle: UInt16, value: [UInt8])] = []
        for part in parts.enumerated().sorted(by: { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }) {
            let part = part.element
            let place = values.firstIndex { $0.handle == part.handle } ?? values.endIndex
            if place == values.endIndex { values.append((part.handle, base(part.handle))) }
            guard !part.value.isEmpty else { continue }
            guard part.offset <= values[place].value.count else {
                throw AttributeRefusal(.invalidOffset, at: part.handle)
            }
            let end = min(values[place].value.count, part.offset + part.value.count)
            values[place].value.replaceSubrange(part.offset..<end, with: part.value)
        }
        return values
    }
}
