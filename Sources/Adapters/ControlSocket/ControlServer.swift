import Application
import Dispatch
import Domain
import Glibc

/// Serves the node to local clients: newline-delimited JSON-RPC 2.0 on a Unix socket.
///
/// Requests go to the handler; `subscribe` and `unsubscribe` are answered here, from the event log, so that a subscriber
/// can come back with a cursor and miss nothing. The protocol is described in docs/adr/0005-control-protocol.md.
///
/// `@unchecked Sendable`: everything that changes is touched on `queue` only; what is called from other threads hops there.
public final class ControlServer: @unchecked Sendable {
    /// Answers requests. Called on the server's own queue and must return at once; the reply may be given later, from any
    /// thread and in any order, once. One that is dropped without a reply is answered as an internal error.
    public typealias Handler = @Sendable (ControlRequest, @escaping @Sendable (ControlReply) -> Void) -> Void
    /// Takes lines for the log.
    public typealias Log = @Sendable (LogLevel, String) -> Void

    /// Where clients connect.
    public let path: String

    let policy: ControlPolicy
    let queue = DispatchQueue(label: "satchel.control")
    /// Reads the event log, which may block on the disk.
    let historyQueue = DispatchQueue(label: "satchel.control.history")
    let history: any EventHistory
    let log: Log
    private let handler: Handler
    private var socket: ListeningSocket?
    private var acceptSource: (any DispatchSourceRead)?
    private var stallTimer: (any DispatchSourceTimer)?
    private var connections: [UInt64: ControlConnection] = [:]
    private var lastConnection: UInt64 = 0
    /// Whether accepting pauses; a suspended source must be resumed before it is let go.
    private var isResting = false

    /// Opens the socket and serves at once.
    ///
    /// - Parameters:
    ///   - path: The socket's path, at most 107 bytes; its directory is made, with mode 0700, when it is missing.
    ///   - policy: Limits.
    ///   - history: The event log behind subscriptions.
    ///   - log: Takes lines about clients that were refused or cut off.
    ///   - handler: Answers every method but `subscribe` and `unsubscribe`; an unknown one with
    ///     ``ControlError/unknownMethod``.
    public init(
        path: String, policy: ControlPolicy = ControlPolicy(), history: any EventHistory, log: @escaping Log,
        handler: @escaping Handler
    ) throws(ControlSocketError) {
        self.policy = policy
        self.history = history
        self.log = log
        self.handler = handler
        self.path = path
        let socket = try ListeningSocket(path: path)
        self.socket = socket
        queue.sync { start(socket.descriptor) }
    }

    /// Says that events up to `sequence` are durable; wakes the subscribers. From any thread, returns at once.
    public func logged(upTo sequence: UInt64) {
        queue.async {
            for connection in self.ordered { connection.subscription?.wake(upTo: sequence) }
        }
    }

    /// Tells the subscribers what is worth knowing now and not kept. From any thread, returns at once.
    public func notice(_ notice: Notice) {
        queue.async {
            var line: [UInt8]?
            for connection in self.ordered {
                guard let subscription = connection.subscription, subscription.filter.wants(notice) else { continue }
                let bytes = line ?? RPCWriter.notification("notice", notice.json).line
                line = bytes
                connection.write(bytes)
            }
        }
    }

    /// Stops serving: closes every connection and takes the socket away. Returns when that is done; not from the handler.
    public func stop() {
        queue.sync {
            for connection in ordered { connection.close() }
            shutDown()
        }
    }

    deinit { shutDown() }

    private func shutDown() {
        wakeUp()
        acceptSource?.cancel()
        acceptSource = nil
        stallTimer?.cancel()
        stallTimer = nil
        socket?.remove()
        socket = nil
    }

    // MARK: For the connections, on the queue

    private var ordered: [ControlConnection] { connections.values.sorted { $0.id < $1.id } }

    func forget(_ connection: ControlConnection) { connections[connection.id] = nil }

    func handle(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        handler(request, reply)
    }

    // MARK: Accepting

    private func start(_ descriptor: Descriptor) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [weak self] in self?.acceptWaiting(on: descriptor) }
        // The descriptor must outlive its source: the handler holds it until the cancellation is through.
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.activate()
        acceptSource = source
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = DispatchTimeInterval.milliseconds(Int(clamping: max(policy.stallLimit.count / 4, 10)))
        timer.schedule(deadline: .now() + step, repeating: step)
        timer.setEventHandler { [weak self] in self?.cutOffStalled() }
        timer.activate()
        stallTimer = timer
    }

    private func acceptWaiting(on listening: Descriptor) {
        while true {
            let number = accept(listening.number, nil, nil)
            if number < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno != EAGAIN { rest(errno) }
                return
            }
            let descriptor = Descriptor(number)
            descriptor.closeOnExec()
            descriptor.nonBlocking()
            admit(descriptor)
        }
    }

    /// Without file descriptors the connection stays in the backlog and the socket stays readable: do not spin.
    private func rest(_ code: Int32) {
        log(.error, "control: accept: \(SystemCall.message(of: code))")
        guard let acceptSource, !isResting else { return }
        isResting = true
        acceptSource.suspend()
        let pause = DispatchTimeInterval.milliseconds(Int(clamping: policy.acceptPause.count))
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.wakeUp() }
    }

    private func wakeUp() {
        if isResting { acceptSource?.resume() }
        isResting = false
    }

    private func admit(_ descriptor: Descriptor) {
        guard let peer = UnixSocket.credentials(of: descriptor), peer.user == geteuid() || peer.user == 0 else {
            log(.warning, "control: a client of another user was refused")
            return
        }
        guard connections.count < policy.maximumClients else {
            log(
                .warning, "control: process \(peer.process) was refused, \(policy.maximumClients) clients are connected"
            )
            let error = ControlError(code: ControlError.busy, message: "too many clients")
            _ = UnixSocket.write(RPCWriter.response(to: .null, .failure(error)).line[...], to: descriptor)
            return
        }
        lastConnection += 1
        let connection = ControlConnection(
            id: lastConnection, descriptor: descriptor, process: peer.process, server: self)
        connections[connection.id] = connection
        connection.start()
    }

    private func cutOffStalled() {
        for connection in ordered { connection.checkProgress() }
    }
}
