import Application
import Domain
import Foundation
import NativeCryptography
import Support

@testable import KeyfileVault

/// A home in a temporary directory, with passphrases that cost little to try.
struct VaultHome {
    static let work = PassphraseWork(passes: 1, memoryKiB: 64)
    let directory: TemporaryDirectory
    let randomness = SystemRandomness()
    let cryptography = NativeCryptography()

    init() throws { directory = try TemporaryDirectory() }

    var home: String { directory.file("home") }
    var vault: KeyfileVault<NativeCryptography> {
        KeyfileVault(directory: home, work: Self.work, cryptography: cryptography)
    }

    func bytes(of keys: IdentityKeys<NativeCryptography>) -> [[UInt8]] {
        [keys.noise, keys.signing, keys.data].map { secret in
            cryptography.withBytes(of: secret) { bytes in bytes.indices.map { bytes[$0] } }
        }
    }

    /// Rewrites the vault with a change that a forger makes: the checksum fits again.
    func forge(_ name: String = "home/identity.vault", _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try directory.read(name)
        change(&bytes)
        let content = Array(bytes.dropLast(VaultFile.checksumLength))
        try directory.write(content + VaultFile.checksum(of: content), to: name)
    }
}

func passphrase(_ text: String) -> Passphrase? {
    var bytes = Array(text.utf8)
    return Passphrase(wiping: &bytes)
}

extension VaultHome {
    static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    static func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
}
