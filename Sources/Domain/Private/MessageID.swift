/// A message's identifier: opaque text of the sender's choosing, compared byte by byte.
///
/// A type of its own, because Swift's text compares by canonical equivalence, and two identifiers that look alike are
/// still two (spec: noise §6.1).
public struct MessageID: Sendable {
    /// The text as sent.
    public let text: String

    /// Takes the text.
    public init(_ text: String) { self.text = text }
}

extension MessageID: Hashable {
    /// Compares the bytes.
    public static func == (left: MessageID, right: MessageID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension MessageID: CustomStringConvertible {
    /// The text as sent.
    public var description: String { text }
}

extension MessageID {
    /// Whether this is the stable identifier of a private file: `media-` and exactly 32 lowercase hexadecimal digits
    /// (spec: noise §7.4).
    public var isStableMedia: Bool {
        guard text.utf8.starts(with: "media-".utf8) else { return false }
        let digits = text.utf8.dropFirst(6)
        return digits.count == 32
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
