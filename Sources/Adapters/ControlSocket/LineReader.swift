/// Cuts a stream of bytes into lines, and holds no more of an unfinished line than the limit.
struct LineReader {
    /// The longest line, in bytes, without its end.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Where the first line that was not handed out begins.
    private var start = 0
    /// Up to where no line end was found, so that bytes are looked at once however they arrive.
    private var scanned = 0

    init(limit: Int) { self.limit = limit }

    /// What a reader finds next.
    enum Line: Equatable {
        /// A line without its LF and without a CR before it.
        case line([UInt8])
        /// Nothing yet.
        case incomplete
        /// The line is longer than the limit; there is no way back into step.
        case tooLong
    }

    /// Adds what arrived.
    mutating func append(_ chunk: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            scanned -= start
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }

    /// Takes the next line out.
    mutating func next() -> Line {
        guard let end = bytes[scanned...].firstIndex(of: 0x0A) else {
            scanned = bytes.count
            return bytes.count - start > limit ? .tooLong : .incomplete
        }
        var line = bytes[start..<end]
        start = end + 1
        scanned = start
        if line.last == 0x0D { line.removeLast() }
        return line.count > limit ? .tooLong : .line(Array(line))
    }

    /// Whether nothing waits, not even half a line.
    var isEmpty: Bool { start == bytes.count }
}
