import Foundation
import Testing

@testable import SocketLinks

/// A bare socket to a node: says what no node would say. Blocks, at most ten seconds a call.
final class RawPeer {
    private(set) var number: Int32

    private init(_ family: Int32, _ kind: Int32) throws {
        number = socket(family, kind, 0)
        try #require(number >= 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    /// Dials the socket at a path.
    convenience init(air path: String) throws {
        try self.init(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue))
        let number = number
        let answer = try withUnixAddress(path) { connect(number, $0, $1) }
        try #require(answer == 0)
    }

    /// Connects to a TCP port of this machine, from a chosen loopback address.
    convenience init(tcp address: String, from source: String = "127.0.0.1") throws {
        try self.init(AF_INET, Int32(SOCK_STREAM.rawValue))
        let number = number
        let local = try #require(
            try Resolver.addresses(of: HostPort(parsing: "\(source):0"), forListening: true).get().first)
        try #require(local.withPointer { bind(number, $0, $1) } == 0)
        let remote = try #require(
            try Resolver.addresses(of: HostPort(parsing: address), forListening: false).get().first)
        try #require(remote.withPointer { connect(number, $0, $1) } == 0)
    }

    /// Writes everything, or fails the test.
    func send(_ bytes: [UInt8]) throws {
        try #require(Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// Writes if there is room.
    func offer(_ bytes: [UInt8]) -> Bool {
        Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
    }

    /// Exactly `count` bytes, or fewer at the end of the stream.
    func receive(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            let answer = recv(number, &chunk, chunk.count, 0)
            guard answer > 0 else { break }
            bytes += chunk.prefix(answer)
        }
        return bytes
    }

    /// Whether the other side ended the connection, after whatever it still said.
    func isEnded() -> Bool {
        var byte: UInt8 = 0
        while true {
            let answer = recv(number, &byte, 1, 0)
            if answer == 0 { return true }
            if answer < 0 { return errno == ECONNRESET }
        }
    }

    func close() {
        guard number >= 0 else { return }
        _ = Glibc.close(number)
        // The number is the next one's from here on.
        number = -1
    }
}

extension FileManager {
    /// Descriptors that this process has open.
    var openDescriptors: Int { (try? contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
}

/// A neighbour in another process, written in another language from the description of the protocol: it judges our
/// framing, and it can be killed.
final class ForeignPeer {
    private let process = Process()

    /// Starts `python3` with one of the scripts below.
    init(_ script: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script] + arguments
        try process.run()
    }

    deinit { kill() }

    /// Ends it at once, as a power cut would.
    func kill() {
        guard process.isRunning else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Joins an air under a name, dials everyone with a higher name, accepts the rest; returns every frame reversed.
    static let airScript = """
        import fcntl, os, select, socket, sys
        directory, name = sys.argv[1:3]
        path = lambda end: directory + "/" + name + end
        lock = os.open(path(".lck"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(path(".new"))
        server.listen(16)
        os.rename(path(".new"), path(".air"))
        links = []
        for other in os.listdir(directory):
            if other.endswith(".air") and other > name + ".air":
                link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                link.connect(directory + "/" + other)
                links.append(link)
        while True:
            for ready in select.select([server] + links, [], [])[0]:
                if ready is server:
                    links.append(server.accept()[0])
                    continue
                frame = ready.recv(70000)
                if frame:
                    ready.send(frame[::-1])
                else:
                    links.remove(ready)
        """

    /// Connects to a TCP port, says hello, and returns every frame reversed, in dribbles.
    static let streamScript = """
        import socket, struct, sys
        link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(struct.pack(">7sBIQ", b"satchel", 1, 65536, 99))
        source = link.makefile("rb")
        magic, version, limit, node = struct.unpack(">7sBIQ", source.read(20))
        assert (magic, version, limit) == (b"satchel", 1, 65536)
        while True:
            length = struct.unpack(">I", source.read(4))[0]
            answer = struct.pack(">I", length) + source.read(length)[::-1]
            for start in range(0, 12, 3):
                link.sendall(answer[start:start + 3])
            link.sendall(answer[12:])
        """
}
