import Domain

/// Cuts frames out of a TCP stream: a length of four bytes, most significant first, then the frame.
///
/// The length is judged before anything is allocated for the frame.
struct StreamDecoder {
    /// A length that no frame can have.
    enum Fault: Error, Hashable, CustomStringConvertible {
        case empty
        case tooLong(UInt32, limit: Int)

        var description: String {
            switch self {
            case .empty: "the neighbour announced a frame of 0 bytes"
            case .tooLong(let length, let limit):
                "the neighbour announced a frame of \(length) bytes, the limit is \(limit)"
            }
        }
    }

    /// Bytes of a length.
    static let headerSize = 4

    private let limit: Int
    private var header: [UInt8] = []
    private var body: [UInt8] = []
    private var length: Int?

    init(limit: Int) { self.limit = limit }

    /// How many bytes are missing to the next step; at most this many may be supplied at once.
    var wanted: Int {
        if let length { return length - body.count }
        return Self.headerSize - header.count
    }

    /// Takes bytes and returns the frame that they complete.
    mutating func supply(_ bytes: ArraySlice<UInt8>) throws(Fault) -> [UInt8]? {
        guard let length else {
            header += bytes
            guard header.count == Self.headerSize else { return nil }
            let announced = header.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            header.removeAll(keepingCapacity: true)
            guard announced > 0 else { throw .empty }
            guard let announcedLength = Int(exactly: announced), announcedLength <= limit else {
                throw .tooLong(announced, limit: limit)
            }
            self.length = announcedLength
            return nil
        }
        if body.isEmpty { body.reserveCapacity(bytes.count == length ? length : 2 * bytes.count) }
        body += bytes
        guard body.count == length else { return nil }
        self.length = nil
        defer { body = [] }
        return body
    }

    /// The length bytes that precede a frame of at most `UInt32.max` bytes.
    static func header(for frame: [UInt8]) -> [UInt8] {
        let length = UInt32(clamping: frame.count)
        return [
            UInt8(truncatingIfNeeded: length >> 24), UInt8(truncatingIfNeeded: length >> 16),
            UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
        ]
    }
}
