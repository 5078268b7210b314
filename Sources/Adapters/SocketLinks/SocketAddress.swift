import Glibc

/// An IPv4 or IPv6 socket address, as the system lays it out.
struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]
    /// `AF_INET` or `AF_INET6`.
    let family: Int32

    /// Copies `length` bytes; `nil` for another family or a length that does not fit it.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        family = Int32(address.pointee.sa_family)
        let needed: Int
        switch family {
        case AF_INET: needed = MemoryLayout<sockaddr_in>.size
        case AF_INET6: needed = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        guard Int(length) >= needed else { return nil }
        bytes = Array(UnsafeRawBufferPointer(start: address, count: needed))
    }

    /// Lends the address to a system call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { target in
            target.copyBytes(from: bytes)
            return target.withMemoryRebound(to: sockaddr.self) { pointer in
                // A sockaddr_storage is at least one sockaddr long, so the buffer has a first element.
                guard let base = pointer.baseAddress else { preconditionFailure("sockaddr_storage is empty") }
                return body(base, socklen_t(bytes.count))
            }
        }
    }

    /// `192.0.2.1:4000`, `[2001:db8::1]:4000`.
    var description: String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let code = withPointer { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard code == 0 else { return "an address without a written form" }
        let (hostText, portText) = (text(host), text(port))
        return family == AF_INET6 ? "[\(hostText)]:\(portText)" : "\(hostText):\(portText)"
    }

    /// What the limit per address counts by: the IPv4 address; of IPv6 the /64, all of which one host may own, or the
    /// whole of a link-local address, where the /64 is the same for everybody.
    var origin: [UInt8] {
        if family == AF_INET { return Array(bytes[4..<8]) }
        let address = bytes[8..<24]
        let isLinkLocal = bytes[8] == 0xFE && bytes[9] & 0xC0 == 0x80
        return Array(isLinkLocal ? address : address.prefix(8))
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SocketAddress {
    /// What `getsockname` says.
    static func local(of descriptor: Descriptor) -> SocketAddress? { ask(descriptor, getsockname) }

    /// Accepts one connection: its descriptor and where it comes from, or the `errno`.
    static func accept(on listener: Descriptor) -> (descriptor: Descriptor, address: SocketAddress?)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { target in
            target.withMemoryRebound(to: sockaddr.self) { pointer in
                guard let base = pointer.baseAddress else { return nil }
                let number = Glibc.accept(listener.number, base, &length)
                guard number >= 0 else { return nil }
                return (adopt(number), SocketAddress(base, length: length))
            }
        }
    }

    private static func ask(
        _ descriptor: Descriptor,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { target in
            target.withMemoryRebound(to: sockaddr.self) { pointer in
                guard let base = pointer.baseAddress, call(descriptor.number, base, &length) == 0 else { return nil }
                return SocketAddress(base, length: length)
            }
        }
    }
}
