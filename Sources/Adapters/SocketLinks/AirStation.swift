import Glibc

/// A node's presence in an air directory: its locked lock file and its listening socket.
struct AirStation {
    let directory: AirDirectory
    let name: AirName
    /// Listens.
    let socket: Descriptor
    private let lock: Descriptor
    private let socketIdentity: FileIdentity

    /// Appears in the directory.
    ///
    /// The lock comes first, so that whoever sees our socket can tell that we live. The socket is made under another
    /// name and gets its own once it listens: nobody ever dials a half-made one.
    init(_ name: AirName, in directory: AirDirectory, backlog: Int32) throws(SocketLinksError) {
        let lock = try Self.makeLock(name, in: directory)
        do {
            (socket, socketIdentity) = try Self.makeSocket(name, in: directory, backlog: backlog)
        } catch {
            for suffix in [AirName.Suffix.unfinished, .lock] {
                unlinkat(directory.descriptor.number, name.file(suffix), 0)
            }
            throw error
        }
        self.directory = directory
        self.name = name
        self.lock = lock
    }

    /// Whether the directory is still there and our files in it.
    var isIntact: Bool {
        guard directory.isCurrent, directory.isStill(lock, name.file(.lock)) else { return false }
        return directory.status(of: name.file(.socket)).map(FileIdentity.init) == socketIdentity
    }

    /// Disappears: removes the files that are still ours, the lock file last, and stops listening.
    func withdraw() {
        if directory.isStill(lock, name.file(.lock)) {
            if directory.status(of: name.file(.socket)).map(FileIdentity.init) == socketIdentity {
                unlinkat(directory.descriptor.number, name.file(.socket), 0)
            }
            unlinkat(directory.descriptor.number, name.file(.lock), 0)
        }
        socket.close()
        lock.close()
        directory.descriptor.close()
    }

    private static func makeLock(_ name: AirName, in directory: AirDirectory) throws(SocketLinksError) -> Descriptor {
        let file = name.file(.lock)
        let path = directory.path(of: name, .lock)
        // A sweeper may take a fresh lock file for a dead node's, between the two calls. It holds it for microseconds, and
        // nothing tells when it is done: hence the millisecond, and hence an end to it.
        for _ in 0..<200 {
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = openat(directory.descriptor.number, file, flags, directory.lockMode)
            guard number >= 0 else {
                guard errno == EEXIST else { throw AirDirectory.error("make the lock file", path) }
                if !directory.sweep(name) { usleep(1000) }
                continue
            }
            let lock = Descriptor(number)
            // The process's umask may have taken bits that other users of a shared air need.
            fchmod(number, directory.lockMode)
            if flock(number, LOCK_EX | LOCK_NB) == 0, directory.isStill(lock, file) { return lock }
        }
        throw .system(action: "lock", subject: path, code: EBUSY)
    }

    private static func makeSocket(
        _ name: AirName, in directory: AirDirectory, backlog: Int32
    ) throws(SocketLinksError) -> (Descriptor, FileIdentity) {
        let path = directory.path(of: name, .unfinished)
        let descriptor = Descriptor(airSocket())
        guard descriptor.number >= 0 else { throw AirDirectory.error("open", "a Unix socket") }
        // An earlier attempt of ours may have left it; the lock is held, so it is nobody else's.
        unlinkat(directory.descriptor.number, name.file(.unfinished), 0)
        let bound = try withUnixAddress(path) { bind(descriptor.number, $0, $1) }
        guard bound == 0 else { throw AirDirectory.error("bind", path) }
        fchmodat(directory.descriptor.number, name.file(.unfinished), directory.socketMode, 0)
        guard listen(descriptor.number, backlog) == 0 else { throw AirDirectory.error("listen on", path) }
        let place = directory.descriptor.number
        guard renameat(place, name.file(.unfinished), place, name.file(.socket)) == 0,
            let status = directory.status(of: name.file(.socket))
        else { throw AirDirectory.error("publish", directory.path(of: name, .socket)) }
        return (descriptor, FileIdentity(status))
    }
}

/// A new socket of the kind that airs are made of; -1 with `errno` set.
func airSocket() -> Int32 {
    socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

/// Lends the Unix address of a path to a system call.
func withUnixAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) throws(SocketLinksError) -> Result {
    let bytes = Array(path.utf8)
    guard bytes.count <= AirDirectory.pathLimit else {
        throw .pathTooLong(path, length: bytes.count, limit: AirDirectory.pathLimit)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
