/// What a node is called in an air directory for as long as it runs: a random number, so that the directory tells
/// nothing about who it is. Of two nodes the one with the lower name dials.
struct AirName: Hashable, Comparable, CustomStringConvertible {
    /// What the files of a node that is present end with.
    enum Suffix: String, CaseIterable {
        /// The socket to dial. Another protocol between nodes would get another suffix, and the two would not meet.
        case socket = ".air"
        /// A socket that does not listen yet.
        case unfinished = ".new"
        /// The file that the node holds locked while it lives.
        case lock = ".lck"
    }

    private static let digits = 16

    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Reads a file name; `nil` when it is none of ours.
    init?(file: String, suffix: Suffix) {
        guard file.hasSuffix(suffix.rawValue) else { return nil }
        let stem = file.dropLast(suffix.rawValue.count)
        let isHex = stem.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard stem.utf8.count == Self.digits, isHex, let value = UInt64(stem, radix: 16) else { return nil }
        rawValue = value
    }

    /// Sixteen lower-case hex digits: they sort as the numbers do.
    var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: Self.digits - digits.count) + digits
    }

    func file(_ suffix: Suffix) -> String { description + suffix.rawValue }

    static func < (left: AirName, right: AirName) -> Bool { left.rawValue < right.rawValue }
}
