/// Bounds of what received files may take (spec: app §10.5).
public struct MediaPolicy: Hashable, Sendable {
    /// Bytes over all incoming folders: peers must not fill the disk. The oldest files make room.
    public var quota: Int64 = 100 * 1024 * 1024
    /// Days that a file stays after it was last written.
    public var retentionDays: Int64 = 7
    /// Bytes that wait for the disk; a file that finds no room fails at once. Bounds memory while the disk stalls.
    public var queueLimit = 32 * 1024 * 1024

    /// The bounds as documented.
    public init() {}
}

/// Why the folder cannot be used: which path, and what the system says.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path.
    public let path: String
    /// The system's words.
    public let reason: String
    /// The path and the reason.
    public var description: String { "cannot use \(path): \(reason)" }

    /// An error of the system's last call.
    init(_ path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
