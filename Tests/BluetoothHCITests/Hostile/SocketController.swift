import Foundation
import Glibc
import Support

@testable import BluetoothHCI

/// A controller behind a Unix socket that answers the start as a proper one does, and otherwise says whatever a test wants.
///
/// Not trusted by the radio, and not by the tests either: it keeps what it was sent, and judges whether the host behaved.
final class SocketController: Sendable {
    /// An L2CAP frame that the host sent.
    struct Frame: Hashable, Sendable {
        let handle: UInt16
        let channel: UInt16
        let payload: [UInt8]
    }

    /// What it does with the credit of a data packet.
    enum Crediting: Sendable { case returned, kept, returnedTwice }

    /// What it knows.
    struct State {
        /// Answers commands; see there for what can be changed.
        let far = ScriptedController()
        /// How often it was opened.
        fileprivate(set) var lives = 0
        /// Frames of the host, in order.
        fileprivate(set) var frames: [Frame] = []
        /// Data packets of the host by handle.
        fileprivate(set) var packets: [UInt16: Int] = [:]
        /// Whether nothing is answered or even looked at any more.
        var isMute = false
        /// Commands and data that came meanwhile.
        fileprivate(set) var ignored = 0
        /// By handle; `returned` for all others.
        var crediting: [UInt16: Crediting] = [:]
        /// Sees every frame as it comes in, and gives the packets to answer it with.
        var reaction: [UInt16: @Sendable (Frame) -> [[UInt8]]] = [:]
        /// Whether a host has it open.
        var isConnected: Bool { connection != nil }
        fileprivate var parts: [UInt16: [UInt8]] = [:]
        fileprivate var connection: Int32?
        fileprivate var listener: Int32?
    }

    private let state: Watched<State>
    private let folder: TemporaryDirectory
    // What is written must not be cut by what another thread writes.
    private let writing = NSLock()

    /// Begins to listen.
    ///
    /// - Parameter configure: Changes how commands are answered.
    init(_ configure: (inout State) -> Void = { _ in }) throws {
        var first = State()
        configure(&first)
        folder = try TemporaryDirectory()
        first.listener = try Self.listen(at: folder.file("hci"))
        state = Watched(first)
        Thread.detachNewThread { [weak self, listener = first.listener ?? -1] in
            while let descriptor = Self.accept(listener) {
                guard let self else {
                    close(descriptor)
                    return
                }
                serve(descriptor)
            }
            close(listener)
        }
    }

    deinit { state.look { state in for descriptor in [state.listener, state.connection] { end(descriptor) } } }

    /// How the radio is told of it.
    var address: String { "h4:unix:" + folder.file("hci") }

    /// Looks at what it knows.
    func look<Value>(_ body: (State) -> Value) -> Value { state.look(body) }

    /// Changes how it behaves.
    func change(_ body: (inout State) -> Void) { state.change(body) }

    /// Waits until the closure makes something of what it knows.
    func wait<Value>(_ match: (State) -> Value?) -> Value? { state.wait(within: SatchelNode.patience, until: match) }

    /// Says packets, in order and at once.
    func say(_ packets: [UInt8]...) { say(packets) }

    /// The same.
    func say(_ packets: [[UInt8]]) {
        guard let descriptor = look(\.connection), !packets.isEmpty else { return }
        let bytes = packets.flatMap { $0 }
        writing.lock()
        defer { writing.unlock() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Ends the conversation as an unplugged adapter does.
    func hangUp() {
        if let descriptor = look(\.connection) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
}

// MARK: The socket

extension SocketController {
    private static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
        return descriptor
    }

    private static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private func end(_ descriptor: Int32?) {
        guard let descriptor else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Serves one host until it is gone.
    private func serve(_ descriptor: Int32) {
        state.change { state in
            state.connection = descriptor
            state.lives += 1
            state.parts = [:]
        }
        var decoder = H4Decoder()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            decoder.append(buffer[0..<count])
            while let packet = try? decoder.next() { take(packet) }
        }
        state.change { $0.connection = nil }
        writing.lock()
        close(descriptor)
        writing.unlock()
    }

    private func take(_ packet: [UInt8]) {
        let answers: [[UInt8]] = state.change { state in
            guard !state.isMute else {
                state.ignored += 1
                return []
            }
            guard packet.first == PacketIndicator.data else {
                state.far.take(packet)
                defer { state.far.said = [] }
                return Array(state.far.said)
            }
            return state.take(data: packet)
        }
        say(answers)
    }
}

extension SocketController.State {
    /// Takes a data packet, and says what answers it.
    fileprivate mutating func take(data packet: [UInt8]) -> [[UInt8]] {
        let head = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let handle = head & 0xfff
        packets[handle, default: 0] += 1
        if head >> 12 & 3 != 1 { parts[handle] = [] }
        parts[handle, default: []] += packet[5...]
        var answers: [[UInt8]] =
            switch crediting[handle] ?? .returned {
            case .returned: [Packets.completed([(handle, 1)])]
            case .kept: []
            case .returnedTwice: [Packets.completed([(handle, 1)]), Packets.completed([(handle, 1)])]
            }
        guard let bytes = parts[handle], bytes.count >= 4,
            bytes.count >= 4 + Int(bytes[0]) + Int(bytes[1]) << 8
        else { return answers }
        parts[handle] = nil
        let frame = SocketController.Frame(
            handle: handle, channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8, payload: Array(bytes[4...]))
        frames.append(frame)
        if let reaction = reaction[handle] { answers += reaction(frame) }
        return answers
    }
}
