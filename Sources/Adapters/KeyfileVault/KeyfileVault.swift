import Application
import Domain

/// Keeps the node's long-lived keys on disk: sealed in `identity.vault`, under a key file and, where one is set, a
/// passphrase.
///
/// A vault that cannot be read is never overwritten: the identity in it may still be rescued, and a headless node
/// refuses to start rather than become someone else (spec: noise §1.1). Writers hold the ``HomeLock``.
public struct KeyfileVault<C: Cryptography>: Sendable {
    /// The sealed keys.
    public let path: String
    /// 32 random bytes, for the owner alone (mode 0600 or less).
    public let keyFilePath: String
    private let directory: String
    private let cryptography: C
    private let work: PassphraseWork

    /// Names the vault in `directory`; nothing is touched yet.
    ///
    /// - Parameters:
    ///   - directory: Made with mode 0700 when the vault is created.
    ///   - keyFile: The key file's path; `vault.key` in the directory when `nil`. Elsewhere it can live on a
    ///     stick, for example.
    ///   - work: What a guess at a passphrase set from now on will cost.
    public init(directory: String, keyFile: String? = nil, work: PassphraseWork = .standard, cryptography: C) {
        self.directory = directory
        path = directory + "/identity.vault"
        keyFilePath = keyFile ?? directory + "/vault.key"
        self.work = work
        self.cryptography = cryptography
    }

    /// Whether there is a vault, readable or not.
    public func exists() throws(VaultError) -> Bool { try PrivateFile.exists(path) }

    /// Opens the vault.
    ///
    /// - Parameter passphrase: Exactly when the vault has one. Trying it takes 64 MiB and some tenths of a second.
    public func open(passphrase: Passphrase? = nil) throws(VaultError) -> IdentityKeys<C> {
        try keys(in: contents(passphrase: passphrase))
    }

    /// Makes new keys and a vault for them; refused when there is a vault already.
    ///
    /// A key file that is there already is used, so that a creation which a power cut interrupted can be repeated.
    public func create(passphrase: Passphrase? = nil, from randomness: any Randomness) throws(VaultError)
        -> IdentityKeys<C>
    {
        let keys = IdentityKeys<C>(
            noise: cryptography.makeSecret(count: 32, from: randomness),
            signing: cryptography.makeSecret(count: 32, from: randomness),
            data: cryptography.makeSecret(count: 32, from: randomness))
        try establish(bytes(of: keys), passphrase: passphrase, from: randomness)
        return keys
    }

    /// Opens the vault, or creates one when there is none. Whatever else is wrong is thrown and nothing is written.
    public func openOrCreate(passphrase: Passphrase? = nil, from randomness: any Randomness) throws(VaultError)
        -> IdentityKeys<C>
    {
        try exists() ? open(passphrase: passphrase) : create(passphrase: passphrase, from: randomness)
    }

    /// Seals the same keys under another passphrase, or none.
    public func changePassphrase(
        from old: Passphrase?, to new: Passphrase?, randomness: any Randomness
    ) throws(VaultError) {
        let plaintext = try contents(passphrase: old)
        guard let keyFile = try keyFile() else { throw .keyFileMissing(keyFilePath) }
        try write(plaintext, keyFile: keyFile, passphrase: new, to: path, replacing: true, from: randomness)
    }

    /// Writes the keys to a file of their own, sealed under a passphrase alone: a backup, or the way to another machine.
    ///
    /// - Parameter destination: Must not exist.
    public func exportSealed(
        _ keys: IdentityKeys<C>, to destination: String, passphrase: Passphrase, from randomness: any Randomness
    ) throws(VaultError) {
        try write(
            bytes(of: keys), keyFile: nil, passphrase: passphrase, to: destination, replacing: false, isHome: false,
            from: randomness)
    }

    /// Creates the vault from an export; refused when there is a vault already.
    ///
    /// - Parameters:
    ///   - passphrase: The export's.
    ///   - vaultPassphrase: The new vault's, if it shall have one.
    public func importSealed(
        from source: String, passphrase: Passphrase, vaultPassphrase: Passphrase? = nil,
        randomness: any Randomness
    ) throws(VaultError) -> IdentityKeys<C> {
        let file = try read(source)
        guard file.protection == .passphrase else { throw .wrongKind(source) }
        let plaintext = try open(file, keyFile: nil, passphrase: passphrase, path: source)
        try establish(plaintext, passphrase: vaultPassphrase, from: randomness)
        return keys(in: plaintext)
    }

    /// Destroys the keys for good, the key file first: without it neither the vault nor what the stores sealed opens.
    public func destroy() throws(VaultError) {
        for file in [keyFilePath, path, keyFilePath + ".new", path + ".new"] {
            guard try PrivateFile.exists(file) else { continue }
            try PrivateFile.destroy(file)
            try PrivateFile.flushDirectory(of: file)
        }
    }
}

