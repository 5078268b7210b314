import Domain

/// Puts frames together from the pieces that ACL packets carry, for one connection.
///
/// Holds at most one unfinished frame, and never one that announces more than the limit. Whatever is out of order costs
/// the frame it belongs to and nothing else.
///
/// Source: Core Specification, Vol 3, Part A, 7.2.2 (recombination).
struct L2CAPAssembler: Sendable {
    private enum State {
        /// Nothing is unfinished; a continuation belongs to nothing.
        case idle
        /// Part of a frame, header included; perhaps not even all of the header.
        case collecting([UInt8])
        /// So many bytes of a frame that is too long are still to come.
        case skipping(Int)
    }

    private let limit: Int
    private var state = State.idle
    /// Frames and stray pieces that were thrown away.
    private(set) var dropped = 0

    /// - Parameter limit: The longest payload that is put together, in bytes; longer frames are passed over.
    init(limit: Int = BluetoothPolicy.frameLimit) { self.limit = limit }

    /// Takes one piece.
    ///
    /// - Parameters:
    ///   - fragment: The data of one ACL packet.
    ///   - isStart: Whether the controller marks it as the first piece of a frame.
    /// - Returns: The frame that this piece completes.
    mutating func receive(_ fragment: ArraySlice<UInt8>, isStart: Bool) -> L2CAPFrame? {
        guard isStart else { return proceed(with: fragment) }
        if case .collecting = state { dropped += 1 }
        // A frame in one piece is not copied, and the storage for any other is made once.
        return judge(fragment) { length in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(length)
            bytes.append(contentsOf: fragment)
            return bytes
        }
    }

    private mutating func proceed(with fragment: ArraySlice<UInt8>) -> L2CAPFrame? {
        switch state {
        case .idle:
            dropped += 1
            return nil
        case .skipping(let count):
            state = fragment.count < count ? .skipping(count - fragment.count) : .idle
            return nil
        case .collecting(var bytes):
            // The state is let go first, so that the buffer is appended to and not copied.
            state = .idle
            bytes.append(contentsOf: fragment)
            return judge(bytes[...]) { [bytes] _ in bytes }
        }
    }

    /// Judges what a frame has so far. The header may come in pieces as well: some controllers cut anywhere.
    ///
    /// - Parameter keep: The same bytes, to be added to, and how many they may become.
    private mutating func judge(_ bytes: ArraySlice<UInt8>, keep: (_ length: Int) -> [UInt8]) -> L2CAPFrame? {
        var reader = ByteReader(bytes)
        guard let length = reader.takeLittleEndian(UInt16.self), let channel = reader.takeLittleEndian(UInt16.self)
        else {
            state = .collecting(keep(L2CAPFrame.headerLength))
            return nil
        }
        let missing = Int(length) - reader.count
        guard missing >= 0 else { return drop(then: .idle) }
        guard length <= limit else { return drop(then: missing > 0 ? .skipping(missing) : .idle) }
        guard missing == 0 else {
            state = .collecting(keep(bytes.count + missing))
            return nil
        }
        state = .idle
        return L2CAPFrame(channel: L2CAPChannel(rawValue: channel), payload: reader.rest)
    }

    private mutating func drop(then next: State) -> L2CAPFrame? {
        dropped += 1
        state = next
        return nil
    }
}
