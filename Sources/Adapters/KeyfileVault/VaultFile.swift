import CSodium
import Domain

/// The bytes of a vault or an export, format version 1; everything has a fixed length.
///
/// | bytes | content |
/// |---|---|
/// | 8 | `SATCHELV` |
/// | 1 | format version, 1 |
/// | 1 | ``Protection`` |
/// | 4, 4 | Argon2id passes, and memory in KiB; zero without a passphrase |
/// | 16 | Argon2id salt |
/// | 8 | check value of the key file; zero in an export |
/// | 24 | nonce |
/// | 112 | the three keys, sealed with XChaCha20-Poly1305; all of the above is associated data |
/// | 16 | BLAKE2b over everything before: tells damage from a wrong key or passphrase, and protects nothing |
struct VaultFile {
    /// What opens the file.
    enum Protection: UInt8 {
        /// The key file alone.
        case keyFile = 1
        /// The key file and a passphrase, both.
        case keyFileAndPassphrase = 2
        /// A passphrase alone: an export, which leaves the machine without the key file.
        case passphrase = 3
    }

    var protection: Protection
    var work: PassphraseWork
    var salt: [UInt8]
    var keyCheck: [UInt8]
    var nonce: [UInt8]
    var sealed: [UInt8]

    static let magic = Array("SATCHELV".utf8)
    static let version: UInt8 = 1
    static let saltLength = 16
    static let keyCheckLength = 8
    static let nonceLength = 24
    static let sealedLength = 3 * 32 + 16
    static let checksumLength = 16
    static let headerLength = 8 + 1 + 1 + 4 + 4 + saltLength + keyCheckLength + nonceLength
    static let length = headerLength + sealedLength + checksumLength

    /// What is authenticated beside the keys.
    var header: [UInt8] {
        var bytes = Self.magic + [Self.version, protection.rawValue]
        bytes.append(bigEndian: work.passes)
        bytes.append(bigEndian: work.memoryKiB)
        return bytes + salt + keyCheck + nonce
    }

    var encoded: [UInt8] {
        let content = header + sealed
        return content + Self.checksum(of: content)
    }

    /// Reads a file's bytes.
    init(_ bytes: [UInt8], path: String) throws(VaultError) {
        let magic = bytes.prefix(Self.magic.count)
        guard magic.elementsEqual(Self.magic.prefix(magic.count)) else { throw .foreign(path) }
        if bytes.count > Self.magic.count, bytes[Self.magic.count] != Self.version {
            throw bytes[Self.magic.count] > Self.version
                ? .newerVersion(path, version: bytes[Self.magic.count]) : .foreign(path)
        }
        guard bytes.count >= Self.length else { throw .truncated(path, bytes: bytes.count) }
        let content = bytes.prefix(bytes.count - Self.checksumLength)
        var reader = ByteReader(content.dropFirst(Self.magic.count + 1))
        guard bytes.count == Self.length,
            bytes.suffix(Self.checksumLength).elementsEqual(Self.checksum(of: Array(content))),
            let protection = reader.take(UInt8.self).flatMap({ Protection(rawValue: $0) }),
            let passes = reader.take(UInt32.self), let memory = reader.take(UInt32.self),
            let salt = reader.take(Self.saltLength), let keyCheck = reader.take(Self.keyCheckLength),
            let nonce = reader.take(Self.nonceLength)
        else { throw .damaged(path) }
        self.init(
            protection: protection, work: PassphraseWork(passes: passes, memoryKiB: memory), salt: Array(salt),
            keyCheck: Array(keyCheck), nonce: Array(nonce), sealed: Array(reader.rest))
    }

    init(
        protection: Protection, work: PassphraseWork, salt: [UInt8], keyCheck: [UInt8], nonce: [UInt8],
        sealed: [UInt8] = []
    ) {
        self.protection = protection
        self.work = work
        self.salt = salt
        self.keyCheck = keyCheck
        self.nonce = nonce
        self.sealed = sealed
    }

    static func checksum(of content: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: checksumLength)
        crypto_generichash(&digest, digest.count, content, UInt64(content.count), nil, 0)
        return digest
    }
}

/// How dear one guess at a passphrase is made (Argon2id, RFC 9106).
public struct PassphraseWork: Hashable, Sendable {
    /// Passes over the memory.
    public let passes: UInt32
    /// Memory, in KiB.
    public let memoryKiB: UInt32

    /// Takes a number of passes and an amount of memory in KiB.
    public init(passes: UInt32, memoryKiB: UInt32) {
        self.passes = passes
        self.memoryKiB = memoryKiB
    }

    /// What is written: 64 MiB, so that a Raspberry Pi Zero 2 W with its 512 MiB can open the vault beside its work,
    /// and three passes, RFC 9106's advice for that much memory.
    public static let standard = PassphraseWork(passes: 3, memoryKiB: 64 * 1024)
    /// For files without a passphrase.
    static let none = PassphraseWork(passes: 0, memoryKiB: 0)

    /// The most that a file may ask of us: room to raise ``standard``, and no more than a small machine survives.
    static let passesLimit: UInt32 = 8
    /// In KiB.
    static let memoryLimitKiB: UInt32 = 256 * 1024

    /// Whether we would do this work: at least the algorithm's minimum, at most our limits.
    var isAcceptable: Bool {
        (1...Self.passesLimit).contains(passes) && (8...Self.memoryLimitKiB).contains(memoryKiB)
    }
}
