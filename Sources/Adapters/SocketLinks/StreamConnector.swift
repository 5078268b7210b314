import Application
import Glibc

/// Keeps one TCP link to one configured address: resolves, connects, waits, and starts again when the link is lost.
final class StreamConnector {
    private enum State {
        case idle
        case resolving
        case trying(Handshake, LinkQuota.Place)
        case up
        case waiting(Reactor.TimerID)
        case stopped
    }

    private let number: Int
    private let target: HostPort
    private let hello: Hello
    private let table: LinkTable
    private let resolver: Resolver
    private var backoff: Backoff
    private var state = State.idle
    private var lastComplaint: String?

    /// Describes the link to keep.
    ///
    /// - Parameter number: Distinguishes the connectors of one node, for ``Inbox/Resolution``.
    init(_ target: HostPort, number: Int, hello: Hello, resolver: Resolver, table: LinkTable) {
        self.target = target
        self.number = number
        self.hello = hello
        self.resolver = resolver
        self.table = table
        backoff = Backoff(first: table.policy.firstReconnect, longest: table.policy.longestReconnect)
    }

    func start() {
        if case .stopped = state { return }
        state = .resolving
        // Each time anew: the name may have moved while the link was down.
        resolver.resolve(target, for: number, into: table.inbox)
    }

    func stop() {
        switch state {
        case .trying(let handshake, let place):
            handshake.cancel()
            table.giveBack(place)
        case .waiting(let timer): table.reactor.cancel(timer)
        case .idle, .resolving, .up, .stopped: break
        }
        state = .stopped
    }

    func resolved(_ result: Result<[SocketAddress], ResolverFailure>) {
        guard case .resolving = state else { return }
        switch result {
        case .success(let addresses): attempt(addresses[...], because: "the name has no address")
        case .failure(let failure): wait(after: failure.description)
        }
    }

    /// Tries the first address, then the rest.
    private func attempt(_ addresses: ArraySlice<SocketAddress>, because failure: String) {
        guard let address = addresses.first else { return wait(after: failure) }
        let rest = addresses.dropFirst()
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(socket(address.family, kind, 0))
        guard descriptor.number >= 0 else { return attempt(rest, because: errorText(errno)) }
        descriptor.setStreamOptions(table.policy)
        let number = descriptor.number
        guard address.withPointer({ connect(number, $0, $1) }) == 0 || errno == EINPROGRESS else {
            return attempt(rest, because: "\(address): \(errorText(errno))")
        }
        guard let place = table.takePlace(origin: nil, for: "tcp:\(address)") else {
            descriptor.close()
            return wait(after: "no place for another link")
        }
        let handshake = Handshake(descriptor, isConnecting: true, hello: hello, table: table) { [unowned self] result in
            switch result {
            case .success(let theirs): open(descriptor, address, theirs, place)
            case .failure(let failure):
                table.giveBack(place)
                if case .hello(let fault) = failure {
                    table.inbox.count { $0.failedHandshakes += 1 }
                    if fault == .ourselves { backoff.exhaust() }
                }
                attempt(rest, because: "\(address): \(failure)")
            }
        }
        state = .trying(handshake, place)
        handshake.start()
    }

    private func open(_ descriptor: Descriptor, _ address: SocketAddress, _ theirs: Hello, _ place: LinkQuota.Place) {
        state = .up
        lastComplaint = nil
        let since = monotonicMilliseconds()
        table.open(
            StreamSocket(descriptor, frameLimit: table.policy.frameLimit),
            frameLimit: min(table.policy.frameLimit, Int(clamping: theirs.frameLimit)), isOutgoing: true,
            name: "tcp:\(address)", place: place
        ) { [unowned self] end in
            guard case .up = state else { return }
            if monotonicMilliseconds() - since >= table.policy.steadyAfter { backoff.reset() }
            if case .closed = end { backoff.exhaust() }
            wait(after: end.reason)
        }
    }

    private func wait(after reason: String) {
        let pause = backoff.pause(table.random())
        // One line when things change; a neighbour that is off for a week must not fill the log.
        let level: LogLevel = reason == lastComplaint ? .debug : .warning
        lastComplaint = reason
        table.handlers.log(level, "tcp:\(target): \(reason); next try in \(pause) ms")
        state = .waiting(table.reactor.after(pause) { [unowned self] in start() })
    }
}
