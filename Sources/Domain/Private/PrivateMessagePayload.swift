/// A private message as it travels inside a Noise session or a courier seal.
///
/// Source: spec, noise §6.1; packet §4.6.
public struct PrivateMessagePayload: Hashable, Sendable {
    /// The sender's identifier of the message, at most 255 bytes.
    public let id: MessageID
    /// The text, at most 255 bytes of UTF-8; may be empty.
    public let content: String

    /// Makes a message.
    public init(id: MessageID, content: String) {
        self.id = id
        self.content = content
    }

    private enum Tag {
        static let id: UInt8 = 0x00
        static let content: UInt8 = 0x01
    }

    /// The body; `nil` when the identifier or the content exceeds 255 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 4 + id.text.utf8.count + content.utf8.count)
        writer.append(Tag.id, id.text.utf8)
        writer.append(Tag.content, content.utf8)
        return writer.bytes
    }

    /// Reads a body. One byte left over is ignored; the last of a repeated field counts.
    ///
    /// - Returns: `nil` for an unknown field (this format has no room for later ones), a length past the end, text that is
    ///   not UTF-8, or a missing field.
    public init?(_ body: ArraySlice<UInt8>) {
        var (id, content) = (String?.none, String?.none)
        var fields = TLVReader(body, .short, leftover: .ignored)
        while let field = fields.next() {
            switch field.tag {
            case Tag.id: id = field.value.text
            case Tag.content: content = field.value.text
            default: return nil
            }
        }
        guard fields.isIntact, let id, let content else { return nil }
        self.init(id: MessageID(id), content: content)
    }
}
