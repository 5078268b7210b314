import Application
import ControlSocket
import Domain
import Foundation
import Synchronization
import Testing

/// An event log in memory that can be slow, fail and forget.
final class MemoryHistory: EventHistory {
    struct Broken: Error {}
    private struct State {
        var events: [LoggedEvent] = []
        var last: UInt64 = 0
        var isBroken = false
        var damaged: ClosedRange<UInt64>?
    }
    private let state = Mutex(State())

    /// Logs one more and returns its sequence.
    @discardableResult
    func log(_ event: Event) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.events.append(LoggedEvent(sequence: state.last, event: event))
            return state.last
        }
    }

    /// Logs public messages.
    func fill(_ count: Int, text: String = "hello") { for _ in 0..<count { log(.message(text)) } }

    /// Drops what is older than `sequence`.
    func forget(before sequence: UInt64) {
        state.withLock { $0.events.removeAll { $0.sequence < sequence } }
    }

    /// Makes rows that the bounds name and no read brings.
    func damage(_ sequences: ClosedRange<UInt64>) {
        state.withLock { $0.damaged = sequences }
    }

    func breakDown() { state.withLock { $0.isBroken = true } }

    func events(after sequence: UInt64, limit: Int) throws -> [LoggedEvent] {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            guard let first = state.events.first?.sequence else { return [] }
            let start = sequence < first ? 0 : Int(sequence - first) + 1
            let readable = state.events.dropFirst(start).filter { !(state.damaged?.contains($0.sequence) ?? false) }
            return Array(readable.prefix(limit))
        }
    }

    func bounds() throws -> ClosedRange<UInt64>? {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            guard let first = state.events.first, let last = state.events.last else { return nil }
            return first.sequence...last.sequence
        }
    }
}

extension Event {
    static func message(_ text: String) -> Event {
        .publicMessage(
            ChatMessage(
                id: "00", sender: PeerID(rawValue: 1), senderName: "bob", text: text, sentAt: WallTime(milliseconds: 5),
                receivedAt: WallTime(milliseconds: 6), isOwn: false))
    }

    static let peerCame = Event.peer(
        PeerChange(kind: .connected, peer: PeerID(rawValue: 1), name: "bob", at: WallTime(milliseconds: 7)))
}

/// A directory of its own that vanishes with the test.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = "/tmp/control-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var socket: String { path + "/socket" }
}

/// A server with an echoing handler and what it logged.
final class Bench {
    let directory: TemporaryDirectory
    let history = MemoryHistory()
    let lines = LogLines()
    let server: ControlServer

    init(policy: ControlPolicy = ControlPolicy(), handler: @escaping ControlServer.Handler = Bench.answer) throws {
        let lines = lines
        directory = try TemporaryDirectory()
        server = try ControlServer(
            path: directory.socket, policy: policy, history: history, log: { lines.append($1) }, handler: handler)
    }

    deinit { server.stop() }

    func client() throws -> ControlClient { try ControlClient(path: directory.socket) }

    func log(_ event: Event) { server.logged(upTo: history.log(event)) }

    /// `echo` gives its parameters back, `refuse` refuses; others do not exist.
    static func answer(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        switch request.method {
        case "echo": reply(.success(request.params ?? .null))
        case "refuse":
            reply(.failure(ControlError(code: 67, message: "ambiguous", data: .object(["candidates": ["a", "b"]]))))
        case "drop": return
        default: reply(.failure(ControlError(code: ControlError.unknownMethod, message: "no such method")))
        }
    }
}

/// Log lines, from any thread.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
        arrived.signal()
    }

    /// Waits until a line holds `text`.
    func wait(for text: String) -> Bool {
        while !lines.withLock({ $0.contains { $0.contains(text) } }) {
            guard arrived.wait(timeout: .now() + 20) == .success else { return false }
        }
        return true
    }
}

/// A client that sends any bytes at all.
final class RawClient {
    private let number: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws {
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(number) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func finishSending() { shutdown(number, Int32(SHUT_WR)) }

    /// The next line as JSON; `nil` at the end of the stream.
    func line() throws -> JSONValue? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return try JSONValue(parsing: received[..<end])
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(number, &chunk, chunk.count, 0)
            guard count > 0 else {
                try #require(count == 0 || errno == ECONNRESET, "nothing came within 20 s")
                return nil
            }
            received += chunk.prefix(count)
        }
    }

    /// What the next line is refused with.
    func errorCode() throws -> Int64? { try line()?["error"]?["code"]?.integer }
}

/// send(2), which the method of that name hides.
private func systemSend(_ number: Int32, _ base: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(number, base, count, flags)
}

/// Holds requests back until the test wants them answered.
final class Replies: Sendable {
    private let waiting = Mutex<[@Sendable (ControlReply) -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        waiting.withLock { $0.append(reply) }
        arrived.signal()
    }

    /// Waits for `count` requests and answers them, the last one first.
    func answerBackwards(_ count: Int) -> Bool {
        for _ in 0..<count {
            guard arrived.wait(timeout: .now() + 20) == .success else { return false }
        }
        for reply in waiting.withLock({ $0 }).reversed() { reply(.success(.object([]))) }
        return true
    }
}

/// Keeps replies alive and never gives them.
final class Unanswered: Sendable {
    static let shared = Unanswered()
    private let kept = Mutex<[@Sendable (ControlReply) -> Void]>([])

    func keep(_ reply: @escaping @Sendable (ControlReply) -> Void) { kept.withLock { $0.append(reply) } }
}
