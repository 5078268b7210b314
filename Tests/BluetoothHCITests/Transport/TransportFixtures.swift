import Dispatch
import Foundation
import Support
import Testing

@testable import BluetoothHCI

/// Our end of a test's connection to an opened adapter. Calls wait, at most ten seconds.
final class FarEnd {
    private(set) var number: Int32

    init(_ number: Int32) {
        self.number = number
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close() }

    func close() {
        if number >= 0 { _ = Glibc.close(number) }
        number = -1
    }

    func write(_ bytes: [UInt8]) throws {
        try #require(Glibc.write(number, bytes, bytes.count) == bytes.count)
    }

    /// One read; empty at the end.
    func read(_ limit: Int = 65_536) throws -> [UInt8] {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1)
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(number, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Exactly `count` bytes, or fewer at the end of the stream.
    func readAll(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try read(count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}

/// A pseudo-terminal: a serial port, and the far end of its cable.
final class Cable {
    let controller: FarEnd
    let path: String

    init() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, whose macros are not imported.
        try #require(master >= 0 && ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        controller = FarEnd(master)
        path = "/dev/pts/\(number)"
    }
}

/// A pair of connected sockets: an opened adapter, and its far end.
func pair(_ kind: OpenedAdapter.Kind) throws -> (OpenedAdapter, FarEnd) {
    let type = kind == .packets ? SOCK_SEQPACKET : SOCK_STREAM
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    return (OpenedAdapter(descriptor: ends[0], kind: kind), FarEnd(ends[1]))
}

/// A socket that is in error for good while reading has nothing to say, like a user channel whose adapter was pulled out:
/// it sent a datagram to a port where nobody listens, keeps the answer for later (IP_RECVERR), and the error itself was
/// given to another call.
func deadSocket() throws -> Int32 {
    let (target, address) = try localSocket(SOCK_DGRAM)
    let (descriptor, _) = try localSocket(SOCK_DGRAM)
    try #require(withSocketAddress(address) { connect(descriptor, $0, $1) } == 0)
    close(target)
    try #require(setOption(descriptor, Int32(IPPROTO_IP), IP_RECVERR, 1))
    try #require(send(descriptor, "x", 1, 0) == 1)
    var (code, size): (Int32, socklen_t) = (0, 4)
    try #require(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == ECONNREFUSED)
    var byte: UInt8 = 0
    try #require(read(descriptor, &byte, 1) == -1 && errno == EAGAIN)
    return descriptor
}

/// A socket that is bound to a port of this machine, and its address.
func localSocket(_ kind: __socket_type) throws -> (Int32, sockaddr_in) {
    let descriptor = socket(AF_INET, Int32(kind.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try #require(withSocketAddress(address) { bind(descriptor, $0, $1) } == 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let answer = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    try #require(answer == 0)
    return (descriptor, address)
}

func withSocketAddress(_ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// Gives a descriptor another number: the first free one from `number` on.
func duplicate(_ descriptor: Int32, from number: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, number) }

/// Which file a descriptor of this process stands for.
func identity(_ descriptor: Int32) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
}

/// How many descriptors of this process stand for it. Other tests open and close theirs meanwhile.
func descriptors(of identity: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == identity
    }
}

/// A transport on a queue of its own, and what it reported.
final class TransportProbe: @unchecked Sendable {
    // Unchecked: `transport` is touched on `queue` alone.
    enum Event: Equatable {
        case received([UInt8])
        case lost(String)
        case mark
    }

    let queue = DispatchQueue(label: "radio")
    let events = Watched<[Event]>([])
    private var transport: DescriptorTransport?

    /// - Parameter then: Called on the queue with each event that is reported.
    init(_ opened: OpenedAdapter, then: @escaping (TransportProbe, Event) -> Void = { _, _ in }) {
        queue.sync {
            let report: (Event) -> Void = { [weak self] event in
                guard let self else { return }
                events.change { $0.append(event) }
                then(self, event)
            }
            transport = DescriptorTransport(
                opened, queue: queue, received: { report(.received($0)) }, lost: { report(.lost($0)) })
        }
    }

    /// Does something with the transport on its queue.
    func run(_ body: (DescriptorTransport) throws -> Void) rethrows {
        try queue.sync { if let transport { try body(transport) } }
    }

    /// The same from one of the transport's own reports.
    func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        transport?.close()
    }

    /// Forgets the transport, without closing it.
    func forget() { queue.sync { transport = nil } }

    /// Waits until there are so many events, and gives them.
    func events(_ count: Int) throws -> [Event] {
        try #require(events.wait(within: 10) { $0.count >= count ? $0 : nil })
    }

    /// Everything that was reported, after all that is queued now has run.
    func settled() -> [Event] {
        for _ in 0..<3 { queue.sync {} }
        return events.look { $0 }
    }
}
