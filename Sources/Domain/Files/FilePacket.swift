/// A file with its name and type: the payload of a raw file transfer (0x22), and of a private file in a Noise session.
///
/// Source: spec, packet §4.5.
public struct FilePacket: Hashable, Sendable {
    /// The name as sent, untrusted; Android requires one.
    public let fileName: String?
    /// The size as stated, at most 1,048,576; need not be the content's length.
    public let fileSize: UInt32
    /// The MIME type as sent, untrusted; iOS requires one.
    public let mimeType: String?
    /// The bytes, at most 1,048,576.
    public let content: [UInt8]

    /// The largest content and the largest stated size, in bytes.
    public static let maximumContentLength = 1_048_576

    /// Makes a file; `nil` when the content or the stated size is above the limit.
    ///
    /// - Parameter fileSize: The size to state; `nil` for the content's length.
    public init?(fileName: String?, fileSize: UInt32? = nil, mimeType: String?, content: [UInt8]) {
        guard content.count <= Self.maximumContentLength, fileSize ?? 0 <= Self.maximumContentLength else { return nil }
        self.fileName = fileName
        self.fileSize = fileSize ?? UInt32(clamping: content.count)
        self.mimeType = mimeType
        self.content = content
    }

    private enum Tag {
        static let fileName: UInt8 = 0x01
        static let fileSize: UInt8 = 0x02
        static let mimeType: UInt8 = 0x03
        static let content: UInt8 = 0x04
    }

    /// The payload. A name or type above 65,535 bytes is left out. Empty content is written, though no peer takes it.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(18 + content.count + (fileName?.utf8.count ?? 0) + (mimeType?.utf8.count ?? 0))
        Self.append(Tag.fileName, fileName, to: &bytes)
        bytes.append(Tag.fileSize)
        bytes.append(bigEndian: UInt16(4))
        bytes.append(bigEndian: fileSize)
        Self.append(Tag.mimeType, mimeType, to: &bytes)
        bytes.append(Tag.content)
        bytes.append(bigEndian: UInt32(clamping: content.count))
        bytes += content
        return bytes
    }

    private static func append(_ tag: UInt8, _ text: String?, to bytes: inout [UInt8]) {
        guard let text, let length = UInt16(exactly: text.utf8.count) else { return }
        bytes.append(tag)
        bytes.append(bigEndian: length)
        bytes += text.utf8
    }

    /// Reads a payload: any order, unknown fields passed over, several contents joined, of other fields the last counts.
    ///
    /// - Returns: `nil` for a fault in the framing, a stated size or a total content above the limit, or no content.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (fileName, mimeType, fileSize) = (String?.none, String?.none, UInt32?.none)
        var content: [UInt8] = []
        var reader = ByteReader(payload)
        while let tag = reader.take(UInt8.self) {
            guard let value = Self.takeValue(tag, &reader) else { return nil }
            switch tag {
            case Tag.fileName: fileName = value.text
            case Tag.mimeType: mimeType = value.text
            case Tag.fileSize where value.count == 4 || value.count == 8:
                let stated = UInt64(bigEndianBytes: value)
                guard stated <= Self.maximumContentLength else { return nil }
                fileSize = UInt32(clamping: stated)
            case Tag.content:
                guard value.count <= Self.maximumContentLength - content.count else { return nil }
                content += value
            default: break
            }
        }
        guard !content.isEmpty else { return nil }
        self.init(fileName: fileName, fileSize: fileSize, mimeType: mimeType, content: content)
    }

    /// Takes length and value. The length has 16 bits; that of the content has 32, or 16 as old senders wrote it, where
    /// the wide reading does not fit.
    private static func takeValue(_ tag: UInt8, _ reader: inout ByteReader) -> ArraySlice<UInt8>? {
        if tag == Tag.content {
            var wide = reader
            if let length = wide.take(UInt32.self), let value = wide.take(Int(clamping: length)) {
                reader = wide
                return value
            }
        }
        return reader.take(UInt16.self).flatMap { reader.take(Int($0)) }
    }
}
