import CSodium

/// What a person types to open a vault; held in memory that is wiped on release.
public final class Passphrase: Sendable {
    let bytes: WipedBytes

    /// Takes the UTF-8 bytes over and wipes the caller's copy.
    ///
    /// - Parameter typed: At least one byte; all zero afterwards.
    /// - Returns: `nil` for an empty passphrase, or when no memory is left.
    public init?(wiping typed: inout [UInt8]) {
        let taken = try? WipedBytes(count: typed.count) { memory throws(VaultError) in
            memory.update(from: typed, count: typed.count)
        }
        sodium_memzero(&typed, typed.count)
        guard let taken else { return nil }
        bytes = taken
    }
}
