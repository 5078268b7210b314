import Glibc

/// Text as C's wide characters: on Linux one Unicode scalar each.
enum WideText {
    /// Calls `body` with a zero-terminated copy.
    static func with<Result>(_ text: String, _ body: (UnsafePointer<wchar_t>?) -> Result) -> Result {
        let characters = text.unicodeScalars.filter { $0.value != 0 }.map { wchar_t(bitPattern: $0.value) } + [0]
        return characters.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    /// Reads `count` characters; what is no Unicode scalar becomes U+FFFD.
    static func string(_ text: UnsafePointer<wchar_t>?, count: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for character in UnsafeBufferPointer(start: text, count: text == nil ? 0 : count) {
            scalars.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}")
        }
        return String(scalars)
    }
}
