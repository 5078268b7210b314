import ControlSocket
import Domain
import Foundation
import Testing

@Suite("Control protocol", .timeLimit(.minutes(1)))
struct ProtocolTests {
    @Test("a request is answered under its own id", arguments: ["7", "\"seven\"", "null", "1.5", "-3"])
    func identifier(id: String) throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":{\"a\":1},\"id\":\(id)}\n")
        let answer = try #require(try client.line())
        #expect(answer["id"] == (try JSONValue(parsing: id)))
        #expect(answer["result"] == .object(["a": 1]))
        #expect(answer["jsonrpc"] == "2.0")
        #expect(answer["error"] == nil)
    }

    @Test("a notification gets no answer, not even a refusal")
    func notification() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"refuse\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n")
        #expect(try client.line()?["id"] == 1)
    }

    @Test(
        "what is not JSON is a parse error, and the connection lives on",
        arguments: [
            Array("{".utf8), Array("nonsense".utf8), Array("{\"jsonrpc\":\"2.0\"} {}".utf8), [0xFF, 0xFE, 0x00],
            Array("{\"jsonrpc\":\"2.0\",\"method\":\"".utf8) + [0xC3, 0x28] + Array("\",\"id\":1}".utf8),
            Array(String(repeating: "[", count: 5000).utf8),
        ])
    func parseError(bytes: [UInt8]) throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send(bytes + [0x0A])
        let answer = try #require(try client.line())
        #expect(answer["error"]?["code"] == -32700)
        #expect(answer["id"] == .null)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n")
        #expect(try client.line()?["id"] == 1)
    }

    @Test(
        "what is JSON and no request is an invalid request",
        arguments: [
            ("1", "null"), ("\"x\"", "null"), ("{}", "null"), ("[]", "null"),
            ("{\"jsonrpc\":\"1.0\",\"method\":\"echo\",\"id\":1}", "1"), ("{\"method\":\"echo\",\"id\":1}", "1"),
            ("{\"jsonrpc\":\"2.0\",\"id\":\"a\"}", "\"a\""), ("{\"jsonrpc\":\"2.0\",\"method\":5,\"id\":2}", "2"),
            ("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":3,\"id\":4}", "4"),
            ("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":{}}", "null"),
            ("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":true}", "null"),
            ("{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":9}", "9"),
        ])
    func invalidRequest(line: String, id: String) throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send(line + "\n")
        let answer = try #require(try client.line())
        #expect(answer["error"]?["code"] == -32600)
        #expect(answer["id"] == (try JSONValue(parsing: id)))
    }

    @Test("a refusal arrives with its code, message and data")
    func refusal() throws {
        let bench = try Bench()
        let client = try bench.client()
        let expected = ControlError(code: 67, message: "ambiguous", data: .object(["candidates": ["a", "b"]]))
        #expect(throws: ControlClientError.refused(expected)) { try client.call("refuse") }
    }

    @Test("an unknown method is the handler's to refuse")
    func unknownMethod() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"fly\",\"id\":1}\n")
        #expect(try client.errorCode() == -32601)
    }

    @Test("a request whose answer the handler forgets is answered as an internal error")
    func forgotten() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"drop\",\"id\":1}\n")
        #expect(try client.errorCode() == -32603)
    }

    @Test("a batch is answered in one line, in its order, without its notifications")
    func batch() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send(
            """
            [{"jsonrpc":"2.0","method":"echo","params":[1],"id":1},{"jsonrpc":"2.0","method":"echo"},5,\
            {"jsonrpc":"2.0","method":"fly","id":2},{"jsonrpc":"2.0","method":"subscribe","id":3}]

            """)
        let answers = try #require(try client.line()?.array)
        #expect(answers.map { $0["id"] } == [1, .null, 2, 3])
        #expect(answers.map { $0["error"]?["code"] } == [nil, -32600, -32601, -32600])
        #expect(answers.first?["result"] == [1])
    }

    @Test("a node that does not read cannot hold a caller beyond the time given")
    func unreadRequest() throws {
        let directory = try TemporaryDirectory()
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(directory.socket.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && listen(listening, 1) == 0)
        let client = try ControlClient(path: directory.socket)
        let params = JSONValue.array([.string(String(repeating: "x", count: 3 << 20))])
        #expect(throws: ControlClientError.timeout) { try client.call("echo", params, timeout: 50) }
        // Half a request has left: nothing can follow it.
        #expect(throws: ControlClientError.disconnected) { try client.call("echo", timeout: 50) }
    }

    @Test("a batch of too many calls is refused as a whole")
    func largeBatch() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        let call = "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}"
        let limit = ControlPolicy().maximumBatch
        client.send("[" + Array(repeating: call, count: limit + 1).joined(separator: ",") + "]\n")
        #expect(try client.errorCode() == -32600)
        client.send("[" + Array(repeating: call, count: limit).joined(separator: ",") + "]\n")
        #expect(try client.line()?.array?.count == limit)
    }

    @Test("a batch of notifications is not answered")
    func silentBatch() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("[{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}]\n{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n")
        #expect(try client.line()?["id"] == 1)
    }

    @Test(
        "lines may arrive in pieces of any size, ended by LF or CR LF, with blank ones between", arguments: [1, 2, 7])
    func pieces(size: Int) throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        let line = "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":[\"äöü\"],\"id\":"
        let bytes = Array("\(line)1}\r\n\n  \n\(line)2}\n".utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            client.send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        for id in 1...2 {
            let answer = try #require(try client.line())
            #expect(answer["id"] == .number(id))
            #expect(answer["result"] == ["äöü"])
        }
    }

    @Test("a thousand requests sent at once are all answered")
    func pipelined() throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send(
            (1...1000).map { "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":[\($0)],\"id\":\($0)}\n" }.joined())
        for id in 1...1000 { #expect(try client.line()?["result"] == [.number(id)], "answer \(id)") }
    }

    @Test("answers may come from other threads and in another order")
    func outOfOrder() throws {
        let waiting = Replies()
        let bench = try Bench { request, reply in waiting.take(request, reply) }
        let client = try bench.client()
        let numbers = try (0..<3).map { _ in try client.request("later") }
        try #require(waiting.answerBackwards(3))
        var seen: [UInt64] = []
        while seen.count < 3, case .reply(let number, .success)? = try client.next(timeout: .seconds(20)) {
            seen.append(number)
        }
        #expect(seen == numbers.reversed())
    }

    @Test("a line over the limit is refused and ends the connection, others go on")
    func oversized() throws {
        var policy = ControlPolicy()
        policy.lineLimit = 1000
        let bench = try Bench(policy: policy)
        let (fat, thin) = (try RawClient(bench.directory.socket), try bench.client())
        fat.send(
            "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1,\"params\":[\"" + String(repeating: "x", count: 2000))
        #expect(try fat.errorCode() == -32600)
        #expect(try fat.line() == nil)
        #expect(try thin.call("echo", [1]) == [1])
        #expect(bench.lines.wait(for: "exceeds 1000 bytes"))
    }

    @Test("a line of exactly the limit passes, one byte more does not", arguments: [(1000, true), (1001, false)])
    func lineLimit(length: Int, passes: Bool) throws {
        var policy = ControlPolicy()
        policy.lineLimit = 1000
        let bench = try Bench(policy: policy)
        let client = try RawClient(bench.directory.socket)
        let (head, tail) = ("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1,\"params\":[\"", "\"]}")
        client.send(head + String(repeating: "x", count: length - head.utf8.count - tail.utf8.count) + tail + "\n")
        #expect((try client.line()?["result"] != nil) == passes)
    }

    @Test("requests beyond the number in flight are refused, the others are answered")
    func tooManyPending() throws {
        var policy = ControlPolicy()
        policy.maximumPending = 2
        let waiting = Replies()
        let bench = try Bench(policy: policy) { request, reply in waiting.take(request, reply) }
        let client = try RawClient(bench.directory.socket)
        client.send((1...3).map { "{\"jsonrpc\":\"2.0\",\"method\":\"later\",\"id\":\($0)}\n" }.joined())
        let refused = try #require(try client.line())
        #expect(refused["id"] == 3)
        #expect(refused["error"]?["code"] == 75)
        try #require(waiting.answerBackwards(2))
        #expect(try client.line()?["id"] == 2)
        #expect(try client.line()?["id"] == 1)
    }

    @Test("who asks without reading is cut off, others go on")
    func greedy() throws {
        var policy = ControlPolicy()
        policy.outboundLimit = 100_000
        let bench = try Bench(policy: policy)
        let (greedy, modest) = (try RawClient(bench.directory.socket), try bench.client())
        let line =
            "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1,\"params\":[\"\(String(repeating: "x", count: 50_000))\"]}\n"
        for _ in 0..<100 { greedy.send(line) }
        #expect(bench.lines.wait(for: "was cut off"))
        #expect(try modest.call("echo", [1]) == [1])
    }

    @Test("a client that shuts its writing side still gets the answers")
    func halfClosed() throws {
        let waiting = Replies()
        let bench = try Bench { request, reply in waiting.take(request, reply) }
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"later\",\"id\":1}\n")
        client.finishSending()
        try #require(waiting.answerBackwards(1))
        #expect(try client.line()?["id"] == 1)
        #expect(try client.line() == nil)
    }
}
