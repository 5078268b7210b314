import Glibc

/// An open air directory, checked to be one that nobody else can tamper with.
struct AirDirectory {
    /// The longest path of a Unix socket, in bytes: `sun_path` less its closing zero.
    static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    let path: String
    let descriptor: Descriptor
    private let identity: FileIdentity
    private let mode: mode_t

    /// Opens the directory, making it (with mode 0700) if it is missing.
    init(path: String) throws(SocketLinksError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .unsafeDirectory(path, reason: "has no usable path: it is empty or holds a zero byte")
        }
        try Self.checkLength(path)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.error("create the air directory", path) }
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw Self.error("open the air directory", path) }
        descriptor = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw Self.error("look at the air directory", path) }
        if let reason = Self.danger(owner: status.st_uid, mode: status.st_mode, user: geteuid()) {
            throw .unsafeDirectory(path, reason: reason)
        }
        self.path = path
        identity = FileIdentity(status)
        mode = status.st_mode
    }

    /// Why a directory with this owner and mode is no place for our sockets; `nil` when it is one.
    ///
    /// Whoever may write into a directory may replace the files in it: unplug a node, or put themselves between two. The
    /// sticky bit takes that away (each may only touch what is theirs), and leaves an air that several users share, where a
    /// neighbour is as strange as one on the radio. A directory's owner may do all that in any case.
    static func danger(owner: uid_t, mode: mode_t, user: uid_t) -> String? {
        guard owner == user || owner == 0 else {
            return "belongs to user \(owner), who could replace our socket there; use a directory of your own"
        }
        guard mode & 0o022 == 0 || mode & S_ISVTX != 0 else {
            return "is writable for others, who could replace our socket there; chmod 700 it, "
                + "or chmod 1777 it to share the air with other users"
        }
        return nil
    }

    private static func checkLength(_ path: String) throws(SocketLinksError) {
        let socket = path + "/" + AirName(rawValue: 0).file(.socket)
        guard socket.utf8.count <= pathLimit else {
            throw .pathTooLong(socket, length: socket.utf8.count, limit: pathLimit)
        }
    }

    /// The path of one of a node's files.
    func path(of name: AirName, _ suffix: AirName.Suffix) -> String { path + "/" + name.file(suffix) }

    /// Whether the path still leads to this directory: somebody may have removed or replaced it.
    var isCurrent: Bool {
        var status = stat()
        return stat(path, &status) == 0 && FileIdentity(status) == identity
    }

    /// What a file there is at the moment, without following a link; `nil` when it is not there.
    func status(of file: String) -> stat? {
        var status = stat()
        return fstatat(descriptor.number, file, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// The mode that lets all into our socket who may use the directory at all.
    var socketMode: mode_t { 0o600 | (mode & 0o020 == 0 ? 0 : 0o060) | (mode & 0o002 == 0 ? 0 : 0o006) }

    /// The mode of our lock file: others must be able to see whether it is locked.
    var lockMode: mode_t { 0o600 | (mode & 0o020 == 0 ? 0 : 0o040) | (mode & 0o002 == 0 ? 0 : 0o004) }

    /// The names of all files.
    func files() throws(SocketLinksError) -> [String] {
        // A descriptor of its own: reading moves the position, which duplicates would share.
        let number = openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let stream = fdopendir(number) else {
            if number >= 0 { close(number) }
            throw Self.error("read the air directory", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    /// The error for the current `errno`.
    static func error(_ action: String, _ subject: String) -> SocketLinksError {
        let code = errno
        switch code {
        case EACCES, EPERM, EROFS: return .permissionDenied(action: action, subject: subject)
        case ENOTDIR: return .notADirectory(subject)
        default: return .system(action: action, subject: subject, code: code)
        }
    }
}

extension SocketLinks {
    /// Why nodes cannot meet in an existing directory; `nil` when nothing is known against it.
    public static func problem(ofAir path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return "cannot be looked at: \(errorText(errno))" }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "is not a directory" }
        return AirDirectory.danger(owner: status.st_uid, mode: status.st_mode, user: geteuid())
    }
}

// MARK: The dead

extension AirDirectory {
    /// Removes what dead nodes left, and never anything of a living one.
    func sweep(files: [String], except own: AirName) {
        var names: Set<AirName> = []
        for suffix in AirName.Suffix.allCases {
            names.formUnion(files.compactMap { AirName(file: $0, suffix: suffix) })
        }
        for name in names where name != own { sweep(name) }
    }

    /// Removes the files of one node if it is dead, that is, if its lock can be had.
    ///
    /// The lock is taken before anything is removed and held until all is gone, lock file last. A node that is just
    /// starting, between making its lock file and locking it, finds its file locked or gone and makes another
    /// (``AirStation``); we in turn may have locked a file that another sweeper removed and a new node replaced: then the
    /// name leads to another inode than the one locked, and we keep our hands off.
    ///
    /// - Returns: Whether the node is gone.
    @discardableResult
    func sweep(_ name: AirName) -> Bool {
        let file = name.file(.lock)
        // Non-blocking: what has a lock's name may be a pipe. Without a lock file nobody owns the rest; making one keeps
        // two sweepers and a node that draws this very name apart.
        var number = openat(descriptor.number, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if number < 0, errno == ENOENT {
            number = openat(
                descriptor.number, file, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, lockMode)
        }
        guard number >= 0 else { return false }
        let lock = Descriptor(number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0, isStill(lock, file) else { return false }
        for suffix in [AirName.Suffix.socket, .unfinished, .lock] {
            unlinkat(descriptor.number, name.file(suffix), 0)
        }
        lock.close()
        return true
    }

    /// Whether a name still leads to the regular file that is open.
    func isStill(_ open: Descriptor, _ file: String) -> Bool {
        var opened = stat()
        guard fstat(open.number, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG, let named = status(of: file) else {
            return false
        }
        return FileIdentity(opened) == FileIdentity(named)
    }
}
