import Glibc

/// What one attempt to read a frame gave.
enum Reception {
    /// A whole frame.
    case frame([UInt8])
    /// Bytes, but not yet the whole frame.
    case part
    /// A message that exceeds the frame limit, gone.
    case oversized
    /// Nothing there for now.
    case nothing
    /// The end, and why.
    case closed(String)
    /// The neighbour broke the framing.
    case broken(String)
}

/// What became of a frame that was offered to the system.
enum Transmission {
    case sent
    /// Not (wholly) taken: offer the same frame again when the socket is writable.
    case blocked
    case failed(String)
}

/// A connected, non-blocking socket that carries whole frames.
protocol FrameSocket: AnyObject {
    var descriptor: Descriptor { get }
    /// Reads at most one frame.
    func receive(into buffer: ReceiveBuffer) -> Reception
    /// Writes one frame of at least a byte.
    func send(_ frame: [UInt8]) -> Transmission
}

/// Memory that the I/O thread receives into, once for all links: a neighbour that announces much and sends little costs
/// nothing.
final class ReceiveBuffer {
    private var bytes: [UInt8]

    init(size: Int) { bytes = [UInt8](repeating: 0, count: max(size, Hello.size)) }

    /// Receives up to `count` bytes, and returns what `recv` answered with the bytes that are there.
    func receive(_ descriptor: Descriptor, count: Int, flags: Int32 = 0) -> (answer: Int, bytes: ArraySlice<UInt8>) {
        let count = min(count, bytes.count)
        let answer = recv(descriptor.number, &bytes, count, flags)
        return (answer, bytes[0..<min(max(answer, 0), count)])
    }
}

/// A link inside an air directory: one frame is one message of a `SOCK_SEQPACKET` socket.
final class PacketSocket: FrameSocket {
    let descriptor: Descriptor
    private let frameLimit: Int

    init(_ descriptor: Descriptor, frameLimit: Int) {
        self.descriptor = descriptor
        self.frameLimit = frameLimit
        // A message larger than the send buffer is refused by the kernel: ask for room for one frame whatever the
        // system's default (the kernel doubles the number for its own bookkeeping).
        setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: 2 * frameLimit))
    }

    func receive(into buffer: ReceiveBuffer) -> Reception {
        // With MSG_TRUNC the answer is the message's true length, even where it exceeds the buffer.
        var (answer, bytes) = buffer.receive(descriptor, count: frameLimit, flags: Int32(MSG_TRUNC))
        // A neighbour that went without reading all we sent leaves this error in front of its own last words.
        if answer < 0, errno == ECONNRESET {
            (answer, bytes) = buffer.receive(descriptor, count: frameLimit, flags: Int32(MSG_TRUNC))
        }
        if answer > frameLimit { return .oversized }
        if answer > 0 { return .frame(Array(bytes)) }
        // An empty message looks the same as the end; no frame is empty, so nothing of worth is lost by ending here.
        if answer == 0 { return .closed("the neighbour closed it") }
        return wouldBlock(errno) ? .nothing : .closed(errorText(errno))
    }

    func send(_ frame: [UInt8]) -> Transmission {
        let answer = Glibc.send(descriptor.number, frame, frame.count, Int32(MSG_NOSIGNAL))
        if answer == frame.count { return .sent }
        return answer < 0 && wouldBlock(errno) ? .blocked : .failed(answer < 0 ? errorText(errno) : "a frame was cut")
    }
}

/// A TCP link after its hello: ``StreamDecoder`` says how frames lie in the stream.
final class StreamSocket: FrameSocket {
    let descriptor: Descriptor
    private var decoder: StreamDecoder
    /// Bytes of the current frame, header included, that the system has taken.
    private var written = 0

    init(_ descriptor: Descriptor, frameLimit: Int) {
        self.descriptor = descriptor
        decoder = StreamDecoder(limit: frameLimit)
    }

    /// Reads only what the next step needs: the rest stays with the kernel, where `poll` sees it and TCP slows the sender.
    func receive(into buffer: ReceiveBuffer) -> Reception {
        let (answer, bytes) = buffer.receive(descriptor, count: decoder.wanted)
        if answer == 0 { return .closed("the neighbour closed it") }
        if answer < 0 { return wouldBlock(errno) ? .nothing : .closed(errorText(errno)) }
        do {
            return try decoder.supply(bytes).map { .frame($0) } ?? .part
        } catch {
            return .broken(String(describing: error))
        }
    }

    func send(_ frame: [UInt8]) -> Transmission {
        let header = StreamDecoder.header(for: frame)
        let total = header.count + frame.count
        while written < total {
            let answer = gather(header, frame)
            if answer < 0 { return wouldBlock(errno) ? .blocked : .failed(errorText(errno)) }
            written += answer
        }
        written = 0
        return .sent
    }

    /// Writes what is left of header and frame in one call.
    private func gather(_ header: [UInt8], _ frame: [UInt8]) -> Int {
        let headerLeft = max(0, header.count - written)
        let frameDone = max(0, written - header.count)
        return header.withUnsafeBytes { headerBytes in
            frame.withUnsafeBytes { frameBytes in
                // `sendmsg` wants mutable pointers and does not write through them.
                let head = UnsafeMutableRawPointer(
                    mutating: headerBytes.baseAddress?.advanced(by: header.count - headerLeft))
                let tail = UnsafeMutableRawPointer(mutating: frameBytes.baseAddress?.advanced(by: frameDone))
                var parts = [
                    iovec(iov_base: head, iov_len: headerLeft),
                    iovec(iov_base: tail, iov_len: frame.count - frameDone),
                ]
                return parts.withUnsafeMutableBufferPointer { vector in
                    var message = msghdr()
                    message.msg_iov = vector.baseAddress
                    message.msg_iovlen = vector.count
                    return sendmsg(descriptor.number, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }
}
