import Domain
import Glibc

/// Why a client could not talk to the node.
public enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing listens on the path: there is no socket, or a dead node's.
    case notRunning(path: String)
    /// The socket is another user's, or our user may not open it.
    case permission(path: String)
    /// The path does not fit a Unix socket address; its length in bytes and the most that fits.
    case pathTooLong(path: String, bytes: Int, limit: Int)
    /// The node closed the connection.
    case disconnected
    /// No answer came in time.
    case timeout
    /// The node, or whatever listens there, does not speak the protocol; says how.
    case malformed(String)
    /// The node refused.
    case refused(ControlError)
    /// The system refused; the call and errno.
    case system(call: String, code: Int32)

    /// What is wrong, for a person.
    public var description: String {
        switch self {
        case .notRunning(let path): "no node is running on \(path)"
        case .permission(let path): "the control socket \(path) belongs to another user"
        case .pathTooLong(let path, let bytes, let limit):
            "the control socket's path is \(bytes) bytes long, at most \(limit) fit: \(path)"
        case .disconnected: "the node closed the connection"
        case .timeout: "the node did not answer in time"
        case .malformed(let problem): "the node's answer is not understood: \(problem)"
        case .refused(let error): error.message
        case .system(let call, let code): "\(call): \(SystemCall.message(of: code))"
        }
    }
}

/// What the node sent.
public enum ControlMessage: Hashable, Sendable {
    /// The answer to the request of that number.
    case reply(UInt64, ControlReply)
    /// `event`, `notice` or `missed`, and its parameters.
    case notification(method: String, params: JSONValue)
}

/// A blocking connection to the node, for one thread.
public final class ControlClient {
    private let descriptor: Descriptor
    private var reader: LineReader
    /// What was read while something else was awaited, oldest first.
    private var queued: [ControlMessage] = []
    private var lastRequest: UInt64 = 0
    private let lineLimit: Int
    /// Whether a request was sent in part only: whatever followed would be taken for its rest.
    private var isCut = false

    /// How much is read at once.
    private static let chunk = 64 * 1024

    /// Connects.
    public init(path: String, policy: ControlPolicy = ControlPolicy()) throws(ControlClientError) {
        let bytes = path.utf8.count
        guard bytes <= UnixSocket.pathLimit else {
            throw .pathTooLong(path: path, bytes: bytes, limit: UnixSocket.pathLimit)
        }
        guard let descriptor = UnixSocket.open() else { throw .system(call: "socket", code: errno) }
        let result = UnixSocket.withAddress(path) { address, length in connect(descriptor.number, address, length) }
        if result != 0 {
            switch errno {
            case ENOENT, ECONNREFUSED, ENOTSOCK, ENOTDIR: throw .notRunning(path: path)
            case EACCES, EPERM: throw .permission(path: path)
            default: throw .system(call: "connect", code: errno)
            }
        }
        let (own, server) = (geteuid(), UnixSocket.credentials(of: descriptor)?.user)
        guard own == 0 || server == own || server == 0 else { throw .permission(path: path) }
        self.descriptor = descriptor
        lineLimit = policy.lineLimit
        reader = LineReader(limit: policy.outboundLimit)
    }

    /// The socket, to be polled for reading. Readiness does not tell of what was read already: ask ``next(timeout:)`` with
    /// no time to wait until it has nothing more, before polling.
    public var fileDescriptor: Int32 { descriptor.number }

    /// Asks, and waits for the answer; notifications that come in between are kept.
    ///
    /// - Parameters:
    ///   - method: The verb.
    ///   - params: An object or an array.
    ///   - timeout: How long to wait; `nil`: for ever.
    /// - Returns: The result. A refusal is thrown as ``ControlClientError/refused(_:)``.
    public func call(
        _ method: String, _ params: JSONValue? = nil, timeout: Milliseconds? = .seconds(30)
    ) throws(ControlClientError) -> JSONValue {
        let deadline = Deadline(in: timeout)
        let number = try request(method, params, until: deadline)
        while let message = try next(until: deadline) {
            guard case .reply(number, let reply) = message else {
                queued.append(message)
                continue
            }
            switch reply {
            case .success(let result): return result
            case .failure(let error): throw .refused(error)
            }
        }
        throw .timeout
    }

    /// Asks to be told of events after a cursor; ``next(timeout:)`` and ``nextNotification(timeout:)`` give them.
    ///
    /// - Parameters:
    ///   - after: The last event that is known; `nil`: begin with what comes from now on.
    ///   - types: Wanted types of events and notices; `nil`: all.
    ///   - log: The lowest level of log lines wanted; `nil`: none.
    /// - Returns: Where the log stands for us: `cursor`, and `missed` and `oldest` when events are gone.
    @discardableResult
    public func subscribe(
        after: UInt64? = nil, types: [String]? = nil, log: String? = nil
    ) throws(ControlClientError) -> JSONValue {
        try call(
            "subscribe",
            .object([
                "after": after.map { .number($0) }, "types": types.map { .array($0.map { .string($0) }) },
                "log": log.map { .string($0) },
            ]))
    }

