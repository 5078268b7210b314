import Glibc

/// One open directory. Everything in it is reached through the handle and by leaf names, so that no name and no link can
/// lead outside.
final class Folder: Sendable {
    let path: String
    private let handle: Int32

    /// A regular file as the directory lists it.
    struct Entry: Comparable {
        let name: String
        let size: Int64
        /// Since 1970.
        let modifiedSeconds: Int64
        let modifiedNanoseconds: Int64

        /// Orders by age, oldest first.
        static func < (left: Entry, right: Entry) -> Bool {
            (left.modifiedSeconds, left.modifiedNanoseconds, left.name)
                < (right.modifiedSeconds, right.modifiedNanoseconds, right.name)
        }
    }

    /// Opens the root, a path of the operator's choice; makes it where it is missing.
    init(root path: String) throws(MediaError) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw MediaError(path, reason: Self.reason()) }
        handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw MediaError(path, reason: Self.reason()) }
    }

    /// Opens a folder inside; makes it where it is missing and `creating` says so. Links are not followed.
    init(_ name: String, in parent: Folder, creating: Bool) throws(MediaError) {
        path = parent.path + "/" + name
        if creating {
            guard mkdirat(parent.handle, name, 0o700) == 0 || errno == EEXIST else {
                throw MediaError(path, reason: Self.reason())
            }
        }
        handle = openat(parent.handle, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard handle >= 0 else { throw MediaError(path, reason: Self.reason()) }
    }

    /// Whether there is a folder, no link to one, at a path.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes a folder if nothing is in it.
    static func prune(_ path: String) { rmdir(path) }

    deinit { if handle >= 0 { close(handle) } }

    /// The regular files inside.
    func entries() throws(MediaError) -> [Entry] {
        // A directory of its own, because listing moves a position that duplicates share.
        let copy = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let directory = fdopendir(copy) else { throw MediaError(path, reason: Self.reason()) }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while let next = readdir(directory) {
            let name = withUnsafePointer(to: &next.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            var status = stat()
            guard fstatat(handle, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            entries.append(
                Entry(
                    name: name, size: Int64(status.st_size),
                    modifiedSeconds: Int64(status.st_mtim.tv_sec), modifiedNanoseconds: Int64(status.st_mtim.tv_nsec)))
        }
        return entries
    }

    /// Removes a file; one that is not there is no failure.
    func remove(_ name: String) throws(MediaError) {
        guard unlinkat(handle, name, 0) == 0 || errno == ENOENT else {
            throw MediaError(path + "/" + name, reason: Self.reason())
        }
    }

    /// Writes a new file, for its owner alone, and flushes it. One of that name that a crash left is replaced.
    func write(_ content: [UInt8], to name: String) throws(MediaError) {
        try remove(name)
        let file = openat(handle, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw MediaError(path + "/" + name, reason: Self.reason()) }
        var failure = Self.write(content, to: file) ?? (fsync(file) == 0 ? nil : errno)
        if close(file) != 0, failure == nil { failure = errno }
        if let failure {
            unlinkat(handle, name, 0)
            throw MediaError(path + "/" + name, reason: Self.reason(failure))
        }
    }

    private static func write(_ content: [UInt8], to file: Int32) -> Int32? {
        content.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let written = Glibc.write(file, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return written < 0 ? errno : ENOSPC }
                offset += written
            }
            return nil
        }
    }

    /// Gives a file its final name; `false`, with nothing changed, when that name is taken.
    func rename(_ name: String, toNew final: String) throws(MediaError) -> Bool {
        if linkat(handle, name, handle, final, 0) == 0 {
            try remove(name)
            return true
        }
        if errno == EEXIST { return false }
        guard errno == EPERM || errno == EOPNOTSUPP else { throw MediaError(path + "/" + final, reason: Self.reason()) }
        // A file system without links: reserve the name, then replace the reservation.
        let reserved = openat(handle, final, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if reserved < 0, errno == EEXIST { return false }
        guard reserved >= 0 else { throw MediaError(path + "/" + final, reason: Self.reason()) }
        close(reserved)
        guard renameat(handle, name, handle, final) == 0 else {
            let code = errno
            unlinkat(handle, final, 0)
            throw MediaError(path + "/" + final, reason: Self.reason(code))
        }
        return true
    }

    /// Makes new names survive a power cut.
    func flush() throws(MediaError) {
        guard fsync(handle) == 0 else { throw MediaError(path, reason: Self.reason()) }
    }

    private static func reason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}
