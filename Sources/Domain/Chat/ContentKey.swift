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

    /// Cuts a link inside a word from its first `?` or `#` on.
    private static func withoutQuery(_ word: Substring) -> Substring {
        for scheme in ["https://", "http://"] {
            guard let start = word.firstRange(of: scheme) else { continue }
            let address = word[start.upperBound...]
            guard let first = address.first, first != "?", first != "#",
                let cut = address.firstIndex(where: { $0 == "?" || $0 == "#" })
            else { return word }
            return word[..<cut]
        }
        return word
    }
}

extension ContentKey: Comparable {
    /// Orders by the hash: any order that is the same everywhere.
    public static func < (left: ContentKey, right: ContentKey) -> Bool { left.hash < right.hash }
}

extension Substring {
    /// The first place of an ASCII word.
    fileprivate func firstRange(of word: String) -> Range<Index>? {
        let pattern = Array(word.utf8)
        var index = startIndex
        while index < endIndex {
            if self[index...].utf8.starts(with: pattern) {
                return index..<utf8.index(index, offsetBy: pattern.count)
            }
            index = self.index(after: index)
        }
        return nil
    }
}
