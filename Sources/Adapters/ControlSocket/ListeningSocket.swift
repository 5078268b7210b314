import Glibc

/// The socket that a node listens on, and the lock that keeps a second node off it.
///
/// The lock is held as long as the node lives and vanishes with it, so that a socket file without its lock is known to be
/// a dead node's and may be replaced.
final class ListeningSocket: Sendable {
    /// Where clients connect.
    let path: String
    /// The socket; non-blocking.
    let descriptor: Descriptor
    private let lock: Descriptor
    private let inode: UInt64

    /// Waiting connections that the kernel keeps for us.
    private static let backlog: Int32 = 64

    /// Listens on `path`; makes its directory, the last level only, when it is missing.
    init(path: String) throws(ControlSocketError) {
        let bytes = path.utf8.count
        guard bytes <= UnixSocket.pathLimit else {
            throw .pathTooLong(path: path, bytes: bytes, limit: UnixSocket.pathLimit)
        }
        try Self.secureDirectory(of: path)
        self.path = path
        lock = try Self.takeLock(for: path)
        try Self.removeDeadSocket(at: path)
        descriptor = try Self.bound(to: path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(call: "stat", path: path, code: errno) }
        inode = UInt64(status.st_ino)
    }

    /// Takes the socket file away, if it is still ours.
    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, UInt64(status.st_ino) == inode { unlink(path) }
    }

    /// The directory must be ours alone to write: whoever can replace the socket can pose as the node.
    private static func secureDirectory(of path: String) throws(ControlSocketError) {
        let directory = directory(of: path)
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .system(call: "mkdir", path: directory, code: errno)
        }
        var status = stat()
        guard stat(directory, &status) == 0 else { throw .system(call: "stat", path: directory, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .unsafeDirectory(path: directory, reason: "is not a directory")
        }
        guard status.st_uid == geteuid() else {
            throw .unsafeDirectory(path: directory, reason: "belongs to another user (\(status.st_uid))")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .unsafeDirectory(path: directory, reason: "can be written to by others")
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func takeLock(for path: String) throws(ControlSocketError) -> Descriptor {
        let lockPath = path + ".lock"
        let number = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .system(call: "open", path: lockPath, code: errno) }
        let lock = Descriptor(number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw .system(call: "flock", path: lockPath, code: code) }
            throw .alreadyRunning(path: path, process: process(serving: path) ?? nil)
        }
        return lock
    }

    /// Removes what a dead node left. The lock alone does not decide: someone may have deleted its file under a live node.
    private static func removeDeadSocket(at path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .unsafeDirectory(path: path, reason: "exists and is not a socket")
        }
        if let process = process(serving: path) { throw .alreadyRunning(path: path, process: process) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(call: "unlink", path: path, code: errno) }
    }

    /// The process behind a live socket; the inner value is `nil` when one answers and the kernel does not tell which.
    private static func process(serving path: String) -> Int32?? {
        guard let probe = UnixSocket.open() else { return nil }
        probe.nonBlocking()
        let result = UnixSocket.withAddress(path) { address, length in connect(probe.number, address, length) }
        // A full backlog refuses with EAGAIN: somebody listens.
        if result != 0 { return errno == EAGAIN ? .some(nil) : nil }
        return .some(UnixSocket.credentials(of: probe)?.process)
    }

    private static func bound(to path: String) throws(ControlSocketError) -> Descriptor {
        guard let descriptor = UnixSocket.open() else { throw .system(call: "socket", path: path, code: errno) }
        descriptor.nonBlocking()
        // Before bind, so that the file never exists with a wider mode (Linux takes it from the socket).
        _ = fchmod(descriptor.number, 0o600)
        let result = UnixSocket.withAddress(path) { address, length in bind(descriptor.number, address, length) }
        guard result == 0 else { throw .system(call: "bind", path: path, code: errno) }
        guard chmod(path, 0o600) == 0 else { throw .system(call: "chmod", path: path, code: errno) }
        guard listen(descriptor.number, backlog) == 0 else { throw .system(call: "listen", path: path, code: errno) }
        return descriptor
    }
}
