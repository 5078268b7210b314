import Domain

/// A channel of the logical link; the fixed ones of LE have their numbers by decree.
///
/// Source: Core Specification, Vol 3, Part A, 2.1.
struct L2CAPChannel: RawRepresentable, Hashable, Sendable {
    /// The channel identifier on the air.
    let rawValue: UInt16

    /// The attribute protocol.
    static let attributes = L2CAPChannel(rawValue: 0x0004)
    /// LE signalling.
    static let signalling = L2CAPChannel(rawValue: 0x0005)
    /// The security manager protocol.
    static let security = L2CAPChannel(rawValue: 0x0006)
}

/// A basic L2CAP frame (B-frame).
///
/// Source: Core Specification, Vol 3, Part A, 3.1.
struct L2CAPFrame: Hashable, Sendable {
    /// The bytes before the payload: its length and the channel, two bytes each, least significant first.
    static let headerLength = 4

    /// Whom it is for.
    let channel: L2CAPChannel
    /// What it carries, at most 65,535 bytes.
    let payload: ArraySlice<UInt8>

    /// The frame as it is cut into ACL packets.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerLength + payload.count)
        bytes.append(littleEndian: UInt16(clamping: payload.count))
        bytes.append(littleEndian: channel.rawValue)
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// Writes the header of a frame into the ``headerLength`` bytes that were left free in front of its payload.
    static func fillHeader(of frame: inout [UInt8], channel: L2CAPChannel) {
        guard frame.count >= headerLength else { return }
        let length = UInt16(clamping: frame.count - headerLength)
        for (place, number) in [length, channel.rawValue].enumerated() {
            frame[2 * place] = UInt8(truncatingIfNeeded: number)
            frame[2 * place + 1] = UInt8(truncatingIfNeeded: number >> 8)
        }
    }
}
