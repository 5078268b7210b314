import Glibc

/// Reads UTF-8 a character at a time, as keys are pressed; what is not UTF-8 becomes U+FFFD.
struct CharacterDecoder {
    private var bytes: [UInt8] = []
    private var position = 0
    private(set) var isEnded = false

    /// The next complete character that was read.
    mutating func next() -> Unicode.Scalar? {
        guard position < bytes.count else { return nil }
        let needed = Self.length(of: bytes[position])
        // A sequence cut short by the end of a read waits for its rest; one cut short by anything else does not.
        let available = bytes[position...].dropFirst().prefix(needed - 1).prefix { $0 & 0xC0 == 0x80 }.count + 1
        if available < needed, position + available == bytes.count, !isEnded { return nil }
        let sequence = bytes[position..<position + available]
        position += available
        let text = String(validating: sequence, as: UTF8.self)
        return text?.unicodeScalars.first ?? "\u{FFFD}"
    }

    /// Adds bytes.
    mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(position)
        position = 0
        bytes.append(contentsOf: more)
    }

    /// Adds what one read gives.
    mutating func read(from descriptor: Int32) {
        switch InputRead.once(from: descriptor) {
        case .bytes(let more): append(more)
        case .end: isEnded = true
        case .nothing: return
        }
    }

    private static func length(of first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

/// Lines from a pipe; what is not UTF-8 becomes U+FFFD.
struct PlainLines {
    /// A longer line is cut here, in bytes, so that a stream without line ends cannot fill the memory. No message may be
    /// half as long (spec: app §1.2).
    static let limit = 256 * 1024

    private var bytes: [UInt8] = []
    private var start = 0
    private(set) var isEnded = false

    /// The next line; after the end of the input also one without a line feed.
    mutating func next() -> String? {
        let rest = bytes[start...]
        let end = rest.firstIndex(of: 0x0A)
        guard end != nil || rest.count > Self.limit || isEnded && !rest.isEmpty else { return nil }
        var line = rest[..<(end ?? rest.endIndex)].prefix(Self.limit)
        start = line.endIndex == end ? line.endIndex + 1 : line.endIndex
        if line.endIndex == end, line.last == 0x0D { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    /// Adds bytes.
    mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Says that nothing follows.
    mutating func end() { isEnded = true }

    /// Adds what one read gives.
    mutating func read(from descriptor: Int32) {
        switch InputRead.once(from: descriptor) {
        case .bytes(let more): append(more)
        case .end: end()
        case .nothing: return
        }
    }
}

/// What one read came to.
enum InputRead {
    case bytes([UInt8])
    case end
    case nothing

    static func once(from descriptor: Int32) -> InputRead {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            failure = count < 0 ? errno : 0
            initialized = max(count, 0)
        }
        if !bytes.isEmpty { return .bytes(bytes) }
        // A terminal that went away reports an error instead of an end.
        return failure == EINTR || failure == EAGAIN ? .nothing : .end
    }
}
