import Glibc

/// Two files that say that a wipe was begun and is not finished, in two folders: either is enough, whatever became of the
/// other.
///
/// Source: spec, store-and-forward §8.
struct PanicMarks {
    /// The name of the mark in the data directory.
    static let name = "wipe-pending"
    private let paths: [String]

    init(_ places: Places) {
        paths = [places.data + "/" + Self.name, Places.parent(of: places.configuration) + "/satchel-" + Self.name]
    }

    /// Whether a wipe is to be finished. A mark that cannot be looked for counts as one.
    var areSet: Bool {
        paths.contains { path in
            var status = stat()
            return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
        }
    }

    /// Sets both; one that cannot be set stops nothing.
    ///
    /// - Returns: What went wrong, in words; empty when both are on the disk.
    func set() -> [String] {
        paths.compactMap { path in
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return "cannot write \(path): \(SystemError.text())" }
            defer { close(file) }
            guard fsync(file) == 0 else { return "cannot write \(path): \(SystemError.text())" }
            return SystemFile.flushDirectory(Places.parent(of: path))
        }
    }

    /// Takes both back, the one in the data directory first.
    func clear() throws(Failure) {
        for path in paths {
            guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw Failure(.inputOutput, "cannot remove \(path): \(SystemError.text())")
            }
            // A folder that is not there holds no mark.
            if SystemFile.exists(Places.parent(of: path)),
                let fault = SystemFile.flushDirectory(Places.parent(of: path))
            {
                throw Failure(.inputOutput, fault)
            }
        }
        guard !areSet else { throw Failure(.inputOutput, "the marks of the wipe cannot be removed") }
    }
}
