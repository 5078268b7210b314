/// A name under which a received file can be stored: one path component, printable, with an extension.
///
/// What the sender called the file is untrusted: it may hold path separators, control and direction marks, or be far too
/// long.
///
/// Source: spec, app §10.5.
public struct FileName: Hashable, Sendable {
    /// The safe name.
    public let text: String

    /// The most characters of a name.
    public static let maximumCharacters = 120
    /// The most bytes of a name: file systems take 255, and a number against clashes still has to fit.
    public static let maximumBytes = 240
    /// How much of a stem is kept beside a very long extension, in characters.
    private static let shortestStem = 10

    /// Makes a received name safe.
    ///
    /// - Parameters:
    ///   - received: The name as sent; `nil` when there was none.
    ///   - type: Supplies the extension of a name without one.
    ///   - fallbackStem: The stem when nothing of the name is left, `<category>_yyyyMMdd_HHmmss`.
    ///   - normalization: Supplies NFC.
    public init(
        sanitizing received: String?, type: MediaType, fallbackStem: String, using normalization: some TextNormalization
    ) {
        var name = Self.replacingUnsafe(in: normalization.nfc(Self.withoutNUL(received ?? ""))).trimmedForWire
        if name.isEmpty { name = fallbackStem }
        if name.unicodeScalars.first == "." { name = "_" + name }
        let (stem, suffix) = Self.split(name)
        let room =
            if let suffix { max(Self.shortestStem, Self.maximumCharacters - 1 - suffix.count) } else {
                Self.maximumCharacters
            }
        let kept = name.count > Self.maximumCharacters ? stem.prefix(room) : stem
        // Half of the bytes at most, so that a very long extension leaves room for a stem.
        let end = suffix.map { String($0).prefix(utf8Bytes: Self.maximumBytes / 2) } ?? type.defaultExtension
        let start = String(kept).prefix(utf8Bytes: Self.maximumBytes - 1 - end.utf8.count)
        text = (start.isEmpty ? "_" : start) + "." + end
    }

    /// The name at its last dot; no extension when the dot is the first or last character.
    private static func split(_ name: String) -> (stem: Substring, suffix: Substring?) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex else {
            return (name[...], nil)
        }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    private static func withoutNUL(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter { $0 != "\0" }))
    }

    private static func replacingUnsafe(in name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { isUnsafe($0) ? "_" : $0 }))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\", "<", ">", ":", "\"", "|", "?", "*": true
        default: scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        }
    }
}
