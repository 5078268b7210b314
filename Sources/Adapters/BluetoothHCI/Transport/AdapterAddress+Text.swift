import Glibc

extension AdapterAddress: CustomStringConvertible {
    /// How to write each kind, for messages.
    static let spellings =
        "auto, hci0, h4:/dev/ttyACM0,\(BluetoothPolicy.defaultSpeed), h4:tcp:HOST:PORT or h4:unix:PATH"

    /// As it is written; reads back as the same address.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .userChannel(let index): "hci\(index)"
        case .serial(let path, let baud): "h4:\(path),\(baud)"
        case .tcp(let host, let port): host.utf8.contains(0x3A) ? "h4:tcp:[\(host)]:\(port)" : "h4:tcp:\(host):\(port)"
        case .unix(let path): "h4:unix:\(path)"
        }
    }

    /// Reads an address: `auto`, `hci0`, `h4:/dev/ttyACM0,1000000` (the speed may be left out), `h4:tcp:HOST:PORT` (IPv6 in
    /// brackets), `h4:unix:PATH`.
    ///
    /// - Throws: ``BluetoothError/badAddress(_:reason:)``.
    public init(parsing text: String) throws(BluetoothError) {
        do throws(Fault) {
            if text == "auto" {
                self = .automatic
            } else if let digits = text.suffix(behind: "hci") {
                self = .userChannel(index: try Self.index(digits))
            } else if let target = text.suffix(behind: "h4:tcp:") {
                self = try Self.tcp(target)
            } else if let path = text.suffix(behind: "h4:unix:") {
                self = .unix(path: try Self.path(path, limit: Self.socketPathLimit))
            } else if let port = text.suffix(behind: "h4:") {
                self = try Self.serial(port)
            } else {
                throw Fault("it is not auto, and starts with neither hci nor h4:")
            }
        } catch {
            throw .badAddress(text, reason: error.reason)
        }
    }

    private struct Fault: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private static func index(_ digits: Substring) throws(Fault) -> UInt16 {
        // 65535 means "no device" to the kernel (HCI_DEV_NONE).
        guard let index = number(digits, as: UInt16.self), index < .max else {
            throw Fault("behind hci comes the number of the adapter, without leading zeros")
        }
        return index
    }

    private static func serial(_ text: Substring) throws(Fault) -> AdapterAddress {
        guard text.hasPrefix("/") else {
            throw Fault("behind h4: comes the absolute path of a serial port, tcp: or unix:")
        }
        // The last comma: a path may have commas of its own.
        guard let comma = text.lastIndex(of: ",") else {
            return .serial(path: try path(text, limit: pathLimit), baud: BluetoothPolicy.defaultSpeed)
        }
        let speeds = BluetoothPolicy.speeds
        guard let speed = number(text[text.index(after: comma)...], as: UInt32.self), speeds.contains(speed) else {
            throw Fault("the speed must be a number from \(speeds.lowerBound) to \(speeds.upperBound)")
        }
        return .serial(path: try path(text[..<comma], limit: pathLimit), baud: speed)
    }

    private static func path(_ text: Substring, limit: Int) throws(Fault) -> String {
        guard !text.isEmpty else { throw Fault("the path is missing") }
        guard text.utf8.count <= limit else { throw Fault("the path is longer than \(limit) bytes") }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw Fault("the path has control characters") }
        return String(text)
    }

    private static func tcp(_ text: Substring) throws(Fault) -> AdapterAddress {
        guard let colon = text.lastIndex(of: ":"),
            let port = number(text[text.index(after: colon)...], as: UInt16.self),
            port > 0
        else { throw Fault("the port must be a number from 1 to 65535") }
        let host = text[..<colon]
        if host.hasPrefix("[") || host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            guard host.hasPrefix("["), host.hasSuffix("]"), isIPv6(inner) else {
                throw Fault("no IPv6 address between the brackets")
            }
            return .tcp(host: String(inner), port: port)
        }
        if let reason = fault(inHost: host) { throw Fault(reason) }
        return .tcp(host: String(host), port: port)
    }

    /// An IPv6 address, perhaps with the interface that a link-local one needs (`%eth0`).
    private static func isIPv6(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, address.utf8.allSatisfy({ $0 > 0x20 }) else { return false }
        // The kernel's names of interfaces have at most 15 bytes.
        let isZoneGood =
            parts.count == 1
            || (1...15).contains(parts[1].utf8.count)
                && parts[1].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5D }
        var bytes = in6_addr()
        return isZoneGood && inet_pton(AF_INET6, String(address), &bytes) == 1
    }

    private static func fault(inHost host: Substring) -> String? {
        guard !host.isEmpty else { return "the host is missing" }
        guard !host.utf8.contains(0x3A) else { return "an IPv6 address needs brackets" }
        guard host.utf8.count <= 253 else { return "the host name is longer than 253 bytes" }
        let isNameByte: (UInt8) -> Bool = { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard host.utf8.allSatisfy(isNameByte) else { return "the host may hold letters, digits, hyphens and dots" }
        // The resolver reads "1.2" as 1.0.0.2: what ends in a number is four plain numbers or a mistake.
        guard let last = host.split(separator: ".").last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return host.utf8.allSatisfy { $0 == 0x2E } ? "the host is missing" : nil
        }
        var bytes = in_addr()
        return inet_pton(AF_INET, String(host), &bytes) == 1 ? nil : "the host is not an IPv4 address"
    }

    /// Decimal digits without a sign or leading zeros, so that every address has one spelling.
    private static func number<Number: FixedWidthInteger>(_ text: Substring, as type: Number.Type) -> Number? {
        guard text == "0" || text.utf8.first != 0x30, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Number(text)
    }

    /// What fits into a path of the system, in bytes, the zero at the end left out.
    private static let pathLimit = Int(PATH_MAX) - 1
    /// What fits into the address of a Unix socket, in bytes, the zero at the end left out.
    static let socketPathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
}

extension String {
    /// What follows `prefix`; `nil` when the text starts otherwise.
    fileprivate func suffix(behind prefix: String) -> Substring? {
        hasPrefix(prefix) ? self[index(startIndex, offsetBy: prefix.count)...] : nil
    }
}
