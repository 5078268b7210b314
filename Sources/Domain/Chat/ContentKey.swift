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
        var hash: UInt64 = 5381
        for byte in Self.reduced(text).utf8 { hash = hash &* 33 &+ UInt64(byte) }
        self.hash = hash
    }

    /// The text form: `h:` and sixteen lowercase digits.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: hash)
        return "h:" + Hex.encode(bytes)
    }

    private static func reduced(_ text: String) -> String {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map { word in
            withoutQuery(word)
        }
        return String(words.joined(separator: " ").prefix(maximumCharacters))
    }

    /// Cuts a link inside a word from its first `?` or `#` on; the first link with anything behind its scheme counts.
    private static func withoutQuery(_ word: Substring) -> Substring {
        let bytes = word.utf8
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let rest = bytes[index...]
            if let scheme = schemes.first(where: { rest.starts(with: $0) }) {
                let address = rest.dropFirst(scheme.count)
                if let first = address.first, !isQueryMark(first) {
                    return address.firstIndex(where: isQueryMark).map { word[..<$0] } ?? word
                }
            }
            bytes.formIndex(after: &index)
        }
        return word
    }

    private static let schemes = [Array("https://".utf8), Array("http://".utf8)]

    private static func isQueryMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}

extension ContentKey: Comparable {
    /// Orders by the hash: any order that is the same everywhere.
    public static func < (left: ContentKey, right: ContentKey) -> Bool { left.hash < right.hash }
}
