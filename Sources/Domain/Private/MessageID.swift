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
