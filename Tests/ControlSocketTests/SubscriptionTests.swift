import Application
import ControlSocket
import Dispatch
import Domain
import Synchronization
import Testing

@Suite("Control subscriptions", .timeLimit(.minutes(1)))
struct SubscriptionTests {
    private func next(_ client: ControlClient) throws -> (method: String, params: JSONValue) {
        try #require(try client.nextNotification(timeout: .seconds(20)))
    }

    private func sequences(_ count: Int, from client: ControlClient) throws -> [UInt64] {
        try (0..<count).map { _ in try #require(try next(client).params["sequence"]?.unsigned) }
    }

    @Test("an event arrives with its sequence and everything it says")
    func event() throws {
        let bench = try Bench()
        let client = try bench.client()
        #expect(try client.subscribe() == .object(["cursor": 0]))
        bench.log(.message("hello"))
        let (method, params) = try next(client)
        #expect(method == "event")
        #expect(try LoggedEvent(json: params) == LoggedEvent(sequence: 1, event: .message("hello")))
    }

    @Test("without a cursor it begins with what comes, with one right behind it", arguments: [nil, 3, 0] as [UInt64?])
    func cursor(after: UInt64?) throws {
        let bench = try Bench()
        bench.history.fill(5)
        let client = try bench.client()
        #expect(try client.subscribe(after: after)["cursor"]?.unsigned == after ?? 5)
        bench.log(.message("new"))
        let first = (after ?? 5) + 1
        #expect(try sequences(Int(6 - first + 1), from: client) == Array(first...6))
    }

    @Test("only wanted types come, and the cursor moves past the others")
    func types() throws {
        let bench = try Bench()
        let client = try bench.client()
        try client.subscribe(types: ["peer", "ping"])
        bench.log(.message("no"))
        bench.server.notice(.fileProgress(id: "f", sent: 1, total: 2))
        bench.log(.peerCame)
        #expect(try next(client).params["sequence"] == 2)
        bench.server.notice(.ping(PingResult(id: 4, peer: PeerID(rawValue: 1), roundTrip: 12, hops: nil)))
        let (method, params) = try next(client)
        #expect(method == "notice")
        #expect(params["type"] == "ping")
        #expect(params["roundTrip"] == 12)
        #expect(params["sequence"] == nil)
    }

    @Test("log lines come only to who asks, from the level asked for")
    func logLines() throws {
        let bench = try Bench()
        let (plain, curious) = (try bench.client(), try bench.client())
        try plain.subscribe()
        try curious.subscribe(log: "warning")
        bench.server.notice(.log(.info, "low"))
        bench.server.notice(.log(.error, "high"))
        bench.server.notice(.fileProgress(id: "f", sent: 1, total: 2))
        #expect(try next(curious).params["text"] == "high")
        #expect(try next(plain).params["type"] == "fileProgress")
    }

    @Test("a cursor older than the log is told what is missing")
    func missed() throws {
        let bench = try Bench()
        bench.history.fill(10)
        bench.history.forget(before: 7)
        let client = try bench.client()
        #expect(try client.subscribe(after: 2) == .object(["cursor": 6, "missed": true, "oldest": 7]))
        #expect(try sequences(4, from: client) == [7, 8, 9, 10])
        #expect(try client.subscribe(after: 6) == .object(["cursor": 6]))
    }

    @Test("rows that do not open are told as missed, the newest too", arguments: [1...1, 2...3, 4...5, 1...5])
    func damaged(sequences: ClosedRange<UInt64>) throws {
        let bench = try Bench()
        bench.history.fill(5)
        bench.history.damage(sequences)
        let client = try bench.client()
        try client.subscribe(after: 0)
        let (before, after) = (Array(1..<sequences.lowerBound), Array((sequences.upperBound + 1)..<6))
        #expect(try self.sequences(before.count, from: client) == before)
        let (method, params) = try next(client)
        #expect(method == "missed")
        #expect(params["oldest"]?.unsigned == sequences.upperBound + 1)
        #expect(try self.sequences(after.count, from: client) == after)
    }

    @Test("a cursor into a log that is empty now is told that events are missing")
    func emptyLog() throws {
        let bench = try Bench()
        let client = try bench.client()
        #expect(try client.subscribe(after: 7) == .object(["cursor": 0, "missed": true]))
        #expect(try client.subscribe(after: 0) == .object(["cursor": 0]))
    }

    @Test("a cursor from beyond the log's end, of a log that was wiped, begins anew")
    func foreignCursor() throws {
        let bench = try Bench()
        bench.history.fill(3)
        let client = try bench.client()
        #expect(try client.subscribe(after: .max) == .object(["cursor": 0, "missed": true, "oldest": 1]))
        #expect(try sequences(3, from: client) == [1, 2, 3])
    }

    @Test(
        "parameters that make no sense are refused",
        arguments: [
            "{\"after\":-1}", "{\"after\":\"x\"}", "{\"after\":1.5}", "{\"types\":\"peer\"}", "{\"types\":[1]}",
            "{\"log\":\"loud\"}", "{\"log\":3}", "[1]",
        ])
    func senseless(params: String) throws {
        let bench = try Bench()
        let client = try RawClient(bench.directory.socket)
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"subscribe\",\"id\":1,\"params\":\(params)}\n")
        #expect(try client.errorCode() == -32602)
    }

