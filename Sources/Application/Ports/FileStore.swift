import Domain

/// Names one file on its way to the disk.
public struct FileTicket: Hashable, Sendable {
    /// Rises with every file of a run.
    public let rawValue: UInt64
    /// Takes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Keeps received files; writes on a thread of its own.
///
/// Later the node is told ``Node/fileStored(_:path:)`` or ``Node/fileFailed(_:reason:)``.
public protocol FileStore: AnyObject {
    /// Queues a file.
    ///
    /// - Parameters:
    ///   - name: A safe leaf name (spec: app §10.5); the store adds ` (1)` and so on rather than overwrite.
    ///   - category: Chooses the folder.
    func store(_ content: [UInt8], name: String, category: FileCategory) -> FileTicket
}

/// The folder that a received file belongs in (spec: app §10.5).
public enum FileCategory: String, Hashable, Sendable {
    /// Pictures.
    case image = "images"
    /// Sound.
    case audio = "voicenotes"
    /// Everything else.
    case file = "files"
}
