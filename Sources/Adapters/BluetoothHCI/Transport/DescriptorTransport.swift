import Dispatch
import Domain
import Glibc

/// Carries HCI packets over an open descriptor.
///
/// What goes wrong with the descriptor, whatever it is, means one thing: the adapter is gone, and must be opened anew.
/// So there is one report for all of it, ``lost``.
///
/// The descriptor is closed only after both sources are cancelled, as they want it; until then its number must not
/// become somebody else's. The loss is reported after that, so that the adapter can be opened again at once.
// Unchecked: the handlers of sources must be sendable, and this class is not for two threads. It is confined to `queue`:
// the sources run their handlers there, and `send` and `close` check that they are called there. Only `deinit` may run
// elsewhere, when nobody else has a reference any more.
final class DescriptorTransport: Transport, @unchecked Sendable {
    private enum Phase {
        case open
        /// The sources are being cancelled; then the reason is reported.
        case failing(String)
        case closed
    }

    private let adapter: OpenedAdapter
    private let queue: DispatchQueue
    private let received: ([UInt8]) -> Void
    private let lost: (String) -> Void
    private let reader: any DispatchSourceRead
    private let writer: any DispatchSourceWrite
    private var isWriterRunning = false
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
        reader = DispatchSource.makeReadSource(fileDescriptor: opened.descriptor, queue: queue)
        writer = DispatchSource.makeWriteSource(fileDescriptor: opened.descriptor, queue: queue)
        prepare()
    }

    deinit { cancelSources() }

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
        switch phase {
        case .open: cancelSources()
        case .failing: break
        case .closed: return
        }
        phase = .closed
        backlog.clear()
    }

    private func prepare() {
        let cancelled = DispatchGroup()
        for _ in 0..<2 { cancelled.enter() }
        reader.setCancelHandler { cancelled.leave() }
        writer.setCancelHandler { cancelled.leave() }
        cancelled.notify(queue: queue) { [adapter, weak self] in
            adapter.close()
            self?.reportLoss()
        }
        reader.setEventHandler { [weak self] in self?.readable() }
        writer.setEventHandler { [weak self] in self?.writable() }
        reader.activate()
        // A socket that takes packets is always writable: this source runs only while something waits.
        writer.suspend()
        writer.activate()
    }

    private func cancelSources() {
        reader.cancel()
        writer.cancel()
        // A source that is suspended is never done, and must not be released.
        if !isWriterRunning { writer.resume() }
        isWriterRunning = true
    }

    private func fail(_ reason: String) {
        guard case .open = phase else { return }
        phase = .failing(reason)
        backlog.clear()
        cancelSources()
    }

    private func reportLoss() {
        guard case .failing(let reason) = phase else { return }
        phase = .closed
        lost(reason)
    }
}

// MARK: Reading

extension DescriptorTransport {
    private func readable() {
        guard case .open = phase else { return }
        if adapter.isStream { readStream() } else { readPackets() }
    }

    private func readPackets() {
        for turn in 0..<BluetoothPolicy.packetsPerWake {
            guard let count = read(isFirst: turn == 0) else { return }
            received(Array(buffer[0..<count]))
            // Whoever was told of the packet may have closed us.
            guard case .open = phase else { return }
        }
    }

    private func readStream() {
        guard let count = read(isFirst: true) else { return }
        decoder.append(buffer[0..<count])
        do {
            while case .open = phase, let packet = try decoder.next() { received(packet) }
        } catch {
            fail(error.description)
        }
    }

    /// Reads once; `nil` when there is nothing now, or when the adapter is gone.
    private func read(isFirst: Bool) -> Int? {
        let count = Glibc.read(adapter.descriptor, &buffer, buffer.count)
        if count > 0 { return min(count, buffer.count) }
        if count == 0 {
            fail("the far end closed it")
            return nil
        }
        switch errno {
        case EINTR: break  // The source sees what is there, and calls again.
        case EAGAIN: if isFirst, let reason = trouble() { fail(reason) }
        case EPIPE, ENODEV, EIO: fail("the adapter is gone (\(errorText(errno)))")
        default: fail("reading failed: \(errorText(errno))")
        }
        return nil
    }

    /// What is wrong with a descriptor that was to have something to read and has not. The kernel gives an error of a
    /// socket to one call only, and that may have been another than our read; that the socket is dead stays visible.
    private func trouble() -> String? {
        var entry = pollfd(fd: adapter.descriptor, events: 0, revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return nil }
        let isGone = Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
        return isGone ? "the adapter is gone" : nil
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
        guard !isWriterRunning else { return }
        isWriterRunning = true
        writer.resume()
    }

    private func writable() {
        guard case .open = phase else { return }
        for _ in 0..<BluetoothPolicy.packetsPerWake {
            guard let bytes = backlog.next else { break }
            switch write(bytes) {
            case .taken(0): return
            case .taken(let count): backlog.consume(count)
            case .failed(let reason): return fail(reason)
            }
        }
        guard backlog.isEmpty, isWriterRunning else { return }
        isWriterRunning = false
        writer.suspend()
    }
}
