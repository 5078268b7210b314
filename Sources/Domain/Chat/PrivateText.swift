/// Cuts a private text that exceeds the wire's 255 bytes into numbered messages.
///
/// Source: spec, app §6.2.
public enum PrivateText {
    /// The most UTF-8 bytes that one private message carries (one-byte TLV length).
    public static let maximumBytes = 255
    /// The most parts that a text may have: a part's mark stays one digit wide.
    public static let maximumParts = 9
    /// The length of `(i/n) `.
    private static let markBytes = 6

    /// The contents to send, in order; `nil` when more than nine parts would be needed.
    ///
    /// One message carries a short text as typed. A longer one goes as `(i/n) ` and a piece each; the pieces joined are
    /// exactly the text.
    public static func parts(of text: String) -> [String]? {
        guard text.utf8.count > maximumBytes else { return [text] }
        let room = maximumBytes - markBytes
        var pieces: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard pieces.count < maximumParts else { return nil }
            let cut = cutPoint(of: rest, room: room)
            pieces.append(rest[..<cut])
            rest = rest[cut...]
        }
        return pieces.enumerated().map { "(\($0.offset + 1)/\(pieces.count)) \($0.element)" }
    }

    /// Where the first piece ends: after the last white space in the second half of the room, else at the last character
    /// boundary that fits, else (one giant character) at a scalar boundary.
    private static func cutPoint(of rest: Substring, room: Int) -> Substring.Index {
        var used = 0
        var fitting: Substring.Index?
        var blank: Substring.Index?
        var index = rest.startIndex
        while index < rest.endIndex {
            let next = rest.index(after: index)
            used += rest[index..<next].utf8.count
            guard used <= room else { break }
            fitting = next
            if rest[index].isWhitespace, used > room / 2 { blank = next }
            index = next
        }
        if index == rest.endIndex { return rest.endIndex }
        return blank ?? fitting ?? scalarCut(of: rest, room: room)
    }

    private static func scalarCut(of rest: Substring, room: Int) -> Substring.Index {
        var used = 0
        var cut = rest.startIndex
        for index in rest.unicodeScalars.indices {
            used += UTF8.width(rest.unicodeScalars[index])
            guard used <= room else { break }
            cut = rest.unicodeScalars.index(after: index)
        }
        return cut
    }
}
