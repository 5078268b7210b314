/// Tells near-equal texts: lower case, without the query of links, blanks collapsed, the first 256 characters.
///
/// Source: spec, app §5.4.
public struct ContentKey: Hashable, Sendable {
    /// The DJB2 hash (h · 33 + byte, modulo 2^64) of the reduced text.
    public let hash: UInt64

    /// Characters that count.
    public static let maximumCharacters = 256

    /// Reduces a text.
    public init(_ text: String) {
        let ascii = Self.reducedASCII(text.utf8)
        hash = ascii.map { Self.djb2($0) } ?? Self.djb2(Self.reduced(text).utf8)
    }

    private static func djb2(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(5381) { $0 &* 33 &+ UInt64($1) }
    }

    /// The text form: `h:` and sixteen lowercase digits.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: hash)
        return "h:" + Hex.encode(bytes)
    }

    private static func reduced(_ text: String) -> String {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map { word in
            queryStart(word.utf8).map { word[..<$0] } ?? word
        }
        return String(words.joined(separator: " ").prefix(maximumCharacters))
    }

    /// The same for a text of ASCII alone, where every byte is a character: a tenth of the time. `nil` for another text.
    private static func reducedASCII(_ text: String.UTF8View) -> ArraySlice<UInt8>? {
        guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
        var reduced: [UInt8] = []
        reduced.reserveCapacity(text.count)
        for word in Array(text).split(whereSeparator: { $0 == 0x20 || 0x09...0x0D ~= $0 }) {
            let word = word.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
            if !reduced.isEmpty { reduced.append(0x20) }
            reduced += queryStart(word).map { word[..<$0] } ?? word[...]
        }
        return reduced.prefix(maximumCharacters)
    }

    /// Where to cut a word that holds a link: at the first `?` or `#` of it. The first link with anything behind its scheme
    /// counts.
    private static func queryStart<Bytes: Collection<UInt8>>(_ word: Bytes) -> Bytes.Index? {
        var index = word.startIndex
        while index < word.endIndex {
            let rest = word[index...]
            if rest.first == UInt8(ascii: "h"), let scheme = schemes.first(where: { rest.starts(with: $0) }) {
                let address = rest.dropFirst(scheme.count)
                if let first = address.first, !isQueryMark(first) { return address.firstIndex(where: isQueryMark) }
            }
            word.formIndex(after: &index)
        }
        return nil
    }

    private static let schemes = [Array("https://".utf8), Array("http://".utf8)]

    private static func isQueryMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}

extension ContentKey: Comparable {
    /// Orders by the hash: any order that is the same everywhere.
    public static func < (left: ContentKey, right: ContentKey) -> Bool { left.hash < right.hash }
}
