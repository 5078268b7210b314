import Domain
import Glibc

/// A connection to a controller that speaks H4 over a stream socket: a virtual one, or a serial port that some program
/// offers over the network.
enum ControllerSocket {
    /// Connects to a Unix socket.
    static func open(path: String) throws(BluetoothError) -> Int32 {
        let target = AdapterAddress.unix(path: path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard (1...AdapterAddress.socketPathLimit).contains(bytes.count) else {
            throw .badAddress(
                "\(target)", reason: "the path must have 1 to \(AdapterAddress.socketPathLimit) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = try stream(AF_UNIX, target)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard connected != 0 else { return descriptor }
        let code = errno
        close(descriptor)
        switch code {
        case ENOENT, ENOTDIR: throw .missing(target)
        case EACCES, EPERM: throw .notPermitted(target)
        // Its queue is full: whoever listens there takes nobody at the moment.
        case EAGAIN: throw .unreachable(target, reason: "it takes no connections now")
        default: throw .unreachable(target, reason: errorText(code))
        }
    }

    /// Connects over TCP to the first address of a host that answers.
    static func open(
        host: String, port: UInt16, within limit: Milliseconds = BluetoothPolicy.connectTimeout
    ) throws(BluetoothError) -> Int32 {
        let target = AdapterAddress.tcp(host: host, port: port)
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let text = code == EAI_SYSTEM ? errorText(errno) : gai_strerror(code).map { String(cString: $0) }
            throw .unreachable(target, reason: text ?? "error \(code)")
        }
        defer { freeaddrinfo(list) }
        let deadline = monotonicMilliseconds() + limit.count
        var failure = ENOENT
        var entry = list
        while let current = entry {
            let descriptor = try stream(current.pointee.ai_family, target)
            failure = connect(descriptor, to: current.pointee, by: deadline)
            if failure == 0 {
                keepAlive(descriptor)
                return descriptor
            }
            close(descriptor)
            entry = current.pointee.ai_next
        }
        throw .unreachable(target, reason: errorText(failure))
    }

    private static func stream(_ family: Int32, _ target: AdapterAddress) throws(BluetoothError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .system(action: "open a socket for", subject: "\(target)", code: errno) }
        return descriptor
    }

    /// Connects, and waits for the answer; returns 0 or the `errno`.
    static func connect(_ descriptor: Int32, to address: addrinfo, by deadline: Int64) -> Int32 {
        guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else {
            return isConnectedToItself(descriptor) ? ECONNREFUSED : 0
        }
        guard errno == EINPROGRESS else { return errno }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let left = deadline - monotonicMilliseconds()
            let ready = left > 0 ? poll(&entry, 1, Int32(clamping: left)) : 0
            if ready == 0 { return ETIMEDOUT }
            if ready > 0 { break }
            guard errno == EINTR else { return errno }
        }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code == 0 && isConnectedToItself(descriptor) ? ECONNREFUSED : code
    }

    /// Whoever tries again and again to reach a port of this machine where nobody listens is in the end given that very
    /// port for its own side, and TCP connects it to itself.
    static func isConnectedToItself(_ descriptor: Int32) -> Bool {
        let ours = name(descriptor, getsockname)
        return ours != nil && ours == name(descriptor, getpeername)
    }

    private static func name(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> [UInt8]? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            let answer = bytes.withMemoryRebound(to: sockaddr.self) { call(descriptor, $0.baseAddress, &length) }
            return answer == 0 ? Array(bytes.prefix(Int(length))) : nil
        }
    }

    /// Packets leave at once; and a machine that goes without a word is noticed even while nothing is sent.
    private static func keepAlive(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, BluetoothPolicy.keepaliveIdle)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, BluetoothPolicy.keepaliveInterval)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, BluetoothPolicy.keepaliveProbes)
    }
}
