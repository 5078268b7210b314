/// Cuts HCI packets out of a byte stream: an indicator, then a header of a length that follows from it, then data of a
/// length that the header says.
///
/// Nothing in the stream says where a packet starts. A byte that is lost or made up therefore costs everything that
/// follows, and the only way back is a reset of the controller: after ``LostFraming`` there are no packets any more.
///
/// Source: Core Specification, Vol 4, Part A, 2 and 4.
struct H4Decoder {
    /// Why the stream cannot be trusted any more.
    enum LostFraming: Error, Hashable, CustomStringConvertible {
        /// Where a packet should start, there is a byte that starts none.
        case unknownIndicator(UInt8)
        /// A packet that claims more data than any controller sends, in bytes.
        case tooLong(indicator: UInt8, length: Int)

        var description: String {
            switch self {
            case .unknownIndicator(let byte): "framing lost: a packet of type \(byte)"
            case .tooLong(let indicator, let length): "framing lost: a packet of type \(indicator) with \(length) bytes"
            }
        }
    }

    /// The answer to a reset: Command Complete (0x0E) with 4 bytes, for opcode 0x0C03. `nil` is any byte: the number of
    /// credits, and the status.
    private static let resetComplete: [UInt8?] = [0x04, 0x0E, 0x04, nil, 0x03, 0x0C, nil]

    /// What was supplied and is not looked at yet.
    private var supplied: ArraySlice<UInt8> = []
    /// The packet that is being put together; at most one, so at most its limit in bytes.
    private var partial: [UInt8] = []
    private var isHunting: Bool
    private var fault: LostFraming?

    /// Begins a stream.
    ///
    /// - Parameter startsWithin: Whether the first bytes may be the rest of an older conversation, as on a serial port
    ///   whose controller was busy before we came. Then everything before the answer to a reset is skipped, which is
    ///   how the specification gains synchronisation.
    init(startsWithin: Bool = false) { isHunting = startsWithin }

    /// Supplies bytes; ``next()`` then gives the packets that they complete.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        if supplied.isEmpty { supplied = bytes } else { supplied += bytes }
    }

    /// The next whole packet, indicator included; `nil` when more bytes are needed for one.
    mutating func next() throws(LostFraming) -> [UInt8]? {
        if let fault { throw fault }
        if isHunting, !findReset() { return nil }
        do {
            if partial.isEmpty, let packet = try takeWhole() { return packet }
            while true {
                let wanted = try Self.length(of: partial[...])
                if wanted == partial.count { break }
                let count = min(wanted - partial.count, supplied.count)
                guard count > 0 else {
                    // Lets go of the reader's buffer, which would be copied before the next read otherwise.
                    supplied = []
                    return nil
                }
                partial += supplied.prefix(count)
                supplied = supplied.dropFirst(count)
            }
        } catch {
            (fault, supplied, partial) = (error, [], [])
            throw error
        }
        defer { partial = [] }
        return partial
    }

    /// The next packet if all of it lies in one piece, as nearly all do.
    private mutating func takeWhole() throws(LostFraming) -> [UInt8]? {
        let length = try Self.length(of: supplied)
        guard length <= supplied.count else { return nil }
        defer { supplied = supplied.dropFirst(length) }
        return Array(supplied.prefix(length))
    }

    /// How long a packet must be that starts so: as far as is known, to the end of the indicator, the header or the
    /// data.
    private static func length(of start: ArraySlice<UInt8>) throws(LostFraming) -> Int {
        guard let indicator = start.first else { return 1 }
        let first = start.startIndex
        let header: Int
        switch indicator {
        case 1, 3: header = 4  // Opcode or handle, length.
        case 2, 5: header = 5  // Handle and flags, length of two bytes.
        case 4: header = 3  // Code, length.
        default: throw .unknownIndicator(indicator)
        }
        guard start.count >= header else { return header }
        guard indicator == 2 || indicator == 5 else { return header + Int(start[first + header - 1]) }
        var length = Int(start[first + 3]) | Int(start[first + 4]) << 8
        if indicator == 5 { length &= 0x3FFF }  // The two bits above are reserved (Vol 4, Part E, 5.4.5).
        guard length <= BluetoothPolicy.longestData else { throw .tooLong(indicator: indicator, length: length) }
        return header + length
    }

    /// Looks for the answer to a reset, and makes it the next packet. Where it is not (wholly) there yet, keeps what may
    /// be its beginning and answers false.
    private mutating func findReset() -> Bool {
        let pattern = Self.resetComplete
        let window = partial + supplied
        let found = window.indices.first { start in
            window.count - start >= pattern.count && zip(pattern, window[start...]).allSatisfy { $0 == nil || $0 == $1 }
        }
        guard let found else {
            (partial, supplied) = (window.suffix(pattern.count - 1), [])
            return false
        }
        (partial, supplied, isHunting) = ([], window[found...], false)
        return true
    }
}
