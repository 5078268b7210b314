import Foundation
import Support
import Testing

@testable import BluetoothHCI

/// A server on a socket of this machine.
private final class Server {
    let number: Int32

    init(unix path: String, backlog: Int32 = 8) throws {
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let answer = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(answer == 0 && listen(number, backlog) == 0)
    }

    /// The port is in `port`.
    init(tcp port: inout UInt16, backlog: Int32 = 8) throws {
        let (socket, address) = try localSocket(SOCK_STREAM)
        number = socket
        port = UInt16(bigEndian: address.sin_port)
        try #require(listen(number, backlog) == 0)
    }

    deinit { close(number) }

    func accept() throws -> FarEnd {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1)
        let answer = Glibc.accept(number, nil, nil)
        try #require(answer >= 0)
        return FarEnd(answer)
    }
}

private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var (value, size): (Int32, socklen_t) = (-1, 4)
    return getsockopt(descriptor, level, name, &value, &size) == 0 ? value : -1
}

private func failure(_ address: AdapterAddress) -> BluetoothError? {
    do throws(BluetoothError) {
        try AdapterOpening.open(address).close()
        return nil
    } catch {
        return error
    }
}

/// Not blocking, and closed in children.
private func isTame(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
}

@Suite("Controllers behind sockets")
struct ControllerSocketTests {
    @Test("a Unix socket carries both ways")
    func unix() throws {
        let directory = try TemporaryDirectory()
        let server = try Server(unix: directory.file("hci0"))
        let adapter = try AdapterOpening.open(.unix(path: directory.file("hci0")))
        defer { adapter.close() }
        #expect(adapter.isStream && isTame(adapter.descriptor))
        let far = try server.accept()
        try far.write([4, 0xFF, 0])
        #expect(try FarEnd(dup(adapter.descriptor)).read() == [4, 0xFF, 0])
    }

    @Test("a TCP connection sends at once and notices a dead machine")
    func tcp() throws {
        var port: UInt16 = 0
        let server = try Server(tcp: &port)
        let adapter = try AdapterOpening.open(.tcp(host: "localhost", port: port))
        defer { adapter.close() }
        #expect(adapter.isStream && isTame(adapter.descriptor))
        #expect(option(adapter.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
        #expect(option(adapter.descriptor, SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(adapter.descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == BluetoothPolicy.keepaliveIdle)
        let far = try server.accept()
        try far.write([4, 0xFF, 0])
        #expect(try FarEnd(dup(adapter.descriptor)).read() == [4, 0xFF, 0])
    }

    @Test("a socket that is not there is missing, one that nobody serves is unreachable")
    func absent() throws {
        let directory = try TemporaryDirectory()
        let missing = AdapterAddress.unix(path: directory.file("none"))
        #expect(failure(missing) == .missing(missing))
        let below = AdapterAddress.unix(path: "/proc/version/none")
        #expect(failure(below) == .missing(below))
        try directory.write([], to: "file")
        let file = AdapterAddress.unix(path: directory.file("file"))
        #expect(failure(file) == .unreachable(file, reason: "Connection refused"))
        let (unserved, address) = try localSocket(SOCK_STREAM)
        defer { close(unserved) }
        let closed = AdapterAddress.tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
        #expect(failure(closed) == .unreachable(closed, reason: "Connection refused"))
    }

