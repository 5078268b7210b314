import Glibc

/// Keeps a second process away from one identity, for as long as the value lives.
///
/// The system releases the lock when the process ends, however it ends; the file stays, because removing it would let two
/// processes lock two files of one name.
public final class HomeLock: Sendable {
    /// Why there is no lock.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Another process holds it; its number, where the file tells.
        case held(path: String, process: Int32?)
        /// The lock file cannot be opened or locked; why.
        case unusable(path: String, reason: String)

        /// Who is in the way.
        public var description: String {
            switch self {
            case .held(let path, let process):
                "\(path) is locked" + (process.map { " by process \($0)" } ?? "")
            case .unusable(let path, let reason): "cannot lock \(path): \(reason)"
            }
        }
    }

    private let file: Int32

    /// Takes the lock of the home at `directory`, which is made where it is missing, and writes our process number.
    public init(directory: String) throws(Failure) {
        let path = directory + "/lock"
        do { try PrivateFile.makeDirectory(directory) } catch {
            throw .unusable(path: path, reason: error.description)
        }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unusable(path: path, reason: PrivateFile.reason()) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            let holder = Self.process(in: file)
            close(file)
            throw code == EWOULDBLOCK
                ? .held(path: path, process: holder) : .unusable(path: path, reason: PrivateFile.reason(code))
        }
        let number = Array("\(getpid())\n".utf8)
        // Written over, then cut: the file is never empty for whoever finds it locked.
        guard pwrite(file, number, number.count, 0) == number.count, ftruncate(file, number.count) == 0 else {
            let code = errno
            close(file)
            throw .unusable(path: path, reason: PrivateFile.reason(code))
        }
        self.file = file
    }

    deinit { close(file) }

    /// Looks whether the home at `directory` is locked, and changes nothing.
    ///
    /// - Returns: ``Failure/held(path:process:)``, or `nil` when nobody holds the lock or there is no lock file.
    public static func holder(of directory: String) -> Failure? {
        let path = directory + "/lock"
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            return errno == ENOENT ? nil : .unusable(path: path, reason: PrivateFile.reason())
        }
        defer { close(file) }
        while flock(file, LOCK_SH | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { return .unusable(path: path, reason: PrivateFile.reason()) }
            return .held(path: path, process: process(in: file))
        }
        return nil
    }

    private static func process(in file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
