import Dispatch
import Domain

/// The server's side of one client. Lives on the server's queue.
///
/// `@unchecked Sendable`: everything that changes is touched on the server's queue only.
final class ControlConnection: @unchecked Sendable {
    /// Rises with every client.
    let id: UInt64
    /// The client's process, for the log.
    let process: Int32
    /// What the client is told of without asking again.
    private(set) var subscription: Subscription?

    private unowned let server: ControlServer
    private let descriptor: Descriptor
    private var reader: LineReader
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var outbound: [UInt8] = []
    /// How much of `outbound` has left.
    private var written = 0
    private var lastProgress = DispatchTime.now()
    private var pending = 0
    private var isClosed = false
    /// Set when nothing more is read and the connection closes after the last answer.
    private var isEnding = false

    /// How much is read at once.
    private static let chunk = 64 * 1024

    init(id: UInt64, descriptor: Descriptor, process: Int32, server: ControlServer) {
        self.id = id
        self.descriptor = descriptor
        self.process = process
        self.server = server
        reader = LineReader(limit: server.policy.lineLimit)
    }

    /// Bytes that wait to be written.
    var waiting: Int { outbound.count - written }

    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: server.queue)
        source.setEventHandler { [weak self] in self?.readWaiting() }
        let descriptor = descriptor
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.activate()
        readSource = source
    }

    /// Closes at once; what waits is lost.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        subscription?.cancel()
        subscription = nil
        readSource?.cancel()
        readSource = nil
        writeSource?.cancel()
        writeSource = nil
        outbound = []
        written = 0
        server.forget(self)
    }

    /// Cuts off a client that has not taken a waiting byte for too long.
    func checkProgress() {
        guard waiting > 0 else { return }
        let idle = DispatchTime.now().uptimeNanoseconds - lastProgress.uptimeNanoseconds
        let limit = server.policy.stallLimit.count
        guard idle / 1_000_000 >= UInt64(clamping: limit) else { return }
        cutOff("it has read nothing for \(limit / 1000) s while \(waiting) bytes wait")
    }

    private func cutOff(_ reason: String) {
        server.log(.warning, "control: client process \(process) was cut off: \(reason)")
        close()
    }

    // MARK: Reading

    private func readWaiting() {
        guard !isClosed, !isEnding else { return }
        switch UnixSocket.read(from: descriptor, limit: Self.chunk) {
        case .bytes(let bytes):
            reader.append(bytes)
            takeLines()
        case .end: if UnixSocket.isHungUp(descriptor) { close() } else { finish() }
        case .failed: close()
        case .wouldBlock: return
        }
    }

    private func takeLines() {
        while !isClosed, !isEnding {
            switch reader.next() {
            case .incomplete: return
            case .line(let line): take(RPCLine(parsing: line))
            case .tooLong:
                let message = "a line exceeds \(server.policy.lineLimit) bytes"
                server.log(.warning, "control: client process \(process): \(message)")
                answer(.null, .failure(ControlError(code: ControlError.invalidRequest, message: message)))
                finish()
            }
        }
    }

    /// Reads nothing more, and closes when all answers have left: a script may shut its writing side and still wait.
    private func finish() {
        isEnding = true
        subscription?.cancel()
        subscription = nil
        readSource?.cancel()
        readSource = nil
        closeIfDone()
    }

    private func closeIfDone() {
        if isEnding, pending == 0, waiting == 0 { close() }
    }

    private func take(_ line: RPCLine) {
        switch line {
        case .blank: return
        case .refused(let error): answer(.null, .failure(error))
        case .single(.invalid(let id, let error)): answer(id, .failure(error))
        case .single(.notification(let request)): perform(request) { _ in }
        case .single(.request(let id, let request)): perform(request) { [weak self] in self?.answer(id, $0) }
        case .batch(let calls) where calls.count > server.policy.maximumBatch:
            let message = "a batch has at most \(server.policy.maximumBatch) calls"
            answer(.null, .failure(ControlError(code: ControlError.invalidRequest, message: message)))
        case .batch(let calls): takeBatch(calls)
        }
    }

    private func takeBatch(_ calls: [RPCCall]) {
        let batch = BatchReply(calls) { [weak self] answers in
            if !answers.isEmpty { self?.write(JSONValue.array(answers).line) }
        }
        for (index, call) in calls.enumerated() {
            switch call {
            case .invalid(let id, let error): batch.fill(index, RPCWriter.response(to: id, .failure(error)))
            case .notification(let request): if !Self.isSubscription(request) { perform(request) { _ in } }
            case .request(let id, let request) where Self.isSubscription(request):
                // Its answer must stand before the first event, and a batch's answers wait for each other.
                let error = ControlError(
                    code: ControlError.invalidRequest, message: "\(request.method) cannot be part of a batch")
                batch.fill(index, RPCWriter.response(to: id, .failure(error)))
            case .request(let id, let request):
                perform(request) { batch.fill(index, RPCWriter.response(to: id, $0)) }
            }
        }
    }

    // MARK: Requests

    private static func isSubscription(_ request: ControlRequest) -> Bool {
        request.method == "subscribe" || request.method == "unsubscribe"
    }

    /// Performs a request; `reply` is called on the server's queue.
    private func perform(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        guard !isClosed else { return }
        switch request.method {
        case "subscribe": subscribe(request, reply)
        case "unsubscribe":
            subscription?.cancel()
            subscription = nil
            reply(.success(.object([])))
        default:
            guard pending < server.policy.maximumPending else {
                reply(.failure(ControlError(code: ControlError.busy, message: "too many requests in flight")))
                return
            }
            pending += 1
            let queue = server.queue
            let answer = PendingReply { [weak self] result in
                queue.async { [weak self] in
                    reply(result)
                    self?.answered()
                }
            }
            server.handle(request) { answer.give($0) }
        }
    }

    private func answered() {
        pending -= 1
        closeIfDone()
    }

    /// Forgets a subscription that came to nothing.
    func drop(_ failed: Subscription) {
        if subscription === failed { subscription = nil }
    }

    private func subscribe(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        guard let filter = EventFilter(params: request.params) else {
            let message = "subscribe takes {\"after\": number, \"types\": [names], \"log\": level}"
            reply(.failure(ControlError(code: ControlError.invalidParams, message: message)))
            return
        }
        subscription?.cancel()
        let subscription = Subscription(filter: filter, connection: self, server: server)
        self.subscription = subscription
        subscription.start(reply)
    }

    // MARK: Writing

    private func answer(_ id: JSONValue, _ reply: ControlReply) { write(RPCWriter.response(to: id, reply).line) }

    /// Queues bytes and sends what the socket takes now.
    func write(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        if waiting == 0 { lastProgress = .now() }
        outbound.append(contentsOf: bytes)
        if writeSource == nil { flush() }
        if waiting > server.policy.outboundLimit {
            cutOff("\(waiting) bytes wait for it, at most \(server.policy.outboundLimit) may")
        }
    }

    private func flush() {
        while waiting > 0 {
            switch UnixSocket.write(outbound[written...], to: descriptor) {
            case .bytes(let count):
                written += count
                lastProgress = .now()
            case .wouldBlock:
                compact()
                waitForSpace()
                return
            case .failed:
                close()
                return
            }
        }
        outbound.removeAll(keepingCapacity: outbound.capacity <= 2 * server.policy.outboundLowWater)
        written = 0
        writeSource?.cancel()
        writeSource = nil
        closeIfDone()
    }

    /// Drops what has left once it is the larger part, so that each byte is moved at most once on average.
    private func compact() {
        guard written > outbound.count / 2 else { return }
        outbound.removeFirst(written)
        written = 0
    }

    private func waitForSpace() {
        guard writeSource == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: server.queue)
        source.setEventHandler { [weak self] in
            guard let self, !isClosed else { return }
            flush()
            subscription?.pump()
        }
        let descriptor = descriptor
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.activate()
        writeSource = source
    }
}