    @Test("a path that fits no socket address is refused", arguments: [0, 108, 5000])
    func longPath(length: Int) {
        guard case .badAddress = failure(.unix(path: String(repeating: "p", count: length))) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("a name without an address is unreachable")
    func noSuchHost() {
        guard case .unreachable(_, let reason) = failure(.tcp(host: "no-such-host.invalid", port: 1)) else {
            Issue.record("not refused")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("a server that takes nobody is unreachable, and nobody waits for it")
    func fullUnix() throws {
        let directory = try TemporaryDirectory()
        let server = try Server(unix: directory.file("hci0"), backlog: 0)
        let address = AdapterAddress.unix(path: directory.file("hci0"))
        let first = try AdapterOpening.open(address)
        defer { first.close() }
        #expect(failure(address) == .unreachable(address, reason: "it takes no connections now"))
        _ = server
    }

    @Test("a connection that nobody answers is given up in time", .timeLimit(.minutes(15)))
    func timeout() throws {
        // With its queue full, the kernel leaves further connections without an answer.
        var port: UInt16 = 0
        let server = try Server(tcp: &port, backlog: 0)
        let first = try ControllerSocket.open(host: "127.0.0.1", port: port)
        defer { close(first) }
        let error = #expect(throws: BluetoothError.self) {
            try ControllerSocket.open(host: "127.0.0.1", port: port, within: 200)
        }
        #expect(error == .unreachable(.tcp(host: "127.0.0.1", port: port), reason: "Connection timed out"))
        _ = server
    }

    @Test("a connection to oneself is no controller")
    func ourselves() throws {
        let (descriptor, address) = try localSocket(SOCK_STREAM)
        defer { close(descriptor) }
        let answer = withSocketAddress(address) { pointer, size in
            var target = addrinfo()
            target.ai_addr = UnsafeMutablePointer(mutating: pointer)
            target.ai_addrlen = size
            return ControllerSocket.connect(descriptor, to: target, by: monotonicMilliseconds() + 10_000)
        }
        #expect(answer == ECONNREFUSED)
        // It was a connection, but for our refusal.
        #expect(ControllerSocket.isConnectedToItself(descriptor))
        var port: UInt16 = 0
        let server = try Server(tcp: &port)
        let other = try ControllerSocket.open(host: "127.0.0.1", port: port)
        defer { close(other) }
        #expect(!ControllerSocket.isConnectedToItself(other))
        _ = server
    }
}

@Suite("Serial ports")
struct SerialPortTests {
    @Test(
        "a port is raw, with RTS/CTS, at the speed that is asked for", arguments: [9600, 115_200, 1_000_000, 1_234_567])
    func settings(baud: UInt32) throws {
        let cable = try Cable()
        let adapter = try AdapterOpening.open(.serial(path: cable.path, baud: baud))
        defer { adapter.close() }
        #expect(adapter.isStream && isTame(adapter.descriptor))
        var state = termios()
        try #require(tcgetattr(adapter.descriptor, &state) == 0)
        #expect(state.c_iflag & tcflag_t(IXON | IXOFF | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT | PARMRK) == 0)
        #expect(state.c_oflag & tcflag_t(OPOST) == 0)
        #expect(state.c_lflag & tcflag_t(ICANON | ECHO | ECHONL | ISIG | IEXTEN) == 0)
        #expect(state.c_cflag & tcflag_t(CSIZE | PARENB | CSTOPB) == tcflag_t(CS8))
        #expect(state.c_cflag & tcflag_t(CRTSCTS) != 0)
        #expect(state.c_cflag & tcflag_t(CREAD) != 0)
        withUnsafeBytes(of: state.c_cc) { characters in
            #expect(characters[Int(VMIN)] == 1 && characters[Int(VTIME)] == 0)
        }
        // TCGETS2 ends with the speeds as numbers, in and out.
        var words = [UInt32](repeating: 0, count: 11)
        try #require(ioctl(adapter.descriptor, 0x802C_542A, &words) == 0)
        #expect(words[9] == baud && words[10] == baud)
    }

    @Test("what was on the way before is forgotten")
    func flushed() throws {
        let cable = try Cable()
        let earlier = open(cable.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(earlier) }
        var state = termios()
        try #require(tcgetattr(earlier, &state) == 0)
        cfmakeraw(&state)
        try #require(tcsetattr(earlier, TCSANOW, &state) == 0)
        try cable.controller.write([1, 2, 3])
        var entry = pollfd(fd: earlier, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1)
        let adapter = try AdapterOpening.open(.serial(path: cable.path, baud: 115_200))
        defer { adapter.close() }
        try cable.controller.write([4])
        #expect(try FarEnd(dup(adapter.descriptor)).read() == [4])
    }

    @Test("a second opening is refused and names the first; afterwards the port is free")
    func exclusive() throws {
        let cable = try Cable()
        let address = AdapterAddress.serial(path: cable.path, baud: 1_000_000)
        #expect(AdapterDirectory().obstacle(for: address) == nil)
        let first = try AdapterOpening.open(address)
        let busy = BluetoothError.busy(address, process: getpid())
        #expect(failure(address) == busy)
        #expect(AdapterDirectory().obstacle(for: address) == busy)
        first.close()
        #expect(failure(address) == nil)
        #expect(AdapterDirectory().obstacle(for: address) == nil)
    }

    @Test("what is no serial port is refused, and so is nothing at all")
    func others() throws {
        let directory = try TemporaryDirectory()
        try directory.write([], to: "file")
        for path in [directory.file("file"), directory.path, "/dev/null"] {
            let address = AdapterAddress.serial(path: path, baud: 115_200)
            #expect(failure(address) == .notASerialPort(address))
        }
        for path in [directory.file("none"), directory.file("file/none")] {
            let address = AdapterAddress.serial(path: path, baud: 115_200)
            #expect(failure(address) == .missing(address))
            #expect(AdapterDirectory().obstacle(for: address) == .missing(address))
        }
        let file = AdapterAddress.serial(path: directory.file("file"), baud: 115_200)
        #expect(AdapterDirectory().obstacle(for: file) == .notASerialPort(file))
    }

    @Test("a port that belongs to others is not permitted", .enabled(if: geteuid() != 0, "root may open everything"))
    func forbidden() throws {
        let cable = try Cable()
        try #require(chmod(cable.path, 0) == 0)
        let address = AdapterAddress.serial(path: cable.path, baud: 115_200)
        #expect(failure(address) == .notPermitted(address))
        #expect(AdapterDirectory().obstacle(for: address) == .notPermitted(address))
    }
}

@Suite("User channel")
struct UserChannelTests {
    private static let hci3 = AdapterAddress.userChannel(index: 3)

    @Test(
        "what the kernel answers has a meaning",
        arguments: [
            (ENODEV, .missing(hci3)), (EBUSY, .busy(hci3, process: nil)), (EPERM, .notPermitted(hci3)),
            (EACCES, .notPermitted(hci3)), (ERFKILL, .blockedByRadioSwitch(hci3, isHard: false)),
            (EALREADY, .system(action: "open", subject: "hci3", code: EALREADY)),
            (EIO, .system(action: "open", subject: "hci3", code: EIO)),
        ] as [(Int32, BluetoothError)])
    func answers(code: Int32, error: BluetoothError) throws {
        let nowhere = AdapterDirectory(root: try TemporaryDirectory().path)
        #expect(UserChannel.failure(code, 3, nowhere) == error)
    }

    @Test("an adapter that no machine has is refused, whatever this kernel has")
    func absent() {
        let address = AdapterAddress.userChannel(index: 999)
        let error = failure(address)
        let hasBluetooth = (try? UserChannel.socket()).map { close($0) } != nil
        if hasBluetooth {
            // Which of the two is looked at first is the kernel's choice.
            #expect(error == .missing(address) || error == .notPermitted(address))
        } else {
            #expect(error == .unsupported(reason: "this kernel has no Bluetooth"))
            #expect(AdapterDirectory().obstacle(for: address) == error)
        }
    }
}
