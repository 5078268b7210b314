import CSodium

/// Bytes that must not leak: locked in memory where the system allows it, and wiped on release.
///
/// Unchecked: the memory is written only before `init` returns, and read-only from then on.
final class WipedBytes: @unchecked Sendable {
    private let start: UnsafeMutablePointer<UInt8>
    let count: Int

    private static let isReady = sodium_init() >= 0

    /// Reserves `count` bytes, at least one, and lets `fill` write all of them.
    init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) throws(VaultError) -> Void) throws(VaultError) {
        guard Self.isReady else { throw .noCryptography }
        guard count > 0, let memory = sodium_malloc(count) else { throw .noMemory }
        start = memory.bindMemory(to: UInt8.self, capacity: count)
        self.count = count
        try fill(start)
        sodium_mprotect_readonly(start)
    }

    deinit {
        // sodium_free makes the pages writable again, wipes them and returns them.
        sodium_free(start)
    }

    /// Lends the bytes to C; valid until `body` returns.
    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) throws(VaultError) -> Result) throws(VaultError) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafePointer(start))
    }

    /// Lends a part of the bytes to code that takes spans.
    func withSpan<Result>(of range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        let part = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(start: start, count: count)[range])
        defer { withExtendedLifetime(self) {} }
        return body(Span(_unsafeElements: part))
    }
}
