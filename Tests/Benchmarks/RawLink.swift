import Glibc
import Support

/// Two raw hosts with a connection between their controllers, and the least code that keeps it full: the measure for
/// what a radio makes of the same link.
final class RawLink {
    /// A controller says nothing any more.
    struct Silent: Error {}

    private let sender: RawHost
    private let receiver: RawHost
    private let handle: UInt16
    private let pieceLength: Int
    private let bufferCount: Int
    private var senderInput: PacketInput
    private var receiverInput: PacketInput

    /// Connects two controllers that nobody uses.
    init(_ air: VirtualAir, _ options: VirtualAir.Options, from: Int, to: Int) throws {
        let (sender, receiver) = (try RawHost(air.path(of: from)), try RawHost(air.path(of: to)))
        try sender.prepare(UInt8(from))
        try receiver.prepare(UInt8(to))
        _ = try receiver.advertise()
        _ = try sender.connect(to: UInt8(to))
        handle = try sender.connection().handle
        _ = try receiver.connection()
        // LE Set Data Length, to the longest.
        try sender.command(0x2022, [UInt8(handle & 0xFF), UInt8(handle >> 8), 0xFB, 0, 0x48, 0x08])
        (pieceLength, bufferCount) = (options.bufferLength, options.bufferCount)
        senderInput = PacketInput(descriptor: sender.descriptor)
        receiverInput = PacketInput(descriptor: receiver.descriptor)
        (self.sender, self.receiver) = (sender, receiver)
    }

    /// Sends so many values of so many bytes.
    ///
    /// - Returns: When the last came out at the far end.
    func carry(_ count: Int, size: Int) throws -> UInt64 {
        let pieces = pieces(ofValueOf: size)
        var credits = bufferCount
        var (sent, toCome) = (0, count * (size + Self.overhead))
        while toCome > 0 {
            while credits > 0, sent < count * pieces.count {
                sender.send(pieces[sent % pieces.count])
                (sent, credits) = (sent + 1, credits - 1)
            }
            var entries = [sender.descriptor, receiver.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&entries, 2, Int32(RawHost.patience * 1000)) > 0 else { throw Silent() }
            if entries[0].revents != 0 { credits += try senderInput.read().credits }
            if entries[1].revents != 0 { toCome -= try receiverInput.read().bytes }
        }
        let end = Clocks.now
        // The last credits: the next run begins with all of them.
        while credits < bufferCount { credits += try senderInput.read().credits }
        return end
    }

    /// L2CAP header, opcode and handle of a write, in bytes.
    private static let overhead = 4 + 3

    /// The ACL packets of one Write Command.
    private func pieces(ofValueOf size: Int) -> [[UInt8]] {
        let length = size + 3
        let frame =
            [UInt8(length & 0xFF), UInt8(length >> 8), 4, 0, 0x52, 3, 0] + [UInt8](repeating: 0x5A, count: size)
        return stride(from: 0, to: frame.count, by: pieceLength).map { start in
            let piece = frame[start..<min(start + pieceLength, frame.count)]
            let field = handle | (start == 0 ? 0 : 0x1000)
            return [2, UInt8(field & 0xFF), UInt8(field >> 8), UInt8(piece.count & 0xFF), UInt8(piece.count >> 8)]
                + piece
        }
    }
}

/// What a host reads, reduced to what keeps a link full.
private struct PacketInput {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    /// Bytes of a packet that is not whole yet, at the front of the buffer.
    private var kept = 0

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads once: the credits that came back, and the bytes of data that came in.
    mutating func read() throws -> (credits: Int, bytes: Int) {
        let (descriptor, from) = (descriptor, kept)
        let count = buffer.withUnsafeMutableBytes { memory in
            let free = UnsafeMutableRawBufferPointer(rebasing: memory[from...])
            return Glibc.read(descriptor, free.baseAddress, free.count)
        }
        guard count > 0 else { throw RawLink.Silent() }
        let end = from + count
        var (credits, bytes, start) = (0, 0, 0)
        while end - start >= 5 {
            let isData = buffer[start] == 2
            let length = isData ? Int(buffer[start + 3]) | Int(buffer[start + 4]) << 8 : Int(buffer[start + 2])
            let next = start + (isData ? 5 : 3) + length
            guard next <= end else { break }
            if isData { bytes += length }
            // Number Of Completed Packets, of the one connection that there is.
            if !isData, buffer[start + 1] == 0x13 { credits += Int(buffer[start + 6]) | Int(buffer[start + 7]) << 8 }
            start = next
        }
        kept = end - start
        if kept > 0, start > 0 { for index in 0..<kept { buffer[index] = buffer[start + index] } }
        return (credits, bytes)
    }
}
