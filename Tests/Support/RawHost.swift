import Foundation
import Glibc

/// The barest host: writes H4 packets to a controller's socket and reads what comes, for tests of the air itself.
public final class RawHost {
    /// The socket was closed by the other side.
    public struct Lost: Error {}
    /// What was awaited did not come.
    public struct Silent: Error {}

    /// How long to wait for what is sure to come, in seconds.
    public static let patience = SatchelNode.patience
    /// How long to wait for what must not come: many times what it takes when it comes, in seconds.
    public static let moment = 0.3

    /// The socket, for who wants to read and write faster than it is done here.
    public let descriptor: Int32
    private var received: [UInt8] = []
    /// Packets that nobody has asked for yet.
    private var packets: [[UInt8]] = []

    /// Connects to a controller.
    public init(_ path: String) throws {
        guard let descriptor = UnixSocket.connect(to: path) else { throw Lost() }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends a packet, indicator included.
    public func send(_ packet: [UInt8]) { _ = Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) }

    /// Sends a command and waits for its end: the return parameters, of which the first is the status.
    @discardableResult
    public func command(
        _ opcode: UInt16, _ parameters: [UInt8] = [], within seconds: Double = RawHost.patience
    ) throws -> [UInt8] {
        let code = [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
        send([1] + code + [UInt8(parameters.count)] + parameters)
        let answer = try packet(within: seconds) { packet in
            packet[0] == 4
                && (packet[1] == 0x0E && packet[4...5].elementsEqual(code)
                    || packet[1] == 0x0F && packet[5...6].elementsEqual(code))
        }
        return answer[1] == 0x0E ? Array(answer[6...]) : [answer[3]]
    }

    /// Sends a whole L2CAP frame in one ACL packet.
    public func data(_ handle: UInt16, _ bytes: [UInt8]) {
        let length = UInt16(bytes.count)
        send([2, UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(length & 0xFF), UInt8(length >> 8)] + bytes)
    }

    /// Waits for an event; those that came before and were not asked for count too.
    public func event(_ code: UInt8, subevent: UInt8? = nil, within seconds: Double = RawHost.patience) throws
        -> [UInt8]
    {
        let packet = try packet(within: seconds) {
            $0[0] == 4 && $0[1] == code && (subevent == nil || $0[3] == subevent)
        }
        return Array(packet[3...])
    }

    /// Waits for a packet.
    public func packet(within seconds: Double = RawHost.patience, where isWanted: ([UInt8]) -> Bool) throws -> [UInt8] {
        let end = Date(timeIntervalSinceNow: seconds)
        while true {
            if let index = packets.firstIndex(where: isWanted) { return packets.remove(at: index) }
            guard try read(until: end) else { throw Silent() }
        }
    }

    /// Waits until the other side closes the socket.
    public func end(within seconds: Double = RawHost.patience) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        do {
            while try read(until: end) {}
            throw Silent()
        } catch is Lost {}
    }

    private func read(until end: Date) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(max(0, end.timeIntervalSinceNow * 1000))) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { throw Lost() }
        received += buffer[..<count]
        while let packet = takePacket() { packets.append(packet) }
        return true
    }

    private func takePacket() -> [UInt8]? {
        guard received.count >= 5 || received.first == 4 && received.count >= 3 else { return nil }
        let length = received[0] == 4 ? 3 + Int(received[2]) : 5 + Int(received[3]) + Int(received[4]) << 8
        guard received.count >= length else { return nil }
        defer { received.removeSubrange(..<length) }
        return Array(received[..<length])
    }
}

extension RawHost {
    /// Resets the controller, lets every event through, and sets a random address that ends in C0.
    public func prepare(_ number: UInt8) throws {
        try command(0x0C03)
        try command(0x0C01, [UInt8](repeating: 0xFF, count: 7) + [0x3F])
        try command(0x2001, [0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0])
        try command(0x2005, address(number))
    }

    /// The random static address that ``prepare(_:)`` sets.
    public func address(_ number: UInt8) -> [UInt8] { [number, 2, 3, 4, 5, 0xC0] }

    /// Advertises every 20 ms; answers the status.
    public func advertise() throws -> UInt8? {
        try command(0x2006, [0x20, 0, 0x20, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        try command(0x2008, [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28))
        return try command(0x200A, [1]).first
    }

    /// Begins to connect, with a supervision timeout of 100 ms; answers the status.
    public func connect(to number: UInt8) throws -> UInt8? {
        try command(
            0x200D,
            [0x10, 0, 0x10, 0, 0, 1] + address(number) + [1, 6, 0, 6, 0, 0, 0, 10, 0, 0, 0, 0, 0]
        ).first
    }

    /// Waits for a connection and answers its status and handle.
    public func connection(within seconds: Double = RawHost.patience) throws -> (status: UInt8, handle: UInt16) {
        let event = try event(0x3E, subevent: 0x0A, within: seconds)
        return (event[1], UInt16(event[2]) | UInt16(event[3]) << 8)
    }
}