    @Test("after unsubscribe nothing comes, and a new subscription resumes")
    func unsubscribe() throws {
        let bench = try Bench()
        let client = try bench.client()
        try client.subscribe()
        bench.log(.message("one"))
        #expect(try sequences(1, from: client) == [1])
        _ = try client.call("unsubscribe")
        bench.log(.message("two"))
        _ = try client.call("echo", [1])
        #expect(try client.nextNotification(timeout: 0) == nil)
        try client.subscribe(after: 1)
        #expect(try sequences(1, from: client) == [2])
    }

    @Test("a log that cannot be read is an error, not silence")
    func broken() throws {
        let bench = try Bench()
        let (early, late) = (try bench.client(), try bench.client())
        try early.subscribe()
        bench.history.breakDown()
        #expect(throws: ControlClientError.self) { try late.subscribe() }
        bench.log(.message("lost"))
        #expect(throws: ControlClientError.disconnected) { try early.nextNotification(timeout: .seconds(20)) }
        #expect(bench.lines.wait(for: "cannot be read"))
    }

    @Test("a log that is cut under a lagging subscriber is told as a gap")
    func gap() throws {
        var policy = ControlPolicy()
        policy.outboundLowWater = 1000
        policy.pageSize = 4
        let bench = try Bench(policy: policy)
        bench.history.fill(2000, text: String(repeating: "x", count: 1000))
        let client = try bench.client()
        try client.subscribe(after: 1)
        // The kernel's buffers hold some hundred of these; the rest is not read from the log yet.
        bench.history.forget(before: 1990)
        var last: UInt64 = 1
        var gaps: [JSONValue] = []
        while last < 2000 {
            let (method, params) = try next(client)
            if method == "missed" {
                gaps.append(params)
                #expect(params["after"]?.unsigned == last)
                last = try #require(params["oldest"]?.unsigned) - 1
            } else {
                #expect(params["sequence"]?.unsigned == last + 1)
                last += 1
            }
        }
        #expect(gaps.count == 1)
        #expect(gaps.first?["oldest"] == 1990)
    }

    @Test("nothing is missed and nothing comes twice across reconnects while events are logged")
    func resume() throws {
        var policy = ControlPolicy()
        policy.pageSize = 7
        let bench = try Bench(policy: policy)
        let total: UInt64 = 3000
        let (server, history) = (bench.server, bench.history)
        let writer = DispatchQueue(label: "writer")
        writer.async {
            for _ in 0..<total { server.logged(upTo: history.log(.message("hello"))) }
        }
        var last: UInt64 = 0
        var connections = 0
        while last < total {
            let client = try bench.client()
            connections += 1
            #expect(try client.subscribe(after: last) == .object(["cursor": .number(last)]))
            for _ in 0..<min(100, total - last) {
                let sequence = try #require(try next(client).params["sequence"]?.unsigned)
                try #require(sequence == last + 1)
                last = sequence
            }
        }
        writer.sync {}
        #expect(connections == 30)
    }

    @Test("a subscriber that stops reading is cut off, another gets everything")
    func slow() throws {
        var policy = ControlPolicy()
        policy.stallLimit = .seconds(2)
        policy.outboundLowWater = 10_000
        let bench = try Bench(policy: policy)
        let (slow, quick) = (try bench.client(), try bench.client())
        try slow.subscribe()
        try quick.subscribe()
        let total = 2000
        let (server, history) = (bench.server, bench.history)
        DispatchQueue(label: "writer").async {
            for _ in 0..<total { server.logged(upTo: history.log(.message(String(repeating: "x", count: 1000)))) }
        }
        #expect(try sequences(total, from: quick) == Array(1...UInt64(total)))
        #expect(bench.lines.wait(for: "read nothing"))
        // What was on its way can still be read, then the connection is over; the cursor resumes on another.
        var last: UInt64 = 0
        let end = #expect(throws: ControlClientError.self) {
            while true { last = try #require(try next(slow).params["sequence"]?.unsigned) }
        }
        #expect(end == .disconnected)
        #expect(last < UInt64(total))
        let again = try bench.client()
        try again.subscribe(after: last)
        #expect(try sequences(total - Int(last), from: again) == Array(last + 1...UInt64(total)))
    }

    @Test("notices that pile up cut a subscriber off before they fill the memory")
    func noticeFlood() throws {
        var policy = ControlPolicy()
        policy.outboundLimit = 100_000
        let bench = try Bench(policy: policy)
        let client = try bench.client()
        try client.subscribe(log: "debug")
        let text = String(repeating: "x", count: 10_000)
        for _ in 0..<200 { bench.server.notice(.log(.debug, text)) }
        #expect(bench.lines.wait(for: "at most 100000 may"))
    }

    @Test("a slow log does not keep requests waiting")
    func slowLog() throws {
        let history = GatedHistory()
        let directory = try TemporaryDirectory()
        let server = try ControlServer(
            path: directory.socket, history: history, log: { _, _ in }, handler: Bench.answer)
        defer { server.stop() }
        let client = try ControlClient(path: directory.socket)
        let subscribed = try client.request("subscribe")
        #expect(try client.call("echo", [1]) == [1])
        history.open()
        let message = try #require(try client.next(timeout: .seconds(20)))
        #expect(message == .reply(subscribed, .success(.object(["cursor": 0]))))
    }
}

/// A log that answers only after it was opened.
private final class GatedHistory: EventHistory {
    private let gate = DispatchSemaphore(value: 0)
    func open() { gate.signal() }
    func events(after sequence: UInt64, limit: Int) throws -> [LoggedEvent] { [] }
    func bounds() throws -> ClosedRange<UInt64>? {
        gate.wait()
        return nil
    }
}
