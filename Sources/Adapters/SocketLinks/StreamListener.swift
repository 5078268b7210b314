import Glibc

/// Accepts TCP links on one address.
final class StreamListener: Watcher {
    let descriptor: Descriptor
    /// The address, with the port that was really taken.
    let address: SocketAddress
    private let table: LinkTable
    private let hello: Hello
    private var handshakes: [ObjectIdentifier: Handshake] = [:]
    private var isResting = false

    /// Listens on one address.
    init(_ address: SocketAddress, hello: Hello, table: LinkTable) throws(SocketLinksError) {
        self.table = table
        self.hello = hello
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = Descriptor(socket(address.family, kind, 0))
        func fault(_ code: Int32) -> SocketLinksError { Self.error(code, address: address) }
        guard descriptor.number >= 0 else { throw fault(errno) }
        // Otherwise a restart would wait a minute for the last run's connections to be forgotten.
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // [::] means IPv6 and 0.0.0.0 IPv4, whatever the system's setting; both can be listened on.
        if address.family == AF_INET6 { setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        let number = descriptor.number
        guard address.withPointer({ bind(number, $0, $1) }) == 0 else { throw fault(errno) }
        guard Glibc.listen(number, table.policy.backlog) == 0 else { throw fault(errno) }
        self.address = SocketAddress.local(of: descriptor) ?? address
    }

    var interest: Int32 { isResting ? 0 : POLLIN }

    func ready(_ events: Int32) {
        for _ in 0..<table.policy.framesPerTurn {
            guard let (accepted, remote) = SocketAddress.accept(on: descriptor) else {
                if isExhaustion(errno) { rest(errno) }
                return
            }
            // A neighbour that hung up before it was accepted has no address any more.
            guard let remote else { continue }
            greet(accepted, remote)
        }
    }

    func stop() {
        for handshake in handshakes.values { handshake.cancel() }
        handshakes = [:]
        table.reactor.remove(self)
        descriptor.close()
    }

    private func greet(_ accepted: Descriptor, _ remote: SocketAddress) {
        let name = "tcp:\(remote)"
        guard let place = table.takePlace(origin: remote.origin, for: name) else { return accepted.close() }
        accepted.setStreamOptions(table.policy)
        let table = table
        let key = ObjectIdentifier(accepted)
        let handshake = Handshake(accepted, isConnecting: false, hello: hello, table: table) { [unowned self] result in
            handshakes[key] = nil
            switch result {
            case .success(let theirs):
                table.open(
                    StreamSocket(accepted, frameLimit: table.policy.frameLimit),
                    frameLimit: min(table.policy.frameLimit, Int(clamping: theirs.frameLimit)), isOutgoing: false,
                    name: name, place: place, whenDown: { _ in })
            case .failure(let failure):
                table.giveBack(place)
                table.reportFailure(name, failure)
            }
        }
        handshakes[key] = handshake
        handshake.start()
    }

    /// Without a free descriptor the connection stays pending and `poll` would report it for ever.
    private func rest(_ code: Int32) {
        isResting = true
        table.handlers.log(.error, "cannot accept on tcp:\(address): \(errorText(code)); trying again")
        table.reactor.after(table.policy.acceptPause) { [weak self] in self?.isResting = false }
    }

    private static func error(_ code: Int32, address: SocketAddress) -> SocketLinksError {
        switch code {
        case EADDRINUSE: .addressInUse(address.description)
        case EADDRNOTAVAIL: .addressNotAvailable(address.description)
        case EACCES, EPERM: .permissionDenied(action: "listen on", subject: address.description)
        default: .system(action: "listen on", subject: address.description, code: code)
        }
    }
}
