import Glibc

/// Reads and writes whole files, without a surprise about their size.
enum SystemFile {
    /// Reads a file, or `-` for standard input.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that make sense; more is a failure and not a longer wait.
    ///   - missing: The exit code when there is no such file.
    static func read(_ path: String, limit: Int, missing: ExitCode = .notFound) throws(Failure) -> [UInt8] {
        guard path != "-" else { return try read(descriptor: STDIN_FILENO, name: "standard input", limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code: ExitCode =
                errno == EACCES ? .refused : errno == ENOENT || errno == ENOTDIR ? missing : .inputOutput
            throw Failure(code, "cannot read \(path): \(SystemError.text())")
        }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, name: path, limit: limit)
    }

    private static func read(descriptor: Int32, name: String, limit: Int) throws(Failure) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(.inputOutput, "cannot read \(name): \(SystemError.text())")
            }
            content += chunk.prefix(count)
            guard content.count <= limit else {
                throw Failure(.badInput, "\(name) is larger than \(limit) bytes")
            }
        }
    }

    /// Reads a text file; anything but UTF-8 is a failure.
    static func readText(_ path: String, limit: Int, missing: ExitCode = .notFound) throws(Failure) -> String {
        let bytes = try read(path, limit: limit, missing: missing)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.badInput, "\(path == "-" ? "standard input" : path) is not UTF-8 text")
        }
        return text
    }

    /// Whether there is something at that path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Writes a small file of our own in one step: a reader sees the old or the new one, never a half.
    static func replace(_ path: String, with text: String) throws(Failure) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(.cannotWrite, "cannot write \(draft): \(SystemError.text())") }
        let written = writeAll(Array(text.utf8), to: descriptor)
        let isDurable = written && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isDurable else { throw Failure(.inputOutput, "cannot write \(draft): \(SystemError.text(code))") }
        guard rename(draft, path) == 0 else {
            throw Failure(.cannotWrite, "cannot write \(path): \(SystemError.text())")
        }
    }

    /// Writes every byte; `false`, with `errno` set, when that fails.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return false }
                // Somebody made our terminal or pipe non-blocking: wait until it takes more.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
                continue
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Makes a directory for our user alone, and those above it; one that is there must be ours and closed to writers.
    static func makePrivateDirectory(_ path: String) throws(Failure) {
        var status = stat()
        if lstat(path, &status) != 0 {
            let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            if !parent.isEmpty, !exists(parent) { try makePrivateDirectory(parent) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST, lstat(path, &status) == 0 else {
                throw Failure(.cannotWrite, "cannot make the directory \(path): \(SystemError.text())")
            }
        }
        if let problem = problem(ofPrivateDirectory: path) {
            throw Failure(.refused, problem.text, hints: [problem.remedy])
        }
    }

    /// Removes everything in a directory, but for some files right in it; links go, and not what they lead to.
    ///
    /// - Parameter followingLink: Whether the directory itself may be a link: an operator's way of putting it on another disk.
    static func emptyDirectory(
        _ path: String, except kept: [String] = [], followingLink: Bool = false
    ) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0, empty(descriptor, except: kept.map { Array($0.utf8) + [0] }) else {
            throw Failure(.cannotWrite, "cannot empty \(path): \(SystemError.text())")
        }
    }

    /// Empties an open directory and closes it; `false`, with `errno` set, when that fails.
    private static func empty(_ descriptor: Int32, except kept: [[UInt8]] = []) -> Bool {
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return false
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) + [0] }
            if name == [0x2E, 0] || name == [0x2E, 0x2E, 0] || kept.contains(name) { continue }
            let isGone = name.withUnsafeBytes { bytes in
                // The pointer holds a copy of the entry's name, closed by a zero byte.
                guard let text = bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
                if unlinkat(descriptor, text, 0) == 0 { return true }
                guard errno == EISDIR || errno == EPERM else { return false }
                let inner = openat(descriptor, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                return inner >= 0 && empty(inner) && unlinkat(descriptor, text, AT_REMOVEDIR) == 0
            }
            guard isGone else { return false }
        }
        return true
    }

    /// Makes new names and removals in a directory survive a power cut; answers what went wrong, in words.
    static func flushDirectory(_ path: String) -> String? {
        let handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return "cannot open \(path): \(SystemError.text())" }
        defer { close(handle) }
        return fsync(handle) == 0 ? nil : "cannot write \(path): \(SystemError.text())"
    }

    /// Whether a path leads to a file with contents, and not to a device or a pipe.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Removes one file for good; answers what went wrong, in words. One that is not there is gone already.
    static func remove(_ path: String) -> String? {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
            return "cannot remove \(path): \(SystemError.text())"
        }
        return nil
    }

    /// The names in a directory, in order; none when there is no such directory.
    static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// What makes a directory unfit for private things, and what to do; `nil` when nothing does.
    static func problem(ofPrivateDirectory path: String) -> (text: String, remedy: String)? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return ("cannot look at \(path): \(SystemError.text())", "check the permissions of the directories above")
        }
        // A link is as good as what it leads to when it is ours: people put their data on another disk.
        if status.st_mode & S_IFMT == S_IFLNK, status.st_uid == geteuid() || status.st_uid == 0 {
            guard stat(path, &status) == 0 else {
                return ("\(path) is a link to nowhere: \(SystemError.text())", "remove it or make its target")
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return ("\(path) is not a directory", "move it out of the way")
        }
        guard status.st_uid == geteuid() else {
            return ("\(path) belongs to user number \(status.st_uid)", "run as that user, or choose another --home")
        }
        guard status.st_mode & 0o022 == 0 else {
            return ("others may write to \(path)", "chmod 700 \(ShellWord.quoted(path))")
        }
        return nil
    }
}
