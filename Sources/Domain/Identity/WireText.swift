extension String {
    /// The text without the blanks that the phones trim at both ends, and no others.
    ///
    /// Their set is peculiar (the zero-width space is in it, U+001C...U+001F and the joiners are not), and identifiers are
    /// digests over trimmed text: another library's idea of white space would compute others (spec: packet §5.3).
    public var trimmedForWire: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isTrimmedForWire }),
            let last = scalars.lastIndex(where: { !$0.isTrimmedForWire })
        else { return "" }
        return String(scalars[first...last])
    }

    /// A short text that a person typed: trimmed, not empty, not too long, without control or format characters.
    ///
    /// Format characters include the zero-width joiner, so joined emoji do not pass; nothing is rewritten
    /// (spec: packet §6).
    ///
    /// - Parameter maximumCharacters: In grapheme clusters.
    /// - Returns: The trimmed text; `nil` when a rule refuses it.
    public func validatedForWire(maximumCharacters: Int) -> String? {
        let trimmed = trimmedForWire
        guard !trimmed.isEmpty, trimmed.count <= maximumCharacters else { return nil }
        let isClean = trimmed.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        return isClean ? trimmed : nil
    }
}

extension Unicode.Scalar {
    fileprivate var isTrimmedForWire: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }
}
