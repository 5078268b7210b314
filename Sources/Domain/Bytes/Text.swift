extension Collection<UInt8> {
    /// The bytes as text; `nil` when they are not valid UTF-8.
    public var text: String? { String(validating: self, as: UTF8.self) }
}

extension String {
    /// The longest run of whole characters from the start that fits into `limit` bytes of UTF-8.
    ///
    /// Whole characters (extended grapheme clusters), because half an emoji is another emoji, and half a scalar no text.
    public func prefix(utf8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (end, length) = (startIndex, 0)
        for index in indices {
            length += self[index].utf8.count
            guard length <= limit else { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }
}

extension Unicode.Scalar {
    /// Whether the phones trim this scalar off the ends of a text: white space and newlines as Foundation counts them,
    /// with the zero-width space and without U+001C...U+001F (spec: packet §5.3).
    public var isTrimmable: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }
}

extension String {
    /// The text without the white space and newlines at its ends, as the phones trim it (spec: packet §5.3).
    public var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isTrimmable }),
            let last = scalars.lastIndex(where: { !$0.isTrimmable })
        else { return "" }
        return String(scalars[first...last])
    }
}
