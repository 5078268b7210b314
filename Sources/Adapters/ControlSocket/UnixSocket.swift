import Glibc

/// Names of system errors.
enum SystemCall {
    /// What errno means.
    static func message(of code: Int32) -> String {
        // strerror_r in its POSIX form writes into our buffer; the call itself cannot fail harmfully.
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A file descriptor that is closed when nobody holds it any more.
final class Descriptor: Sendable {
    /// The number.
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Keeps the descriptor from programs that the node starts.
    func closeOnExec() { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

    /// Makes reads and writes return at once.
    func nonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
}

/// Stream sockets of the local machine.
enum UnixSocket {
    /// The longest path, in bytes: the address field less its terminating zero.
    static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Opens a socket; `nil` with errno when the system refuses.
    static func open() -> Descriptor? {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        return number < 0 ? nil : Descriptor(number)
    }

    /// Calls `body` with the address of `path`, which must not exceed ``pathLimit``.
    static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The field is a tuple of bytes in C's eyes; it stays zero behind the path, which ends it.
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            for (index, byte) in path.utf8.prefix(pathLimit).enumerated() { field[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Who is at the other end, as the kernel recorded it when the connection was made.
    struct Credentials {
        let process: Int32
        let user: UInt32
    }

    /// Asks the kernel for the other end's credentials (unix(7), SO_PEERCRED).
    static func credentials(of descriptor: Descriptor) -> Credentials? {
        // struct ucred: pid, uid, gid, four bytes each. Glibc's module hides its name.
        var fields: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: fields))
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &fields, &size) == 0,
            size == socklen_t(MemoryLayout.size(ofValue: fields))
        else { return nil }
        return Credentials(process: fields.pid, user: fields.uid)
    }

    /// Whether the other end is closed altogether, not only its writing side.
    static func isHungUp(_ descriptor: Descriptor) -> Bool {
        var entry = pollfd(fd: descriptor.number, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// What one attempt to write came to.
    enum Written {
        case bytes(Int)
        case wouldBlock
        case failed(Int32)
    }

    /// Writes what the socket takes now. Never raises SIGPIPE.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Descriptor) -> Written {
        while true {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    descriptor.number, buffer.baseAddress, buffer.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
        }
    }

    /// What one attempt to read came to.
    enum Received {
        case bytes([UInt8])
        case end
        case wouldBlock
        case failed(Int32)
    }

    /// Reads what has arrived, at most `limit` bytes.
    static func read(from descriptor: Descriptor, limit: Int) -> Received {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
                count = recv(descriptor.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                initialized = max(count, 0)
            }
            if count > 0 { return .bytes(bytes) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno)
        }
    }
}
