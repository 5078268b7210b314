import Dispatch
import Glibc

/// Why a name has no address at the moment.
struct ResolverFailure: Error, Hashable, CustomStringConvertible {
    let description: String
}

/// Turns names into addresses, away from the I/O thread: `getaddrinfo` may take half a minute.
struct Resolver: Sendable {
    /// Concurrent, so that one name whose server is dead does not hold up the others; at most one lookup per configured
    /// address is under way.
    private let queue = DispatchQueue(label: "satchel.resolver", attributes: .concurrent)

    /// Looks a name up and leaves the result in `inbox`.
    func resolve(_ target: HostPort, for connector: Int, into inbox: Inbox) {
        queue.async {
            inbox.deliver(.init(connector: connector, result: Self.addresses(of: target, forListening: false)))
        }
    }

    /// Looks a name up and waits.
    static func addresses(of target: HostPort, forListening: Bool) -> Result<[SocketAddress], ResolverFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (forListening ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(target.host, String(target.port), &hints, &list)
        guard code == 0 else {
            let text = code == EAI_SYSTEM ? errorText(errno) : gai_strerror(code).map { String(cString: $0) }
            return .failure(ResolverFailure(description: text ?? "error \(code)"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry {
            if let pointer = current.pointee.ai_addr,
                let address = SocketAddress(pointer, length: current.pointee.ai_addrlen),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            entry = current.pointee.ai_next
        }
        return addresses.isEmpty
            ? .failure(ResolverFailure(description: "the name has no IPv4 or IPv6 address")) : .success(addresses)
    }
}
