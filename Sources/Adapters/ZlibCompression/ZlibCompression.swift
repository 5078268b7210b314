import CZlib
import Domain

/// Raw DEFLATE by the system's zlib.
///
/// Classic zlib, with the parameters that Apple documents for the phones' encoder, because a receiver may check a
/// signature over a stream that it compressed itself: another encoder, equally correct, would break the check.
///
/// Source: spec, packet §2.5, §2.6, §2.9.
public struct ZlibCompression: Compression {
    private let deflaters = DeflaterPool()

    /// The library's version, as it names itself.
    public static var libraryVersion: String { String(cString: zlibVersion()) }

    /// Makes a compressor; copies of it share their idle encoder states.
    public init() {}

    /// Compresses in one shot; see ``Domain/Compression/deflate(_:level:limit:)``.
    ///
    /// - Parameters:
    ///   - level: 0...9; any other gives `nil`.
    ///   - limit: Bytes; also the size of the output buffer, so that a refused result costs no more than that.
    public func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]? {
        guard (0...9).contains(level), limit > 0, let deflater = deflaters.take(level: level) else { return nil }
        defer { deflaters.give(back: deflater) }
        return deflater.deflate(bytes, limit: limit)
    }

    /// Expands one complete raw stream; see ``Domain/Compression/inflate(_:size:)``.
    ///
    /// The output buffer has exactly `size` bytes, whatever the stream wants; the caller has bounded `size`. A size of
    /// 0 is refused, as everywhere on the wire.
    public func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]? {
        guard size > 0, let sizeForZlib = UInt32(exactly: size), let inputSize = UInt32(exactly: bytes.count)
        else { return nil }
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var isComplete = false
        let output = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads its input; the missing `const` is C's history.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = inputSize
                stream.next_out = buffer.baseAddress
                stream.avail_out = sizeForZlib
                let result = CZlib.inflate(&stream, Z_FINISH)
                isComplete = result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0
            }
            count = isComplete ? size : 0
        }
        return isComplete ? output : nil
    }
}
