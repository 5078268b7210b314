/// Makes text from others fit for a terminal or a log.
///
/// A peer must not move the cursor, set the title, forge another row or reverse text. JSON output does not go through
/// here: it escapes, and keeps the text raw.
///
/// Source: spec, app §1.4.
public enum DisplayText {
    /// What stands for a character that would act on the terminal: U+FFFD.
    public static let replacement: Unicode.Scalar = "\u{FFFD}"
    /// What a continued line begins with.
    public static let continuation = "  "

    /// Cleans a text that may have several lines; those after the first are indented by two columns.
    public static func block(_ text: String) -> String { cleaned(text, newline: "\n" + continuation) }

    /// Cleans a name, a title or whatever else must stay on one line; a line break counts as a control character.
    public static func line(_ text: String) -> String { cleaned(text, newline: String(replacement)) }

    private static func cleaned(_ text: String, newline: String) -> String {
        // Most text is clean, and a scan is cheaper than a copy.
        guard text.unicodeScalars.contains(where: { fate(of: $0) != .kept }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch fate(of: scalar) {
            case .kept: result.append(scalar)
            case .replaced: result.append(replacement)
            case .dropped: continue
            case .lineBreak: result.append(contentsOf: newline.unicodeScalars)
            }
        }
        return String(result)
    }

    private enum Fate { case kept, replaced, dropped, lineBreak }

    private static func fate(of scalar: Unicode.Scalar) -> Fate {
        switch scalar.value {
        case 0x0A: .lineBreak
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: .replaced
        case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: .dropped
        default: .kept
        }
    }
}
