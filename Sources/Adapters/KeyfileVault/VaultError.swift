/// Why the vault cannot be opened or written. Nothing was changed on the disk, whichever it is.
public enum VaultError: Error, Hashable, Sendable {
    /// There is no vault at this path.
    case missing(String)
    /// The vault is there and its key file is not: the keys cannot be read, and must not be replaced.
    case keyFileMissing(String)
    /// A vault (or an export) is there already and is never overwritten.
    case alreadyExists(String)
    /// Others than the owner have access to the key file; the mode's permission bits.
    case looseMode(String, mode: UInt32)
    /// Others than the owner may write to the directory; the mode's permission bits.
    case looseDirectory(String, mode: UInt32)
    /// The file or directory belongs to another user, by number.
    case foreignOwner(String, user: UInt32)
    /// The system does not let us read it; why.
    case unreadable(String, reason: String)
    /// The system does not let us write it; why.
    case unwritable(String, reason: String)
    /// The key file has another length than 32 bytes.
    case notAKeyFile(String, bytes: Int)
    /// The file ends early, after so many bytes.
    case truncated(String, bytes: Int)
    /// The file is something else, not a vault.
    case foreign(String)
    /// A newer program wrote the file, in this format version.
    case newerVersion(String, version: UInt8)
    /// The file is of the other kind: an export where a vault belongs, or a vault where an export belongs.
    case wrongKind(String)
    /// The contents were changed since we wrote them.
    case damaged(String)
    /// The key file belongs to another vault.
    case wrongKeyFile(vault: String, keyFile: String)
    /// The vault asks for a passphrase and none was given.
    case passphraseNeeded(String)
    /// A passphrase was given and the vault has none.
    case passphraseUnexpected(String)
    /// The passphrase is not the one that the file was sealed under.
    case wrongPassphrase(String)
    /// The file asks for more work or memory than we grant, so that a hostile file cannot exhaust the machine.
    case excessiveWork(String, memoryKiB: UInt32, passes: UInt32)
    /// The machine has no memory left for the passphrase's key.
    case noMemory
    /// The cryptographic library does not start on this machine.
    case noCryptography
}

extension VaultError: CustomStringConvertible {
    /// What is wrong with which file, and where there is one, the way out.
    public var description: String {
        switch self {
        case .missing(let path): "there is no vault at \(path)"
        case .keyFileMissing(let path):
            "the key file \(path) is missing; without it the vault cannot be read: bring it back from a backup"
        case .alreadyExists(let path): "\(path) exists already and is not overwritten"
        case .looseMode(let path, let mode):
            "\(path) has mode 0\(String(mode, radix: 8)), which lets others at it: chmod 600 \(path)"
        case .looseDirectory(let path, let mode):
            "\(path) has mode 0\(String(mode, radix: 8)), which lets others write to it: chmod 700 \(path)"
        case .foreignOwner(let path, let user): "\(path) belongs to the user number \(user)"
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
        case .notAKeyFile(let path, let bytes): "\(path) is not a key file: it has \(bytes) bytes, not 32"
        case .truncated(let path, let bytes): "\(path) ends early, after \(bytes) bytes"
        case .foreign(let path): "\(path) is not a vault"
        case .newerVersion(let path, let version): "\(path) has format \(version), which this version cannot read"
        case .wrongKind(let path): "\(path) is the wrong kind of file: a vault is not an export"
        case .damaged(let path): "\(path) is damaged"
        case .wrongKeyFile(let vault, let keyFile): "the key file \(keyFile) does not belong to \(vault)"
        case .passphraseNeeded(let path): "\(path) needs its passphrase"
        case .passphraseUnexpected(let path): "a passphrase was given, but \(path) has none"
        case .wrongPassphrase(let path): "wrong passphrase for \(path)"
        case .excessiveWork(let path, let memory, let passes):
            "\(path) asks for \(memory) KiB and \(passes) passes to try a passphrase, which is outside our limits"
        case .noMemory: "out of memory"
        case .noCryptography: "libsodium does not start"
        }
    }
}
