import Glibc

/// A TCP address as a person writes it: `HOST:PORT`, `192.0.2.1:4000`, `[2001:db8::1]:4000`.
public struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets (perhaps with a `%interface`).
    public let host: String
    /// The port; 0 (any) only makes sense for listening.
    public let port: UInt16

    /// As it is written.
    public var description: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads an address.
    ///
    /// - Throws: ``SocketLinksError/badAddress(_:reason:)``.
    public init(parsing text: String) throws(SocketLinksError) {
        func bad(_ reason: String) -> SocketLinksError { .badAddress(text, reason: reason) }
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw bad("the bracket is not closed") }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard Self.isIPv6(host) else { throw bad("no IPv6 address between the brackets") }
        } else {
            let colons = text.utf8.count { $0 == 0x3A }
            guard colons > 0 else { throw bad("the port is missing") }
            guard colons == 1, let colon = text.firstIndex(of: ":") else {
                throw bad("an IPv6 address needs brackets")
            }
            host = text[..<colon]
            rest = text[colon...]
            if let reason = Self.fault(inHost: host) { throw bad(reason) }
        }
        guard rest.hasPrefix(":") else { throw bad("the port is missing") }
        let digits = rest.dropFirst()
        guard !digits.isEmpty else { throw bad("the port is missing") }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw bad("the port must be a number from 0 to 65535")
        }
        self.host = String(host)
        self.port = port
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, parts.count == 1 || Self.isZone(parts[1]) else { return false }
        var bytes = in6_addr()
        return !address.utf8.contains(0) && inet_pton(AF_INET6, String(address), &bytes) == 1
    }

    /// Whether this can name an interface: the kernel's names have at most 15 bytes.
    private static func isZone(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x5D }
    }

    private static func fault(inHost host: Substring) -> String? {
        guard !host.isEmpty else { return "the host is missing (0.0.0.0 and [::] mean every address)" }
        guard host.utf8.count <= 253 else { return "the host name is longer than 253 bytes" }
        let isNameByte: (UInt8) -> Bool = { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard host.utf8.allSatisfy(isNameByte) else {
            return "the host may hold letters, digits, hyphens and dots"
        }
        // The resolver reads "1.2", "0177.0.0.1" and "0x7f.1" in ways that surprise: four plain numbers or a name.
        let last = host.split(separator: ".").last ?? ""
        guard !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !last.lowercased().hasPrefix("0x") else {
            var bytes = in_addr()
            return inet_pton(AF_INET, String(host), &bytes) == 1 ? nil : "not an IPv4 address"
        }
        return nil
    }
}
