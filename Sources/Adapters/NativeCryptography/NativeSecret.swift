import CSodium
import Domain
import Synchronization

/// Bytes that must not leak, in memory of their own that is overwritten when the last reference goes.
///
/// Plain heap memory and a wipe, not `sodium_malloc`: its guard pages take several system calls, 18 µs a secret, and a
/// handshake makes some twenty of them beside key agreements of 40 µs. Page locks count whole pages, so releasing one
/// secret would unlock its neighbours. The program forbids dumps of the whole process (``ProcessMemory``); what the system
/// swaps out is as safe as its swap space.
///
/// The class shows nothing of its content: neither a description nor a mirror tells more than the type.
///
/// `@unchecked Sendable`: the bytes are written before the initialiser returns and never again; the expanded signing key
/// is published once, and the cipher context taken and given back, by atomic exchanges; all three are wiped when no
/// reference is left.
public final class NativeSecret: @unchecked Sendable, CustomReflectable {
    /// The number of bytes in the secret.
    let count: Int
    /// The bytes. There are always 32 at least, zeros behind a shorter secret, so that a C function that takes a
    /// 32-byte key never reads past the end.
    let bytes: UnsafeMutablePointer<UInt8>
    /// The address of the expanded Ed25519 key, or 0 before the first signature.
    private let expandedKey = Atomic<UInt>(0)
    /// The address of an idle cipher context under this key, or 0.
    private let idleContext = Atomic<UInt>(0)

    private var capacity: Int { max(count, 32) }
    private static let expandedCount = 64

    /// Makes a secret of `count` bytes, zeros until `fill` writes them.
    init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.count = max(count, 0)
        let capacity = max(count, 32)
        bytes = .allocate(capacity: capacity)
        bytes.initialize(repeating: 0, count: capacity)
        fill(bytes)
    }

    deinit {
        Self.discard(bytes, capacity)
        if let expanded = UnsafeMutablePointer<UInt8>(bitPattern: expandedKey.load(ordering: .acquiring)) {
            Self.discard(expanded, Self.expandedCount)
        }
        if let context = OpaquePointer(bitPattern: idleContext.load(ordering: .acquiring)) {
            CipherContext(context).free()
        }
    }

    /// No children: a dump of a structure that holds a secret shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// libsodium's form of an Ed25519 private key (seed, then public key; 64 bytes), valid as long as `self` lives.
    ///
    /// Computed once: deriving the public key costs nearly as much as signing.
    var expandedSigningKey: UnsafeMutablePointer<UInt8> {
        UnsafeMutablePointer(bitPattern: expandedKey.load(ordering: .acquiring)) ?? expand()
    }

    /// A cipher context under this key that nobody else has; `nil` when libcrypto cannot make one.
    func takeContext() -> CipherContext? {
        OpaquePointer(bitPattern: idleContext.exchange(0, ordering: .acquiring)).map { CipherContext($0) }
            ?? CipherContext(key: bytes)
    }

    /// Keeps a context for the next caller, if there is none yet.
    func giveBack(_ context: CipherContext) {
        let address = UInt(bitPattern: context.pointer)
        if !idleContext.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged {
            context.free()
        }
    }

    private func expand() -> UnsafeMutablePointer<UInt8> {
        let expanded = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.expandedCount)
        _ = Bytes32 { crypto_sign_seed_keypair($0, expanded, bytes) }
        let (_, published) = expandedKey.compareExchange(
            expected: 0, desired: UInt(bitPattern: expanded), ordering: .acquiringAndReleasing)
        guard let winner = UnsafeMutablePointer<UInt8>(bitPattern: published) else { return expanded }
        // Another thread was first.
        Self.discard(expanded, Self.expandedCount)
        return winner
    }

    private static func discard(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        sodium_memzero(bytes, count)
        bytes.deallocate()
    }
}
