import Application
import ControlSocket
import Dispatch
import Domain
import Foundation
import Synchronization
import Terminal
import Testing

@testable import App

/// A node that knows bob, and logs what is said to it.
private final class FakeNode: EventHistory {
    static let bob = PeerID(rawValue: 0x1A2B_0000_0000_0002)
    static let own = PeerID(rawValue: 0x00FF_0000_0000_0001)

    private struct State {
        var events: [LoggedEvent] = []
        var requests: [ControlRequest] = []
        var server: ControlServer?
        var nobodyHere = false
    }
    private let state = Mutex(State())
    let path: String
    private let directory: String

    init(policy: ControlPolicy = ControlPolicy()) throws {
        directory = "/tmp/chat-\(UUID().uuidString.prefix(8))"
        path = directory + "/socket"
        let server = try ControlServer(path: path, policy: policy, history: self, log: { _, _ in }) {
            [weak self] request, reply in self?.answer(request, reply)
        }
        state.withLock { $0.server = server }
    }

    func stop() {
        state.withLock { $0.server }?.stop()
        state.withLock { $0.server = nil }
        try? FileManager.default.removeItem(atPath: directory)
    }

    func events(after sequence: UInt64, limit: Int) throws -> [LoggedEvent] {
        state.withLock { Array($0.events.drop { $0.sequence <= sequence }.prefix(limit)) }
    }

    func bounds() throws -> ClosedRange<UInt64>? {
        state.withLock { state in
            state.events.last.map { 1...$0.sequence }
        }
    }

    func log(_ event: Event) {
        let (sequence, server) = state.withLock { state in
            state.events.append(LoggedEvent(sequence: UInt64(state.events.count) + 1, event: event))
            return (UInt64(state.events.count), state.server)
        }
        server?.logged(upTo: sequence)
    }

    func requests(_ method: String) -> [JSONValue?] {
        state.withLock { $0.requests.filter { $0.method == method }.map(\.params) }
    }

    func beAlone() { state.withLock { $0.nobodyHere = true } }

    func say(_ id: String, _ text: String, privately: Bool) {
        let message = ChatMessage(
            id: id, sender: Self.bob, senderName: "bob", peer: privately ? Self.bob : nil, text: text,
            sentAt: WallTime(milliseconds: 1000), receivedAt: WallTime(milliseconds: 1000), isOwn: false)
        log(privately ? .privateMessage(message) : .publicMessage(message))
    }

    private func answer(_ request: ControlRequest, _ reply: (ControlReply) -> Void) {
        state.withLock { $0.requests.append(request) }
        switch request.method {
        case "identity":
            reply(.success(.object(["id": .string(Self.own.hex), "nickname": "anna", "fingerprint": "00ff"])))
        case "peers":
            let isAlone = state.withLock { $0.nobodyHere }
            let bob = JSONValue.object([
                "id": .string(Self.bob.hex), "nickname": "bob", "displayName": "bob", "fingerprint": "1a2b",
                "noiseKey": "", "isConnected": true, "isReachable": true,
            ])
            reply(.success(.object(["peers": .array(isAlone ? [] : [bob])])))
        case "send": send(request.params ?? .null, reply)
        case "ping":
            reply(.success(.object(["peer": .string(Self.bob.hex), "roundTrip": 12, "hops": 1])))
        case "markRead", "sendFile": reply(.success(.object([])))
        default: reply(.failure(ControlError(code: 64, message: "no \(request.method)")))
        }
    }

    private func send(_ params: JSONValue, _ reply: (ControlReply) -> Void) {
        let text = params["text"]?.string ?? ""
        guard text != "refuse me" else {
            return reply(.failure(ControlError(code: 75, message: "nobody is in reach")))
        }
        let peer = params["to"]?.string.flatMap { PeerID(hex: $0) }
        let message = ChatMessage(
            id: UUID().uuidString, sender: Self.own, senderName: "anna", peer: peer, text: text,
            sentAt: WallTime(milliseconds: 1000), receivedAt: WallTime(milliseconds: 1000), isOwn: true)
        reply(.success(.object(["ids": [.string(message.id)]])))
        log(peer == nil ? .publicMessage(message) : .privateMessage(message))
    }
}

/// The exit code of a chat that runs elsewhere.
private final class Outcome: Sendable {
    private let code = Mutex<Int32?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    func end(_ code: Int32?) {
        self.code.withLock { $0 = code }
        ended.signal()
    }

    /// `nil` when the chat does not end within 20 s.
    func wait() -> Int32? {
        guard ended.wait(timeout: .now() + 20) == .success else { return nil }
        return code.withLock { $0 }
    }
}

/// A chat whose lines come from a pipe and whose output goes to another.
private final class Script {
    private let input: [Int32]
    private let output: [Int32]
    private let outcome = Outcome()
    private var received: [UInt8] = []

