/// Finds out whether a public text mentions us.
///
/// Source: spec, app §4.
enum Mentions {
    /// A longer text, or one with a longer word, is not scanned (spec: app §1.4).
    static let textLimit = 4000
    static let wordLimit = 1024

    /// The tokens that a text names: `@` and letters, digits and `_`, perhaps `#` and four hexadecimal digits.
    static func tokens(in text: String) -> Set<String> {
        guard text.count <= textLimit, !hasLongWord(text, limit: wordLimit) else { return [] }
        var tokens: Set<String> = []
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            defer { index += 1 }
            guard scalars[index] == "@" else { continue }
            var end = index + 1
            while end < scalars.count, isNameScalar(scalars[end]) { end += 1 }
            guard end > index + 1 else { continue }
            var token = String(String.UnicodeScalarView(scalars[(index + 1)..<end]))
            if end + 5 <= scalars.count, scalars[end] == "#",
                scalars[(end + 1)..<(end + 5)].allSatisfy({ $0.properties.isASCIIHexDigit })
            {
                token += String(String.UnicodeScalarView(scalars[end..<(end + 5)]))
            }
            tokens.insert(token)
        }
        return tokens
    }

    /// Whether one of the tokens in a text is ours.
    ///
    /// - Parameters:
    ///   - own: Our nickname.
    ///   - suffix: `#` and the first four digits of our peer ID.
    ///   - others: The nicknames of the peers that are here.
    static func hit(_ own: String, suffix: String, in text: String, others: some Sequence<String>) -> Bool {
        let found = tokens(in: text)
        guard !found.isEmpty else { return false }
        // Somebody carries our name with a suffix: then the bare name may mean them.
        let isShared = others.contains { $0.hasPrefix(own + "#") }
        // Swift compares by canonical equivalence, which is comparison after NFC.
        return found.contains(own + suffix) || !isShared && found.contains(own)
    }

    /// Whether a text holds a run without blanks of at least `limit` characters.
    static func hasLongWord(_ text: String, limit: Int) -> Bool {
        var length = 0
        for character in text {
            length = character.isWhitespace ? 0 : length + 1
            if length >= limit { return true }
        }
        return false
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: scalar == "_" || ("0"..."9").contains(scalar)
        }
    }
}
