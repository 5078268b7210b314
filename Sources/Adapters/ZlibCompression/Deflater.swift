import CZlib
import Synchronization

/// One encoder state, used again and again.
///
/// Making a state allocates and clears a quarter of a megabyte, which costs ten times what compressing a short message
/// does; `deflateReset` keeps the memory and gives the same stream.
///
/// `@unchecked Sendable`: zlib's state is not thread-safe, and a deflater is never shared. ``DeflaterPool`` hands it to one
/// caller at a time, and its lock orders one use after another.
final class Deflater: @unchecked Sendable {
    /// The compression level, 0...9.
    let level: Int
    /// On the heap, because zlib keeps the address of the structure and refuses a moved one.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Sets up a state; `nil` when memory is short.
    init?(level: Int) {
        self.level = level
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = deflateInit2_(
            stream, Int32(level), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            // `deinit` runs for a failed initialiser too: every property is set.
            return nil
        }
    }

    deinit {
        // On a state that was never set up, zlib reports an error and does nothing.
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses everything into at most `limit` bytes; `nil` when that is too few.
    func deflate(_ bytes: Span<UInt8>, limit: Int) -> [UInt8]? {
        guard let inputSize = UInt32(exactly: bytes.count), deflateReset(stream) == Z_OK else { return nil }
        // One byte more than allowed: zlib does not say that it is done when the last byte fills the buffer.
        let capacity = min(UInt(clamping: limit), deflateBound(stream, UInt(bytes.count)), UInt(UInt32.max) - 1) + 1
        var isComplete = false
        let output = [UInt8](unsafeUninitializedCapacity: Int(capacity)) { buffer, count in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads its input; the missing `const` is C's history.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = inputSize
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(capacity)
                isComplete = CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END
                count = isComplete ? Int(capacity) - Int(stream.pointee.avail_out) : 0
                // Nothing may be left that points into the caller's memory.
                stream.pointee.next_in = nil
                stream.pointee.next_out = nil
            }
        }
        return isComplete && output.count <= limit ? output : nil
    }
}

/// Idle encoder states.
final class DeflaterPool: Sendable {
    /// How many idle states are kept, a quarter of a megabyte each: one for the core, one for a worker.
    private static let capacity = 2
    private let idle = Mutex<[Deflater]>([])

    /// An idle state of that level, or a new one; `nil` when memory is short.
    func take(level: Int) -> Deflater? {
        let found = idle.withLock { idle -> Deflater? in
            idle.lastIndex { $0.level == level }.map { idle.remove(at: $0) }
        }
        return found ?? Deflater(level: level)
    }

    /// Keeps a state for the next caller; beyond the capacity the one unused for longest goes.
    func give(back deflater: Deflater) {
        let evicted = idle.withLock { idle -> Deflater? in
            idle.append(deflater)
            return idle.count > Self.capacity ? idle.removeFirst() : nil
        }
        // Freed here, outside the lock.
        _ = evicted
    }
}
