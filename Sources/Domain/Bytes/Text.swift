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
