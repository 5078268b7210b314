import Domain

/// Guesses the media type of a file that is to be sent.
enum FileType {
    /// The type that the name's extension stands for, if the content looks like it; else plain bytes.
    ///
    /// Receivers drop a file whose content does not look like its type, so a wrong extension must not decide.
    static func mime(ofName name: String, content: [UInt8]) -> String {
        let parts = name.lowercased().split(separator: ".")
        guard parts.count > 1, let suffix = parts.last else { return MediaType.binary.mimeType }
        let aliases = ["jpeg": "jpg", "mp4": "m4a", "aac": "m4a", "oga": "ogg", "opus": "ogg"]
        let wanted = aliases[String(suffix)] ?? String(suffix)
        let type = MediaType.allCases.first { $0.defaultExtension == wanted && $0.matches(content) }
        return (type ?? .binary).mimeType
    }
}
