import Domain

/// Gestures that travel as ordinary messages.
///
/// Source: spec, app §2.5.
enum ChatEmote: Hashable, Sendable {
    /// A hug.
    case hug
    /// A slap with a fish.
    case slap

    /// What everyone reads.
    func publicText(from own: String, to name: String) -> String {
        switch self {
        case .hug: "* 🫂 \(own) hugs \(name) *"
        case .slap: "* 🐟 \(own) slaps \(name) around a bit with a large trout *"
        }
    }

    /// What the target alone reads.
    func privateText(from own: String) -> String { publicText(from: own, to: "you") }

    /// What such a public message says, without the stars; `nil` when it is none.
    static func inner(of text: String) -> String? {
        guard text.hasPrefix("* "), text.hasSuffix(" *"), text.count > 4 else { return nil }
        guard ["🫂", "🐟", "took a screenshot"].contains(where: { text.contains(substring: $0) }) else { return nil }
        return String(text.dropFirst(2).dropLast(2))
    }

    /// Whether a message is a gesture towards us.
    static func isTowards(_ own: String, _ text: String) -> Bool {
        let isHug =
            text.contains(substring: "🫂")
            && ["hugs \(own)", "hugs you", "gives \(own) a warm hug"].contains { text.contains(substring: $0) }
        let isSlap =
            text.contains(substring: "🐟") || text.contains(substring: "large trout")
        return isHug
            || isSlap && ["slaps \(own) around", "slaps you around"].contains { text.contains(substring: $0) }
    }
}

extension String {
    /// Whether a text is part of this one.
    func contains(substring: String) -> Bool {
        guard !substring.isEmpty else { return true }
        // Bytes decide: a grapheme search would be quadratic on hostile text.
        let (text, wanted) = (Array(utf8), Array(substring.utf8))
        guard wanted.count <= text.count else { return false }
        return (0...text.count - wanted.count).contains { start in
            text[start] == wanted[0] && text[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