    init(_ node: FakeNode, json: Bool = false, cursorPath: String? = nil) throws {
        (input, output) = (Self.makePipe(), Self.makePipe())
        var options = ChatSession.Options()
        options.isJSON = json
        options.cursorPath = cursorPath
        options.catchesSignals = false
        (options.terminal.input, options.terminal.output) = (input[0], output[1])
        let (path, chosen, out) = (node.path, options, output[1])
        DispatchQueue(label: "chat").async { [outcome] in
            let client = try? ControlClient(path: path)
            let code = client.map { ChatSession(client: $0, options: chosen).run() }
            close(out)
            outcome.end(code)
        }
    }

    deinit { for descriptor in [input[0], output[0]] { close(descriptor) } }

    private static func makePipe() -> [Int32] {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        return ends
    }

    func type(_ lines: String...) {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        _ = bytes.withUnsafeBytes { write(input[1], $0.baseAddress, $0.count) }
    }

    func endInput() { close(input[1]) }

    /// The next line of output; `nil` at its end, or when none comes within 20 s.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var entry = pollfd(fd: output[0], events: Int16(POLLIN), revents: 0)
            var chunk = [UInt8](repeating: 0, count: 4096)
            guard poll(&entry, 1, 20_000) > 0, case let count = read(output[0], &chunk, chunk.count), count > 0
            else { return nil }
            received += chunk.prefix(count)
        }
    }

    /// Reads until a line holds `text`.
    func wait(for text: String) -> String? {
        while let line = line() { if line.contains(text) { return line } }
        return nil
    }

    /// The rest of the output and the exit code.
    func finish() -> (lines: [String], code: Int32?) {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return (lines, outcome.wait())
    }
}

