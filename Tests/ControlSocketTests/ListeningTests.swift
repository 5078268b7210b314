import ControlSocket
import Domain
import Foundation
import Testing

@Suite("Control socket", .timeLimit(.minutes(1)))
struct ListeningTests {
    private func serve(_ path: String) throws -> ControlServer {
        try ControlServer(path: path, history: MemoryHistory(), log: { _, _ in }, handler: Bench.answer)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("the socket is ours alone, in a directory that is ours alone")
    func modes() throws {
        let directory = try TemporaryDirectory()
        let server = try serve(directory.path + "/run/socket")
        defer { server.stop() }
        #expect(try mode(directory.path + "/run") == 0o700)
        #expect(try mode(directory.path + "/run/socket") == 0o600)
        #expect(try mode(directory.path + "/run/socket.lock") == 0o600)
    }

    @Test("a second server is refused and told the process of the first")
    func second() throws {
        let bench = try Bench()
        let path = bench.directory.socket
        #expect(throws: ControlSocketError.alreadyRunning(path: path, process: getpid())) { try serve(path) }
        #expect(try bench.client().call("echo", [1]) == [1])
    }

    @Test("a live server is not replaced when its lock file was deleted")
    func lockDeleted() throws {
        let bench = try Bench()
        let path = bench.directory.socket
        try FileManager.default.removeItem(atPath: path + ".lock")
        #expect(throws: ControlSocketError.alreadyRunning(path: path, process: getpid())) { try serve(path) }
    }

    @Test("the socket of a dead node is replaced")
    func stale() throws {
        let directory = try TemporaryDirectory()
        // Bound and closed without unlink: what kill -9 leaves.
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(directory.socket.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        close(number)
        #expect(throws: ControlClientError.notRunning(path: directory.socket)) {
            try ControlClient(path: directory.socket)
        }
        let server = try serve(directory.socket)
        defer { server.stop() }
        #expect(try ControlClient(path: directory.socket).call("echo", [1]) == [1])
    }

    @Test("a stopped server leaves no socket, and its place can be taken again")
    func restart() throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<3 {
            let server = try serve(directory.socket)
            #expect(try ControlClient(path: directory.socket).call("echo", [1]) == [1])
            server.stop()
            #expect(!FileManager.default.fileExists(atPath: directory.socket))
        }
    }

    @Test("clients of a stopped server are told that it is gone")
    func stopped() throws {
        let bench = try Bench()
        let client = try bench.client()
        _ = try client.call("echo", [1])
        bench.server.stop()
        #expect(throws: ControlClientError.disconnected) { try client.call("echo", [1]) }
    }

    @Test("a file that is no socket is not removed")
    func plainFile() throws {
        let directory = try TemporaryDirectory()
        try Data("precious".utf8).write(to: URL(fileURLWithPath: directory.socket))
        #expect(throws: ControlSocketError.self) { try serve(directory.socket) }
        #expect(FileManager.default.contents(atPath: directory.socket) == Data("precious".utf8))
    }

    @Test("a directory that others may write to is refused", arguments: [0o770, 0o702, 0o777])
    func openDirectory(mode: Int) throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path)
        let error = #expect(throws: ControlSocketError.self) { try serve(directory.socket) }
        #expect(error?.description.contains("written to by others") ?? false)
    }

    @Test("a directory of another user is refused", .enabled(if: geteuid() == 0))
    func foreignDirectory() throws {
        let directory = try TemporaryDirectory()
        try #require(chown(directory.path, 12345, 12345) == 0)
        let error = #expect(throws: ControlSocketError.self) { try serve(directory.socket) }
        #expect(error?.description.contains("belongs to another user (12345)") ?? false)
    }

    @Test("a path of 107 bytes fits, one of 108 is refused by both sides", arguments: [107, 108])
    func longPath(length: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + String(repeating: "s", count: length - directory.path.utf8.count - 1)
        if length == 107 {
            let server = try serve(path)
            defer { server.stop() }
            #expect(try ControlClient(path: path).call("echo", [1]) == [1])
        } else {
            #expect(throws: ControlSocketError.pathTooLong(path: path, bytes: 108, limit: 107)) { try serve(path) }
            #expect(throws: ControlClientError.pathTooLong(path: path, bytes: 108, limit: 107)) {
                try ControlClient(path: path)
            }
        }
    }

    @Test("without a socket the client says that no node is running")
    func notRunning() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: ControlClientError.notRunning(path: directory.socket)) {
            try ControlClient(path: directory.socket)
        }
    }

    @Test("many clients are served at once, one too many is told so, and a place that falls free is given away")
    func manyClients() throws {
        var policy = ControlPolicy()
        policy.maximumClients = 20
        let bench = try Bench(policy: policy)
        var clients = try (0..<20).map { _ in try bench.client() }
        for (index, client) in clients.enumerated() {
            #expect(try client.call("echo", [.number(index)]) == [.number(index)])
        }
        let extra = ControlError(code: ControlError.busy, message: "too many clients")
        #expect(throws: ControlClientError.refused(extra)) { try bench.client().call("echo", [1]) }
        clients.removeLast()
        var answer: JSONValue?
        // The server learns of the hang-up on its own time; each attempt is a full round trip with it.
        for _ in 0..<1000 where answer == nil { answer = try? bench.client().call("echo", [1]) }
        #expect(answer == [1])
    }

    @Test("a call that is not answered in time ends, and the next one gets its own answer")
    func timeout() throws {
        let bench = try Bench { request, reply in
            if request.method == "echo" { reply(.success([2])) } else { Unanswered.shared.keep(reply) }
        }
        let client = try bench.client()
        #expect(throws: ControlClientError.timeout) { try client.call("wait", nil, timeout: 50) }
        #expect(try client.call("echo") == [2])
    }
}