extension KeyfileVault {
    private static var keyFileLength: Int { 32 }

    private func keyFile() throws(VaultError) -> WipedBytes? {
        try PrivateFile.readSecret(keyFilePath, count: Self.keyFileLength)
    }

    private func read(_ path: String) throws(VaultError) -> VaultFile {
        // One byte more than a vault has, to notice what does not belong to it.
        guard let bytes = try PrivateFile.read(path, limit: VaultFile.length + 1) else { throw .missing(path) }
        return try VaultFile(bytes, path: path)
    }

    private func contents(passphrase: Passphrase?) throws(VaultError) -> WipedBytes {
        let file = try read(path)
        guard file.protection != .passphrase else { throw .wrongKind(path) }
        guard let keyFile = try keyFile() else { throw .keyFileMissing(keyFilePath) }
        guard try VaultSeal.keyCheck(of: keyFile) == file.keyCheck else {
            throw .wrongKeyFile(vault: path, keyFile: keyFilePath)
        }
        switch (file.protection, passphrase) {
        case (.keyFileAndPassphrase, nil): throw .passphraseNeeded(path)
        case (.keyFile, .some): throw .passphraseUnexpected(path)
        default: return try open(file, keyFile: keyFile, passphrase: passphrase, path: path)
        }
    }

    private func open(
        _ file: VaultFile, keyFile: WipedBytes?, passphrase: Passphrase?, path: String
    ) throws(VaultError) -> WipedBytes {
        guard passphrase == nil || file.work.isAcceptable else {
            throw .excessiveWork(path, memoryKiB: file.work.memoryKiB, passes: file.work.passes)
        }
        guard let plaintext = try VaultSeal.open(file, keyFile: keyFile, passphrase: passphrase) else {
            // The checksum and the key file were right before: only the passphrase is left, or a forger.
            throw passphrase == nil ? .damaged(path) : .wrongPassphrase(path)
        }
        return plaintext
    }

    /// Writes a vault where there is none, with a key file where there is none.
    private func establish(
        _ plaintext: WipedBytes, passphrase: Passphrase?, from randomness: any Randomness
    ) throws(VaultError) {
        try PrivateFile.makeDirectory(directory)
        guard try !exists() else { throw .alreadyExists(path) }
        let keyFile: WipedBytes
        if let existing = try self.keyFile() {
            keyFile = existing
        } else {
            keyFile = try WipedBytes(count: Self.keyFileLength) { memory throws(VaultError) in
                var span = MutableSpan(_unsafeStart: memory, count: Self.keyFileLength)
                randomness.fill(&span)
            }
            try keyFile.withBytes { bytes throws(VaultError) in
                try PrivateFile.write(bytes, count: Self.keyFileLength, to: keyFilePath, replacing: false)
            }
        }
        try write(plaintext, keyFile: keyFile, passphrase: passphrase, to: path, replacing: false, from: randomness)
    }

    private func write(
        _ plaintext: WipedBytes, keyFile: WipedBytes?, passphrase: Passphrase?, to path: String, replacing: Bool,
        isHome: Bool = true, from randomness: any Randomness
    ) throws(VaultError) {
        let check =
            if let keyFile { try VaultSeal.keyCheck(of: keyFile) } else {
                [UInt8](repeating: 0, count: VaultFile.keyCheckLength)
            }
        var file = VaultFile(
            protection: keyFile == nil ? .passphrase : passphrase == nil ? .keyFile : .keyFileAndPassphrase,
            work: passphrase == nil ? .none : work, salt: randomness.bytes(VaultFile.saltLength), keyCheck: check,
            nonce: randomness.bytes(VaultFile.nonceLength))
        try VaultSeal.seal(plaintext, into: &file, keyFile: keyFile, passphrase: passphrase)
        let encoded = file.encoded
        try PrivateFile.write(encoded, count: encoded.count, to: path, replacing: replacing, isHome: isHome)
    }

    private func bytes(of keys: IdentityKeys<C>) throws(VaultError) -> WipedBytes {
        try WipedBytes(count: 96) { memory throws(VaultError) in
            for (index, secret) in [keys.noise, keys.signing, keys.data].enumerated() {
                cryptography.withBytes(of: secret) { bytes in
                    for offset in 0..<min(32, bytes.count) { memory[index * 32 + offset] = bytes[offset] }
                }
            }
        }
    }

    private func keys(in plaintext: WipedBytes) -> IdentityKeys<C> {
        IdentityKeys(
            noise: plaintext.withSpan(of: 0..<32) { cryptography.importSecret($0) },
            signing: plaintext.withSpan(of: 32..<64) { cryptography.importSecret($0) },
            data: plaintext.withSpan(of: 64..<96) { cryptography.importSecret($0) })
    }
}