@Suite("Chat session", .timeLimit(.minutes(1)))
struct ChatSessionTests {
    @Test("a script's lines are done in their order, and what the node logs is shown")
    func script() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node)
        #expect(chat.line() == "-- you are anna#00ff; 1 person is here; /help lists the commands")
        chat.type("/who", "hello all")
        #expect(chat.line() == "-- bob")
        #expect(chat.line()?.hasSuffix(" <anna#00ff> hello all") ?? false)
        chat.type("/msg bob  psst", "and more", "/close", "/fly", "/join x")
        chat.endInput()
        let (lines, code) = chat.finish()
        #expect(code == 0)
        #expect(lines.contains("-- there is no command /fly; /help lists them"))
        #expect(lines.contains("-- /join is not supported yet"))
        let to = JSONValue.string(FakeNode.bob.hex)
        #expect(
            node.requests("send") == [
                .object(["text": "hello all"]), .object(["text": " psst", "to": to]),
                .object(["text": "and more", "to": to]),
            ])
    }

    @Test("what a script says to somebody who is not there is said to nobody")
    func astray() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node)
        chat.type("/msg ghost hello", "secret", "/close", "public")
        chat.endInput()
        let (lines, code) = chat.finish()
        #expect(code == 0)
        #expect(lines.contains("-- nobody here is called ghost"))
        #expect(lines.contains { $0.hasPrefix("-- not said") })
        #expect(node.requests("send") == [.object(["text": "public"])])
    }

    @Test("private messages are acknowledged when their thread is opened, not before")
    func receipts() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node)
        #expect(chat.wait(for: "you are anna") != nil)
        node.say("m1", "psst", privately: true)
        #expect(chat.line() == "-- bob#1a2b wrote to you; /open bob#1a2b")
        #expect(node.requests("markRead") == [])
        chat.type("/open bob")
        #expect(chat.line()?.hasSuffix("<bob#1a2b> psst") ?? false)
        #expect(chat.line() == "-- private conversation with bob#1a2b")
        node.say("m2", "still there?", privately: true)
        #expect(chat.line()?.hasSuffix("<bob#1a2b> still there?") ?? false)
        chat.endInput()
        #expect(chat.finish().code == 0)
        let peer = JSONValue.string(FakeNode.bob.hex)
        #expect(
            node.requests("markRead") == [
                .object(["peer": peer, "ids": ["m1"]]), .object(["peer": peer, "ids": ["m2"]]),
            ])
    }

    @Test("the answer to a ping comes before a script ends, in the view where it was asked")
    func ping() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node, json: true)
        chat.type("/ping bob", "/open bob")
        chat.endInput()
        let (lines, code) = chat.finish()
        #expect(code == 0)
        let pong = try #require(lines.compactMap { try? JSONValue(parsing: $0) }.first { $0["code"] == "ping.pong" })
        #expect(pong["view"] == "mesh")
        #expect(pong["text"] == "pong from bob#1a2b: 12 ms · direct (1 hop)")
        #expect(pong["data"]?["roundTrip"] == 12)
    }

    @Test("with --json every line is one object, and texts are raw")
    func json() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node, json: true)
        #expect(chat.wait(for: "started") != nil)
        node.say("1", "a\u{1B}[2J\nb", privately: false)
        let event = try JSONValue(parsing: try #require(chat.line()))
        #expect(event["type"] == "publicMessage")
        #expect(event["text"] == "a\u{1B}[2J\nb")
        chat.type("refuse me")
        let refusal = try JSONValue(parsing: try #require(chat.line()))
        #expect(refusal["code"] == "send.failed")
        #expect(refusal["data"]?["error"] == 75)
        chat.endInput()
        for line in chat.finish().lines { #expect((try? JSONValue(parsing: line))?.members != nil) }
    }

    @Test("what was not seen the last time is new, what was seen is not")
    func cursor() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let cursor = "/tmp/cursor-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: cursor) }
        node.say("1", "before the first start", privately: true)
        let first = try Script(node, cursorPath: cursor)
        #expect(first.line() == "-- you are anna#00ff; 1 person is here; /help lists the commands")
        first.endInput()
        #expect(first.finish().lines == [])
        node.say("2", "while away", privately: true)
        for _ in 0..<2 {
            // Not opened the first time, so it is new the second time as well.
            let chat = try Script(node, cursorPath: cursor)
            #expect(chat.wait(for: "wrote to you") == "-- bob#1a2b wrote to you (1 unread); /open bob#1a2b")
            chat.endInput()
            #expect(chat.finish().code == 0)
        }
        let reader = try Script(node, cursorPath: cursor)
        reader.type("/open bob")
        #expect(reader.wait(for: "while away") != nil)
        reader.endInput()
        #expect(reader.finish().code == 0)
        let last = try Script(node, cursorPath: cursor)
        last.endInput()
        #expect(!last.finish().lines.contains { $0.contains("unread") })
    }

    @Test("a private file cannot go to everyone by mistake")
    func privateFile() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node)
        chat.type("/open bob", "/send /etc/hostname", "/close", "/send /nonexistent/x")
        chat.endInput()
        let (lines, _) = chat.finish()
        #expect(lines.contains { $0.contains("files in private conversations are not supported yet") })
        #expect(lines.contains { $0.contains("/nonexistent/x") })
        #expect(node.requests("sendFile") == [])
    }

    @Test("a gesture goes to the view that is open; in a thread to the one it is meant for")
    func emotes() throws {
        let node = try FakeNode()
        defer { node.stop() }
        let chat = try Script(node)
        chat.type("/hug bob", "/slap @ghost", "/open bob", "/slap bob")
        chat.endInput()
        let (lines, _) = chat.finish()
        #expect(lines.contains("-- nobody here is called ghost"))
        #expect(
            node.requests("send") == [
                .object(["text": "* 🫂 anna hugs bob *"]),
                .object([
                    "text": "* 🐟 anna slaps you around a bit with a large trout *",
                    "to": .string(FakeNode.bob.hex),
                ]),
            ])
    }

    @Test("a node that goes away ends the chat with 74")
    func gone() throws {
        let node = try FakeNode()
        let chat = try Script(node)
        #expect(chat.wait(for: "you are anna") != nil)
        node.stop()
        let (lines, code) = chat.finish()
        #expect(lines == ["-- the node closed the connection"])
        #expect(code == 74)
    }

    @Test("whoever reads no more ends the chat, not the process")
    func brokenPipe() throws {
        // What the command line does at its start.
        signal(SIGPIPE, SIG_IGN)
        let node = try FakeNode()
        defer { node.stop() }
        node.beAlone()
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        var input: [Int32] = [0, 0]
        pipe(&input)
        defer { for descriptor in input { close(descriptor) } }
        close(ends[0])
        var options = ChatSession.Options()
        options.catchesSignals = false
        (options.terminal.input, options.terminal.output) = (input[0], ends[1])
        #expect(ChatSession(client: try ControlClient(path: node.path), options: options).run() == 74)
        close(ends[1])
    }

    @Test("a node without room for another client ends the chat with 75")
    func noRoom() throws {
        var policy = ControlPolicy()
        policy.maximumClients = 0
        let node = try FakeNode(policy: policy)
        defer { node.stop() }
        let chat = try Script(node)
        #expect(chat.finish().code == 75)
    }

    @Test("a view shows every row that opening it acknowledges, and the start says how much it leaves out")
    func longViews() throws {
        let node = try FakeNode()
        defer { node.stop() }
        for number in 1...30 { node.say("p\(number)", "public \(number)", privately: false) }
        let cursor = "/tmp/cursor-\(UUID().uuidString.prefix(8))"
        try Data("30\n".utf8).write(to: URL(fileURLWithPath: cursor))
        defer { try? FileManager.default.removeItem(atPath: cursor) }
        for number in 1...25 { node.say("s\(number)", "secret \(number)", privately: true) }
        let chat = try Script(node, cursorPath: cursor)
        #expect(chat.line()?.contains("public 11") == true)
        #expect(chat.wait(for: "older rows")?.hasPrefix("-- 10 older rows are not shown") == true)
        chat.type("/open bob")
        #expect(chat.wait(for: "secret")?.hasSuffix("secret 1") == true)
        #expect(chat.wait(for: "secret 25") != nil)
        chat.type("/send -")
        #expect(chat.wait(for: "not supported yet; /close first") != nil)
        chat.type("/close", "/send -")
        #expect(chat.wait(for: "no file can come from there") != nil)
        chat.endInput()
        #expect(chat.finish().code == 0)
        #expect(node.requests("markRead").compactMap { $0?["ids"]?.array?.count } == [25])
    }
}
