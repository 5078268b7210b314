/// One packet of live voice: the payload of a public voice packet (0x29), or of a Noise voice frame (0x08).
///
/// Source: spec, packet §4.9.
public struct VoiceBurst: Hashable, Sendable {
    /// What a packet says.
    public enum Content: Hashable, Sendable {
        /// The burst begins, in AAC-LC, 16 kHz, mono: the only codec there is.
        case start
        /// One to eight AAC access units, none empty.
        case frames([[UInt8]])
        /// The burst is over: how many packets with frames there were, and how long it lasted, in milliseconds.
        case end(dataPackets: UInt16, milliseconds: UInt32)
        /// The speaker took it back.
        case canceled
    }

    /// Eight random bytes that name the burst, the first one most significant.
    public let burstID: UInt64
    /// 0 for the start, then one more for each packet.
    public let sequence: UInt16
    /// What the packet says.
    public let content: Content

    /// The most frames in a packet.
    public static let maximumFrames = 8
    /// The bytes in front of the body.
    static let headerLength = 11

    private enum Flags {
        static let frames: UInt8 = 0x00
        static let start: UInt8 = 0x01
        static let end: UInt8 = 0x02
        static let canceled: UInt8 = 0x04
    }

    private static let codec: UInt8 = 0x01

    /// Makes a packet; `nil` for no frame, more than eight, an empty one, or one above 65,535 bytes.
    public init?(burstID: UInt64, sequence: UInt16, content: Content) {
        if case .frames(let frames) = content {
            guard (1...Self.maximumFrames).contains(frames.count),
                frames.allSatisfy({ (1...Int(UInt16.max)).contains($0.count) })
            else { return nil }
        }
        self.burstID = burstID
        self.sequence = sequence
        self.content = content
    }

    /// The packet's bytes.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: burstID)
        bytes.append(bigEndian: sequence)
        switch content {
        case .start: bytes += [Flags.start, Self.codec]
        case .frames(let frames):
            bytes.append(Flags.frames)
            for frame in frames {
                bytes.append(bigEndian: UInt16(clamping: frame.count))
                bytes += frame
            }
        case .end(let dataPackets, let milliseconds):
            bytes.append(Flags.end)
            bytes.append(bigEndian: dataPackets)
            bytes.append(bigEndian: milliseconds)
        case .canceled: bytes.append(Flags.canceled)
        }
        return bytes
    }

    /// Reads a packet. Bytes behind the fields of start, end and canceled are passed over.
    ///
    /// - Returns: `nil` for unknown flags (they are one value, no mask), an unknown codec, a body that is too short, and
    ///   frames that break the rules of ``init(burstID:sequence:content:)``.
    public init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let burstID = reader.take(UInt64.self), let sequence = reader.take(UInt16.self),
            let flags = reader.take(UInt8.self), let content = Self.content(flags, &reader)
        else { return nil }
        self.init(burstID: burstID, sequence: sequence, content: content)
    }

    private static func content(_ flags: UInt8, _ reader: inout ByteReader) -> Content? {
        switch flags {
        case Flags.start: return reader.take(UInt8.self) == codec ? .start : nil
        case Flags.end:
            guard let dataPackets = reader.take(UInt16.self), let milliseconds = reader.take(UInt32.self) else {
                return nil
            }
            return .end(dataPackets: dataPackets, milliseconds: milliseconds)
        case Flags.canceled: return .canceled
        case Flags.frames:
            var frames: [[UInt8]] = []
            while !reader.isAtEnd {
                guard frames.count < maximumFrames, let length = reader.take(UInt16.self),
                    let frame = reader.take(Int(length))
                else { return nil }
                frames.append(Array(frame))
            }
            return .frames(frames)
        default: return nil
        }
    }
}
