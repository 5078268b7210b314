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
        let characters = Array(text)
        for start in characters.indices where characters[start] == "@" {
            let name = characters[(start + 1)...].prefix(while: isNamePart)
            guard !name.isEmpty else { continue }
            let suffix = characters[name.endIndex...].prefix(5)
            let isSuffix = suffix.count == 5 && suffix.first == "#" && suffix.dropFirst().allSatisfy(isHexDigit)
            tokens.insert(String(name) + (isSuffix ? String(suffix) : ""))
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

    /// Letters, digits and `_`; a letter with its marks is one, however it is composed.
    private static func isNamePart(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        switch first.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
        default: return first == "_" || ("0"..."9").contains(first)
        }
    }

    private static func isHexDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }
}
