import Domain

/// The names that a received file may get, in the order of trying.
///
/// The node hands over names that are safe already (spec: app §10.5); a name that still could lead out of its folder is
/// not used at all.
struct LeafName {
    private let stem: String
    /// With its dot; empty without one.
    private let suffix: String
    /// File systems take 255 bytes; the rest is room for a number.
    private static let byteLimit = 200
    /// What our unfinished files begin with.
    static let unfinishedPrefix = ".part-"

    /// - Parameter random: For the name of a file whose own name is refused.
    init(_ name: String, random: UInt64) {
        guard Self.isSafe(name) else {
            stem = "blocked_\(Self.hex(random))"
            suffix = ""
            return
        }
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let hasSuffix = dot > name.startIndex && name.utf8.distance(from: dot, to: name.endIndex) <= 32
        suffix = hasSuffix ? String(name[dot...]) : ""
        stem = Self.prefix(of: hasSuffix ? name[..<dot] : name[...], bytes: Self.byteLimit - suffix.utf8.count)
    }

    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.first != "."
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control }
    }

    /// Cut between scalars, because one character may be made of any number of them.
    private static func prefix(of text: Substring, bytes limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > limit { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// The name itself for 0, then ` (1)` to ` (99)`.
    func candidate(_ number: Int) -> String { number == 0 ? stem + suffix : "\(stem) (\(number))\(suffix)" }

    /// The name for when all numbers are taken.
    func candidate(random: UInt64) -> String { "\(stem) (\(Self.hex(random)))\(suffix)" }

    private static func hex(_ number: UInt64) -> String {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number)
        return Hex.encode(bytes)
    }
}
