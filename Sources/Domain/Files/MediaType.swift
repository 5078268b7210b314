/// What a received file may be: the type decides which viewer opens the bytes, so the bytes must look like the type.
///
/// Source: spec, packet §4.5; app §10.4.
public enum MediaType: Hashable, Sendable, CaseIterable {
    /// `image/jpeg`.
    case jpeg
    /// `image/png`.
    case png
    /// `image/gif`.
    case gif
    /// `image/webp`.
    case webp
    /// `audio/mp4`, `audio/m4a` and `audio/aac`.
    case m4a
    /// `audio/mpeg` and `audio/mp3`.
    case mp3
    /// `audio/wav` and `audio/x-wav`.
    case wav
    /// `audio/ogg`.
    case ogg
    /// `application/pdf`.
    case pdf
    /// `application/octet-stream`, and every type not named above.
    case binary

    /// What a person is shown.
    public enum Category: String, Hashable, Sendable {
        /// A picture.
        case image
        /// A recording.
        case audio
        /// Anything else.
        case file
    }

    /// Reads a MIME type in any case. `image/jpg` is JPEG; other unlisted types are plain bytes.
    public init(mimeType: String) {
        switch mimeType.lowercased() {
        case "image/jpeg", "image/jpg": self = .jpeg
        case "image/png": self = .png
        case "image/gif": self = .gif
        case "image/webp": self = .webp
        case "audio/mp4", "audio/m4a", "audio/aac": self = .m4a
        case "audio/mpeg", "audio/mp3": self = .mp3
        case "audio/wav", "audio/x-wav": self = .wav
        case "audio/ogg": self = .ogg
        case "application/pdf": self = .pdf
        default: self = .binary
        }
    }

    /// The type of a received file; `nil` when it states none or its content does not look like it: drop the file.
    public init?(accepting file: FilePacket) {
        guard let mimeType = file.mimeType else { return nil }
        let type = MediaType(mimeType: mimeType)
        guard type.matches(file.content) else { return nil }
        self = type
    }

    /// The name to send the type under.
    public var mimeType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .m4a: "audio/mp4"
        case .mp3: "audio/mpeg"
        case .wav: "audio/wav"
        case .ogg: "audio/ogg"
        case .pdf: "application/pdf"
        case .binary: "application/octet-stream"
        }
    }

    /// What a person is shown.
    public var category: Category {
        switch self {
        case .jpeg, .png, .gif, .webp: .image
        case .m4a, .mp3, .wav, .ogg: .audio
        case .pdf, .binary: .file
        }
    }

    /// The extension, without a dot, of a file whose name has none.
    public var defaultExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .gif: "gif"
        case .webp: "webp"
        case .m4a: "m4a"
        case .mp3: "mp3"
        case .wav: "wav"
        case .ogg: "ogg"
        case .pdf: "pdf"
        case .binary: "bin"
        }
    }

    /// MPEG-4 audio is recognised by no magic bytes, only by being longer than this many bytes.
    private static let shortestM4A = 100

    /// Whether the content begins as the type must.
    public func matches(_ content: [UInt8]) -> Bool {
        switch self {
        case .jpeg: content.starts(with: [0xFF, 0xD8, 0xFF])
        case .png: content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .gif: content.starts(with: "GIF87a".utf8) || content.starts(with: "GIF89a".utf8)
        case .webp: Self.isRIFF(content, holding: "WEBP")
        case .m4a: content.count > Self.shortestM4A
        case .mp3: content.starts(with: "ID3".utf8) || Self.isMPEGFrame(content)
        case .wav: Self.isRIFF(content, holding: "WAVE")
        case .ogg: content.starts(with: "OggS".utf8)
        case .pdf: content.starts(with: "%PDF".utf8)
        case .binary: !content.isEmpty
        }
    }

    private static func isRIFF(_ content: [UInt8], holding form: String) -> Bool {
        content.starts(with: "RIFF".utf8) && content.dropFirst(8).starts(with: form.utf8)
    }

    /// An MPEG audio frame begins with eleven set bits.
    private static func isMPEGFrame(_ content: [UInt8]) -> Bool {
        content.count >= 2 && content[0] == 0xFF && content[1] & 0xE0 == 0xE0
    }
}
