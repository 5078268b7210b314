import Glibc

/// Files that nobody but their owner may see, written whole or not at all.
enum PrivateFile {
    private static let mode: mode_t = 0o600
    private static let directoryMode: mode_t = 0o700
    private static let permissionBits: mode_t = 0o7777

    /// Whether something is at `path`, a dangling link included.
    static func exists(_ path: String) throws(VaultError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw .unreadable(path, reason: reason()) }
        return false
    }

    /// Makes the directory and its parents; one that others may write to is refused, for they could swap our files.
    static func makeDirectory(_ path: String) throws(VaultError) {
        var status = stat()
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { throw .unreadable(path, reason: reason()) }
            if let parent = parent(of: path), parent != path { try makeDirectory(parent: parent) }
            guard mkdir(path, directoryMode) == 0 || errno == EEXIST else { throw .unwritable(path, reason: reason()) }
        }
        try checkDirectory(path)
    }

    private static func makeDirectory(parent: String) throws(VaultError) {
        var status = stat()
        if stat(parent, &status) == 0 { return }
        if let grandparent = self.parent(of: parent), grandparent != parent { try makeDirectory(parent: grandparent) }
        guard mkdir(parent, directoryMode) == 0 || errno == EEXIST else { throw .unwritable(parent, reason: reason()) }
    }

    private static func checkDirectory(_ path: String) throws(VaultError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, reason: reason()) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unwritable(path, reason: "it is not a directory") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .foreignOwner(path, user: status.st_uid)
        }
        guard status.st_mode & 0o022 == 0 else { throw .looseDirectory(path, mode: status.st_mode & permissionBits) }
    }

    /// Reads at most `limit` bytes; `nil` when there is no such file.
    static func read(_ path: String, limit: Int) throws(VaultError) -> [UInt8]? {
        guard let file = try openForReading(path) else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try bytes.withUnsafeMutableBufferPointer { memory throws(VaultError) in
            guard let start = memory.baseAddress else { return 0 }
            return try fill(start, count: limit, from: file, path: path)
        }
        return Array(bytes.prefix(count))
    }

    /// Reads a secret of exactly `count` bytes from a file that only its owner may access; `nil` when there is none.
    static func readSecret(_ path: String, count: Int) throws(VaultError) -> WipedBytes? {
        guard let file = try openForReading(path) else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path, reason: reason()) }
        guard status.st_mode & 0o077 == 0 else { throw .looseMode(path, mode: status.st_mode & permissionBits) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .foreignOwner(path, user: status.st_uid)
        }
        guard status.st_size == count else { throw .notAKeyFile(path, bytes: Int(status.st_size)) }
        return try WipedBytes(count: count) { memory throws(VaultError) in
            let read = try fill(memory, count: count, from: file, path: path)
            guard read == count else { throw .notAKeyFile(path, bytes: read) }
        }
    }

    private static func openForReading(_ path: String) throws(VaultError) -> Int32? {
        // Not blocking: a FIFO in the file's place must not hang the start.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if file < 0 {
            let code = errno
            guard code == ENOENT else { throw .unreadable(path, reason: reason(code)) }
            return nil
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .unreadable(path, reason: "it is not a regular file")
        }
        return file
    }

    private static func fill(
        _ memory: UnsafeMutablePointer<UInt8>, count: Int, from file: Int32, path: String
    ) throws(VaultError) -> Int {
        var filled = 0
        while filled < count {
            let read = Glibc.read(file, memory + filled, count - filled)
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .unreadable(path, reason: reason()) }
            if read == 0 { break }
            filled += read
        }
        return filled
    }

    /// Writes a file whole or not at all: a new file beside it, flushed, takes its name in one step.
    ///
    /// With `replacing` false an existing file is refused.
    ///
    /// - Parameter isHome: Whether the directory is ours: what a crash left of an earlier attempt is removed there. In
    ///   another's the new file takes a name that nobody else has.
    static func write(
        _ bytes: UnsafePointer<UInt8>, count: Int, to path: String, replacing: Bool, isHome: Bool = true
    ) throws(VaultError) {
        let new = isHome ? path + ".new" : "\(path).new-\(UInt64.random(in: 0 ... .max))"
        if isHome { unlink(new) }
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .unwritable(new, reason: reason()) }
        var failure = write(bytes, count: count, to: file) ?? (fsync(file) == 0 ? nil : errno)
        if close(file) != 0, failure == nil { failure = errno }
        if failure == nil { failure = rename(new, to: path, replacing: replacing) }
        if let failure {
            unlink(new)
            throw failure == EEXIST ? .alreadyExists(path) : .unwritable(path, reason: reason(failure))
        }
        try flushDirectory(of: path)
    }

    private static func write(_ bytes: UnsafePointer<UInt8>, count: Int, to file: Int32) -> Int32? {
        var offset = 0
        while offset < count {
            let written = Glibc.write(file, bytes + offset, count - offset)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return written < 0 ? errno : ENOSPC }
            offset += written
        }
        return nil
    }

    private static func rename(_ new: String, to path: String, replacing: Bool) -> Int32? {
        if !replacing {
            if link(new, path) == 0 {
                unlink(new)
                return nil
            }
            guard errno == EPERM || errno == EOPNOTSUPP else { return errno }
            // A file system without links cannot refuse and name in one step; our lock keeps other nodes away.
            var status = stat()
            if lstat(path, &status) == 0 { return EEXIST }
        }
        return Glibc.rename(new, path) == 0 ? nil : errno
    }

    /// Overwrites a file with zeros and removes it; one that is not there is no failure.
    static func destroy(_ path: String) throws(VaultError) {
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if file >= 0 {
            defer { close(file) }
            var status = stat()
            if fstat(file, &status) == 0 {
                let zeros = [UInt8](repeating: 0, count: Int(clamping: min(status.st_size, 65_536)))
                _ = write(zeros, count: zeros.count, to: file)
                fsync(file)
            }
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw .unwritable(path, reason: reason()) }
    }

    /// Makes a rename or removal in the file's directory survive a power cut.
    static func flushDirectory(of path: String) throws(VaultError) {
        let directory = parent(of: path) ?? "."
        let handle = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw .unwritable(directory, reason: reason()) }
        defer { close(handle) }
        guard fsync(handle) == 0 else { throw .unwritable(directory, reason: reason()) }
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func reason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}
