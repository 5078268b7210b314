/// Makes text from others fit for a terminal or a log (spec: app §1.4): a peer must not move the cursor, set the title,
/// forge another row or reverse what stands there.
enum DisplayText {
    /// One line: control characters and line ends become U+FFFD, characters that change direction vanish.
    static func line(_ text: String) -> String { clean(text, lineEnd: "\u{FFFD}") }

    /// Text that may have several lines: each goes on with two blanks below the first.
    static func block(_ text: String) -> String { clean(text, lineEnd: "\n  ") }

    private static func clean(_ text: String, lineEnd: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: result.append(contentsOf: lineEnd.unicodeScalars)
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: result.append("\u{FFFD}")
            case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
