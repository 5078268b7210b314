import Domain

/// A piece of an L2CAP frame on its way to or from a controller.
///
/// Source: Core Specification, Vol 4, Part E, 5.4.2.
struct DataPacket: Hashable, Sendable {
    /// Over which connection.
    let handle: ConnectionHandle
    /// Whether a frame begins with it.
    let isStart: Bool
    /// The piece; what it holds is not known here.
    let payload: ArraySlice<UInt8>

    init(handle: ConnectionHandle, isStart: Bool, payload: ArraySlice<UInt8>) {
        self.handle = handle
        self.isStart = isStart
        self.payload = payload
    }

    /// Reads a packet, the H4 indicator taken off; `nil` when it is shorter than it says, or a kind that LE does not have.
    ///
    /// A start is flagged 0b10 on its way to us; 0b00, which only we may send, is taken for the same.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let head = reader.takeLittleEndian(UInt16.self), let length = reader.takeLittleEndian(UInt16.self),
            let payload = reader.take(Int(length)), !payload.isEmpty
        else { return nil }
        let (boundary, broadcast) = (head >> 12 & 3, head >> 14)
        guard boundary != 3, broadcast == 0 else { return nil }
        self.init(handle: ConnectionHandle(rawValue: head & 0x0fff), isStart: boundary != 1, payload: payload)
    }

    /// The packet as we send it, with its H4 indicator: a start, which must not be flushed, by 0b00, the rest by 0b01.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(5 + payload.count)
        bytes.append(PacketIndicator.data)
        bytes.append(littleEndian: handle.rawValue & 0x0fff | (isStart ? 0 : 0x1000))
        bytes.append(littleEndian: UInt16(clamping: payload.count))
        bytes += payload
        return bytes
    }
}
