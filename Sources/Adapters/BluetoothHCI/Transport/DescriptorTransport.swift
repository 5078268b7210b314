import Dispatch
import Domain
import Glibc

/// Carries HCI packets over an open descriptor.
///
/// What goes wrong with the descriptor, whatever it is, means one thing: the adapter is gone, and must be opened anew.
/// So there is one report for all of it, ``lost``.
///
/// The descriptor is closed at once, and the loss is reported after that: the adapter can then be opened again.
// Unchecked: the handler of a source must be sendable, and this class is not for two threads. It is confined to `queue`:
// the source runs its handler there, and `send` and `close` check that they are called there. Only `deinit` may run
// elsewhere, when nobody else has a reference any more.
final class DescriptorTransport: Transport, @unchecked Sendable {
    private enum Phase {
        case open
        /// Closed, and the reason is about to be reported.
        case failed(String)
        case closed
    }

    private let adapter: OpenedAdapter
    private let queue: DispatchQueue
    private let received: ([UInt8]) -> Void
    private let lost: (String) -> Void
    private(set) var watch: DescriptorWatch?
    private var phase = Phase.open
    private var decoder: H4Decoder
    private var backlog = SendBacklog()
    private var buffer: [UInt8]

    /// The longest packet that the kernel hands over: an indicator, a header of four bytes, data of 65,535.
    private static let longestPacket = 1 + 4 + 65_535

    /// Takes the adapter over, and reads from now on.
    ///
    /// - Parameters:
    ///   - opened: What ``AdapterOpening`` gave; it is closed here.
    ///   - queue: The radio's, serial. Everything happens there.
    ///   - received: Takes a whole packet, indicator included. On a stream its length is what its header says; on a user
    ///     channel the packet is what the kernel delivered.
    ///   - lost: Told once that the adapter is gone, and why, unless ``close()`` came first; nothing follows.
    init(
        _ opened: OpenedAdapter, queue: DispatchQueue, received: @escaping ([UInt8]) -> Void,
        lost: @escaping (String) -> Void
    ) {
        adapter = opened
        self.queue = queue
        self.received = received
        self.lost = lost
        decoder = H4Decoder(startsWithin: opened.kind == .serial)
        buffer = [UInt8](repeating: 0, count: opened.isStream ? BluetoothPolicy.bytesPerWake : Self.longestPacket)
        watch = DescriptorWatch(opened.descriptor, queue: queue) { [weak self] in self?.ready($0) }
        if watch == nil { fail("it cannot be watched: \(errorText(errno))") }
    }

    deinit { if case .open = phase { release() } }

    func send(_ packet: [UInt8]) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard case .open = phase, !packet.isEmpty else { return }
        guard backlog.isEmpty else { return keep(packet, taken: 0) }
        switch write(packet[...]) {
        case .taken(packet.count): break
        case .taken(let count): keep(packet, taken: count)
        case .failed(let reason): fail(reason)
        }
    }

    func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        if case .open = phase { release() }
        phase = .closed
    }

    private func fail(_ reason: String) {
        guard case .open = phase else { return }
        release()
        phase = .failed(reason)
        // Never from within a call into here.
        queue.async { [weak self] in self?.reportLoss() }
    }

    private func reportLoss() {
        guard case .failed(let reason) = phase else { return }
        phase = .closed
        lost(reason)
    }

    private func release() {
        watch?.cancel()
        watch = nil
        adapter.close()
        backlog = SendBacklog()
    }

    private func ready(_ events: Int32) {
        if case .open = phase, events & (POLLIN | POLLERR | POLLHUP) != 0 {
            if adapter.isStream { readStream() } else { readPackets() }
            // The kernel gives an error of a socket to one call only, and that may have been another than our read; that
            // the socket is dead stays visible.
            if events & POLLIN == 0 { fail("the adapter is gone") }
        }
        if case .open = phase, events & POLLOUT != 0 { writeBacklog() }
    }
}

// MARK: Reading

extension DescriptorTransport {
    private func readPackets() {
        for _ in 0..<BluetoothPolicy.packetsPerWake {
            guard let count = read() else { return }
            received(Array(buffer[0..<count]))
            // Whoever was told of the packet may have closed us.
            guard case .open = phase else { return }
        }
    }

    private func readStream() {
        guard let count = read() else { return }
        decoder.append(buffer[0..<count])
        do {
            while case .open = phase, let packet = try decoder.next() { received(packet) }
        } catch {
            fail(error.description)
        }
    }

    /// Reads once; `nil` when there is nothing now, or when the adapter is gone.
    private func read() -> Int? {
        let count = Glibc.read(adapter.descriptor, &buffer, buffer.count)
        if count > 0 { return min(count, buffer.count) }
        if count == 0 {
            fail("the far end closed it")
            return nil
        }
        switch errno {
        case EAGAIN, EINTR: break
        case EPIPE, ENODEV, EIO: fail("the adapter is gone (\(errorText(errno)))")
        default: fail("reading failed: \(errorText(errno))")
        }
        return nil
    }
}

// MARK: Writing

extension DescriptorTransport {
    private enum Writing: Equatable {
        /// How many bytes the system took; 0 when there is no room.
        case taken(Int)
        case failed(String)
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> Writing {
        let count = bytes.withUnsafeBytes { memory in
            adapter.kind == .serial
                ? Glibc.write(adapter.descriptor, memory.baseAddress, memory.count)
                // Without a SIGPIPE, which would end the node.
                : Glibc.send(adapter.descriptor, memory.baseAddress, memory.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return .taken(min(count, bytes.count)) }
        let code = errno
        return code == EAGAIN || code == EINTR ? .taken(0) : .failed("writing failed: \(errorText(code))")
    }

    /// Lets a packet wait until the system takes it.
    private func keep(_ packet: [UInt8], taken: Int) {
        backlog.append(packet, taken: taken)
        guard backlog.bytes <= BluetoothPolicy.sendBacklog else {
            return fail("the controller does not take what it is sent")
        }
        watch?.wantsRoom = true
    }

    private func writeBacklog() {
        for _ in 0..<BluetoothPolicy.packetsPerWake {
            guard let bytes = backlog.next else { break }
            switch write(bytes) {
            case .taken(0): return
            case .taken(let count): backlog.consume(count)
            case .failed(let reason): return fail(reason)
            }
        }
        if backlog.isEmpty { watch?.wantsRoom = false }
    }
}