    /// Asks and does not wait for the answer, which comes as ``ControlMessage/reply(_:_:)`` under the number returned.
    ///
    /// - Parameter timeout: How long the node may take to read the request; `nil`: for ever.
    public func request(
        _ method: String, _ params: JSONValue? = nil, timeout: Milliseconds? = .seconds(30)
    ) throws(ControlClientError) -> UInt64 {
        try request(method, params, until: Deadline(in: timeout))
    }

    private func request(
        _ method: String, _ params: JSONValue?, until deadline: Deadline
    ) throws(ControlClientError) -> UInt64 {
        lastRequest += 1
        let line = RPCWriter.request(ControlRequest(method: method, params: params), id: lastRequest).line
        guard line.count - 1 <= lineLimit else {
            let message = "the request is \(line.count - 1) bytes long, the node takes \(lineLimit)"
            throw .refused(ControlError(code: ControlError.invalidRequest, message: message))
        }
        try send(line, until: deadline)
        return lastRequest
    }

    /// The next message of either kind; `nil` when none came in time.
    ///
    /// - Parameter timeout: How long to wait; `nil`: for ever; 0: only what is there.
    public func next(timeout: Milliseconds?) throws(ControlClientError) -> ControlMessage? {
        if !queued.isEmpty { return queued.removeFirst() }
        return try next(until: Deadline(in: timeout))
    }

    /// The next notification; `nil` when none came in time. Answers that come in between are kept.
    ///
    /// - Parameter timeout: How long to wait; `nil`: for ever; 0: only what is there.
    public func nextNotification(
        timeout: Milliseconds?
    ) throws(ControlClientError) -> (method: String, params: JSONValue)? {
        for (index, message) in queued.enumerated() {
            guard case .notification(let method, let params) = message else { continue }
            queued.remove(at: index)
            return (method, params)
        }
        let deadline = Deadline(in: timeout)
        while let message = try next(until: deadline) {
            if case .notification(let method, let params) = message { return (method, params) }
            queued.append(message)
        }
        return nil
    }

    // MARK: Lines

    private func next(until deadline: Deadline) throws(ControlClientError) -> ControlMessage? {
        while true {
            switch reader.next() {
            case .tooLong: throw .malformed("a line exceeds \(reader.limit) bytes")
            case .line(let line): if let message = try message(of: line) { return message }
            case .incomplete: guard try fill(until: deadline) else { return nil }
            }
        }
    }

    private func message(of line: [UInt8]) throws(ControlClientError) -> ControlMessage? {
        let json: JSONValue
        do { json = try JSONValue(parsing: line) } catch { throw .malformed(error.description) }
        if let method = json["method"]?.string {
            return .notification(method: method, params: json["params"] ?? .object([]))
        }
        if let number = json["id"]?.unsigned {
            if let result = json["result"] { return .reply(number, .success(result)) }
            if let error = json["error"] { return .reply(number, .failure(ControlError(json: error))) }
        }
        // An error that belongs to no request: the node could not read what we sent, or has no room for us.
        if let error = json["error"] { throw .refused(ControlError(json: error)) }
        throw .malformed("neither an answer nor a notification")
    }

    /// Reads what there is, waiting for it until the deadline.
    private func fill(until deadline: Deadline) throws(ControlClientError) -> Bool {
        while true {
            switch UnixSocket.read(from: descriptor, limit: Self.chunk) {
            case .bytes(let bytes):
                reader.append(bytes)
                return true
            case .end: throw .disconnected
            case .failed(ECONNRESET): throw .disconnected
            case .failed(let code): throw .system(call: "recv", code: code)
            case .wouldBlock: guard try wait(for: POLLIN, until: deadline) else { return false }
            }
        }
    }

    private func send(_ line: [UInt8], until deadline: Deadline) throws(ControlClientError) {
        guard !isCut else { throw .disconnected }
        var rest = line[...]
        while !rest.isEmpty {
            switch UnixSocket.write(rest, to: descriptor) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                guard try wait(for: POLLOUT, until: deadline) else {
                    isCut = rest.count < line.count
                    throw .timeout
                }
            case .failed(EPIPE), .failed(ECONNRESET): throw try lastWords() ?? .disconnected
            case .failed(let code): throw .system(call: "send", code: code)
            }
        }
    }

    /// What the node said before it closed, such as that it has no room.
    private func lastWords() throws(ControlClientError) -> ControlClientError? {
        do {
            while let message = try next(until: Deadline(in: 0)) { queued.append(message) }
        } catch .refused(let error) { return .refused(error) } catch { return nil }
        return nil
    }

    private func wait(for events: Int32, until deadline: Deadline) throws(ControlClientError) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 { return true }
            if count == 0 { return false }
            guard errno == EINTR else { throw .system(call: "poll", code: errno) }
        }
    }
}

/// A point on the monotonic clock, or never.
private struct Deadline {
    private let end: Int64?

    init(in span: Milliseconds?) { end = span.map { Self.now + max($0.count, 0) } }

    /// What is left, as poll(2) takes it: rounded down to a day, -1 for ever.
    var milliseconds: Int32 {
        guard let end else { return -1 }
        return Int32(min(max(end - Self.now, 0), 86_400_000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
