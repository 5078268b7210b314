import CLibcrypto
import CSodium
import Domain

/// SHA-256 and what is built on it, on libcrypto's block function with its state on the stack.
///
/// The block functions neither allocate nor fail nor take a lock, and are the fastest form at the sizes that occur here
/// (docs/adr/0007). HMAC (RFC 2104) is put together from them, because one HMAC through libcrypto's or libsodium's own
/// interface costs three times as much, and a handshake takes twelve.
struct SHA256State {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address, and the function's contract wants one.
        if let address = bytes.baseAddress { SHA256_Update(&context, address, bytes.count) }
    }

    mutating func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Ends the computation and writes 32 bytes.
    mutating func finish(into digest: UnsafeMutablePointer<UInt8>) { SHA256_Final(digest, &context) }

    /// Ends the computation of something public.
    mutating func finish() -> Bytes32 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Bytes32.count) { digest in
            SHA256_Final(digest.baseAddress, &context)
            return Bytes32(loading: UnsafeRawBufferPointer(digest))
        }
    }

    /// Overwrites the state, which after a key block is as good as the key.
    mutating func wipe() { sodium_memzero(&context, MemoryLayout<SHA256_CTX>.size) }
}

/// An HMAC-SHA256 key with both of its key blocks already hashed, for several messages under one key.
struct HMACKey {
    private var inner = SHA256State()
    private var outer = SHA256State()

    private static let blockLength = 64

    /// Prepares a key of any length.
    init(_ key: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 8) { block in
            block.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count > Self.blockLength, let address = block.baseAddress {
                var hash = SHA256State()
                hash.update(key)
                hash.finish(into: address.assumingMemoryBound(to: UInt8.self))
                hash.wipe()
            } else {
                block.copyMemory(from: key)
            }
            for index in block.indices { block[index] ^= 0x36 }
            inner.update(UnsafeRawBufferPointer(block))
            for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
            outer.update(UnsafeRawBufferPointer(block))
            sodium_memzero(block.baseAddress, block.count)
        }
    }

    /// Writes the 32-byte MAC of two byte strings, one behind the other.
    ///
    /// The result may overlap the message: it is written last.
    func authenticate(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, into mac: UnsafeMutablePointer<UInt8>
    ) {
        var hash = inner
        hash.update(first)
        hash.update(second)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Bytes32.count) { digest in
            guard let address = digest.baseAddress else { return }
            hash.finish(into: address)
            var result = outer
            result.update(UnsafeRawBufferPointer(digest))
            result.finish(into: mac)
            result.wipe()
            sodium_memzero(address, digest.count)
        }
        hash.wipe()
    }

    mutating func wipe() {
        inner.wipe()
        outer.wipe()
    }
}

extension Bytes32 {
    /// Reads 32 bytes; the caller has made sure that there are as many.
    init(loading bytes: UnsafeRawBufferPointer) {
        self.init(
            high: UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)),
            low: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt128.self)))
    }

    /// Lends the 32 bytes in wire order without a heap.
    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt128.self, capacity: 2) { halves in
            halves.initializeElement(at: 0, to: high.bigEndian)
            halves.initializeElement(at: 1, to: low.bigEndian)
            return UnsafeRawBufferPointer(halves).withMemoryRebound(to: UInt8.self) { bytes in
                // Two halves were asked for, so the buffer has an address.
                body(bytes.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
