import Glibc

/// Brings a fresh TCP connection to the point where it can be a link: connected, and hello exchanged.
final class Handshake: Watcher {
    let descriptor: Descriptor
    private let table: LinkTable
    private let hello: Hello
    private let finish: (Result<Hello, HandshakeFailure>) -> Void
    private var isConnecting: Bool
    private var received: [UInt8] = []
    private var timer: Reactor.TimerID?

    /// Starts.
    ///
    /// - Parameters:
    ///   - isConnecting: Whether the connection itself is still being made.
    ///   - finish: Called exactly once, unless ``cancel()`` comes first; on failure the descriptor is closed by then.
    init(
        _ descriptor: Descriptor, isConnecting: Bool, hello: Hello, table: LinkTable,
        finish: @escaping (Result<Hello, HandshakeFailure>) -> Void
    ) {
        self.descriptor = descriptor
        self.isConnecting = isConnecting
        self.hello = hello
        self.table = table
        self.finish = finish
    }

    func start() {
        table.reactor.add(self)
        if isConnecting {
            expire(after: table.policy.connectTimeout, "no answer")
        } else {
            greet()
        }
    }

    var interest: Int32 { isConnecting ? POLLOUT : POLLIN }

    func ready(_ events: Int32) {
        guard isConnecting else { return listen() }
        let code = pendingError(descriptor)
        guard code == 0 else { return end(.failure(.connection(errorText(code)))) }
        isConnecting = false
        greet()
    }

    /// Ends without a word to anybody.
    func cancel() {
        leave()
        descriptor.close()
    }

    private func greet() {
        expire(after: table.policy.handshakeTimeout, "no hello in time")
        let bytes = hello.bytes
        // A fresh connection's empty send buffer takes twenty bytes; one that does not is broken.
        guard send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return end(.failure(.connection("the hello could not be sent")))
        }
    }

    private func listen() {
        let (answer, bytes) = table.buffer.receive(descriptor, count: Hello.size - received.count)
        if answer < 0, wouldBlock(errno) { return }
        guard answer > 0 else {
            return end(.failure(.connection(answer == 0 ? "closed before the hello" : errorText(errno))))
        }
        received += bytes
        do {
            guard let theirs = try Hello(partial: received, ourselves: hello.node) else { return }
            end(.success(theirs))
        } catch {
            end(.failure(.hello(error)))
        }
    }

    private func expire(after delay: Int64, _ reason: String) {
        table.reactor.cancel(timer)
        timer = table.reactor.after(delay) { [unowned self] in end(.failure(.connection(reason))) }
    }

    private func end(_ result: Result<Hello, HandshakeFailure>) {
        leave()
        if case .failure = result { descriptor.close() }
        finish(result)
    }

    private func leave() {
        table.reactor.cancel(timer)
        table.reactor.remove(self)
    }
}

/// Why a TCP connection did not become a link.
enum HandshakeFailure: Error, CustomStringConvertible {
    case connection(String)
    case hello(Hello.Fault)

    var description: String {
        switch self {
        case .connection(let reason): reason
        case .hello(let fault): fault.description
        }
    }
}

extension Descriptor {
    /// Sets what every TCP link wants: small frames leave at once, and a neighbour that vanished is noticed.
    func setStreamOptions(_ policy: SocketLinksPolicy) {
        let tcp = Int32(IPPROTO_TCP)
        setOption(self, tcp, TCP_NODELAY, 1)
        setOption(self, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(self, tcp, TCP_KEEPIDLE, policy.keepaliveIdle)
        setOption(self, tcp, TCP_KEEPINTVL, policy.keepaliveInterval)
        setOption(self, tcp, TCP_KEEPCNT, policy.keepaliveProbes)
        setOption(self, tcp, TCP_USER_TIMEOUT, policy.unacknowledgedTimeout)
    }
}
