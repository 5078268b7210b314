import CUnistring
import Domain

/// Unicode normalisation form C by libunistring.
///
/// Source: spec, packet §4.2 (nicknames are stored composed).
public struct UnistringNormalization: TextNormalization {
    /// Makes the adapter; it keeps no state.
    public init() {}

    /// The text in NFC. Text in ASCII is in NFC already and comes back as it is.
    ///
    /// Should memory run out inside the library, the text comes back unchanged.
    public func nfc(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes -> String? in
            // The bytes are not NUL-terminated: the library takes a count, so a NUL is a character like any other.
            guard !bytes.allSatisfy({ $0 < 0x80 }), let start = bytes.baseAddress else { return nil }
            var count = 0
            guard let composed = unistring_nfc(start, bytes.count, &count) else { return nil }
            defer { unistring_free(composed) }
            return String(decoding: UnsafeBufferPointer(start: composed, count: count), as: UTF8.self)
        } ?? text
    }
}
