/// Cuts a byte stream into frames by their own lengths, finding its feet again after loss.
///
/// Padding carries no length of its own on a stream: between frames every byte that is no version is dropped, and padding
/// never looks like a version (it is 16...255 bytes of its own length). What comes out is a whole frame by its header;
/// whether it decodes is for ``PacketView`` to say.
///
/// Each byte is appended, looked at and moved a bounded number of times, however the stream is cut.
///
/// Source: spec, packet §2.10; ble-gatt §9.1.
public struct FrameDelimiter: Sendable {
    /// Bytes of the frame under way; begins with a version byte whenever it holds a header.
    private var buffer: [UInt8] = []
    /// How long the frame under way is, and since when it waits for its rest.
    private var pending: (length: Int, since: Uptime)?

    /// Starts with an empty buffer, as every new link does.
    public init() {}

    /// Bytes that wait for their frame's rest.
    public var bufferedCount: Int { buffer.count }

    /// Takes the next bytes of the stream and returns the frames that they complete, in order.
    ///
    /// - Parameter now: When the bytes came; a frame that stays incomplete 250 ms after it was first seen so is given up
    ///   when further bytes do not complete it.
    public mutating func append(_ bytes: ArraySlice<UInt8>, at now: Uptime) -> [[UInt8]] {
        guard !bytes.isEmpty else { return [] }
        if buffer.isEmpty, isFrame(bytes) {
            pending = nil
            return [Array(bytes)]
        }
        guard buffer.count + bytes.count <= PacketPolicy.maximumStreamBuffer else {
            reset()
            return []
        }
        buffer.append(contentsOf: bytes)
        var frames: [[UInt8]] = []
        var start = 0
        scan: while true {
            start = skipToVersion(from: start)
            switch Self.measure(buffer.span, from: start) {
            case .complete(let length):
                frames.append(Array(buffer[start..<start + length]))
                pending = nil
                start += length
            case .incomplete(let length):
                guard wait(for: length, at: now) else {
                    reset()
                    return frames
                }
                break scan
            case .headerIncomplete: break scan
            case .unreasonable:
                reset()
                return frames
            }
        }
        if start > 0 { buffer.removeFirst(start) }
        return frames
    }

    /// Takes bytes as an array.
    public mutating func append(_ bytes: [UInt8], at now: Uptime) -> [[UInt8]] { append(bytes[...], at: now) }

    /// Forgets everything, as a lost link does.
    public mutating func reset() {
        buffer = []
        pending = nil
    }

    private enum Measure {
        case complete(Int)
        case incomplete(Int)
        case headerIncomplete
        case unreasonable
    }

    /// Drops padding and noise: the next byte that can begin a frame.
    private mutating func skipToVersion(from start: Int) -> Int {
        var cursor = start
        while cursor < buffer.count, buffer[cursor] != PacketPolicy.version1, buffer[cursor] != PacketPolicy.version2 {
            cursor += 1
        }
        if cursor > start { pending = nil }
        return cursor
    }

    /// Whether the bytes are one frame, from the first to the last: then nothing needs to be put together.
    private func isFrame(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == PacketPolicy.version1 || bytes.first == PacketPolicy.version2 else { return false }
        if case .complete(let length) = Self.measure(bytes.span, from: 0) { return length == bytes.count }
        return false
    }

    /// Reads the frame's length off its header.
    private static func measure(_ bytes: Span<UInt8>, from start: Int) -> Measure {
        guard let header = FrameHeader(bytes, at: start), let hops = header.hopCount(in: bytes, at: start) else {
            return .headerIncomplete
        }
        if header.flags.contains(.compressed), header.sectionLength < header.sizeFieldLength { return .unreasonable }
        let length = header.sectionOffset(hops: hops) + header.sectionLength + header.signatureLength
        if length > PacketPolicy.maximumStreamBuffer { return .unreasonable }
        return bytes.count - start < length ? .incomplete(length) : .complete(length)
    }

    /// Whether the incomplete frame may wait on; its clock starts when it is first seen incomplete.
    private mutating func wait(for length: Int, at now: Uptime) -> Bool {
        guard let pending, pending.length == length else {
            pending = (length, now)
            return true
        }
        return now - pending.since < PacketPolicy.streamStall
    }
}
