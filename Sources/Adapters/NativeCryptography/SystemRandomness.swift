import CSodium
import Domain

/// Random bytes from the operating system (`getrandom` through libsodium).
public final class SystemRandomness: Randomness, Sendable {
    /// Makes a source.
    public init() { Libsodium.start() }

    /// Overwrites every byte with random ones.
    public func fill(_ bytes: inout MutableSpan<UInt8>) {
        bytes.withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { randombytes_buf(address, buffer.count) }
        }
    }

    /// The next 64 uniform bits.
    public func next() -> UInt64 {
        var value: UInt64 = 0
        randombytes_buf(&value, MemoryLayout<UInt64>.size)
        return value
    }
}

/// libsodium wants one call before any other; it picks the fastest code for this processor.
enum Libsodium {
    private static let result = sodium_init()

    /// Makes sure that the library is ready. A library that does not start leaves no safe way on, so this ends the process.
    static func start() {
        guard result >= 0 else { fatalError("libsodium cannot start on this machine") }
    }
}
