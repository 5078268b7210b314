import Application
import Domain
import KeyfileVault
import NativeCryptography

/// The node's keys on the disk, opened as the configuration says.
struct Vault {
    /// The files.
    let files: KeyfileVault<NativeCryptography>
    private let passphraseFile: String?
    private let output: Output
    private let places: Places

    /// Names the vault of a home.
    init(_ places: Places, _ configuration: Configuration, cryptography: NativeCryptography, output: Output) {
        files = KeyfileVault(directory: places.data, cryptography: cryptography)
        passphraseFile = configuration.passphraseFile
        self.output = output
        self.places = places
    }

    /// Opens the vault; one that wants a passphrase gets it from the file, or from a person at the terminal.
    func open() throws(Failure) -> IdentityKeys<NativeCryptography> {
        try PanicWipe.refuseIfPending(places)
        let passphrase = try passphraseFromFile()
        do {
            return try files.open(passphrase: passphrase)
        } catch .passphraseNeeded where passphrase == nil && PassphraseSource.canAsk {
            let typed = try PassphraseSource.ask("Passphrase for \(files.path)", output)
            do { return try files.open(passphrase: typed) } catch { throw Self.failure(error) }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Opens the vault, or makes one at the first start; says which.
    func openOrCreate(
        from randomness: any Randomness
    ) throws(Failure) -> (keys: IdentityKeys<NativeCryptography>, isNew: Bool) {
        do {
            guard try !files.exists() else { return (try open(), false) }
            return (try files.create(passphrase: try passphraseFromFile(), from: randomness), true)
        } catch let error as Failure {
            throw error
        } catch let error as VaultError {
            throw Self.failure(error)
        } catch {
            throw Failure(.internalFault, "the vault failed: \(error)")
        }
    }

    /// Whether there is a vault.
    func exists() throws(Failure) -> Bool {
        do { return try files.exists() } catch { throw Self.failure(error) }
    }

    /// The passphrase from the configured file; `nil` when none is configured.
    func passphraseFromFile() throws(Failure) -> Passphrase? {
        guard let passphraseFile else { return nil }
        return try PassphraseSource.read(passphraseFile)
    }

    /// What a fault of the vault means for the command.
    static func failure(_ error: VaultError) -> Failure {
        switch error {
        case .missing: Failure(.notFound, error.description, hints: ["'satchel run' makes one at its first start"])
        case .keyFileMissing: Failure(.notFound, error.description)
        case .alreadyExists:
            Failure(.cannotWrite, error.description, hints: ["move it away first, if it is really to be replaced"])
        case .looseMode, .looseDirectory, .foreignOwner, .wrongPassphrase: Failure(.refused, error.description)
        case .passphraseNeeded:
            Failure(
                .refused, error.description,
                hints: ["name a file that holds it: --passphrase-file or SATCHEL_PASSPHRASE_FILE"])
        case .passphraseUnexpected:
            Failure(.configuration, error.description, hints: ["take passphraseFile out of the configuration"])
        case .unreadable: Failure(.inputOutput, error.description)
        case .unwritable: Failure(.cannotWrite, error.description)
        case .notAKeyFile, .truncated, .foreign, .newerVersion, .wrongKind, .damaged, .wrongKeyFile, .excessiveWork:
            Failure(.badInput, error.description, hints: ["nothing was changed; a backup may help"])
        case .noMemory, .noCryptography: Failure(.internalFault, error.description)
        }
    }
}

/// The public side of the node's keys.
struct IdentityCard {
    /// The Noise static key.
    let noiseKey: AgreementPublicKey
    /// The signing key.
    let signingKey: SigningPublicKey
    /// The fingerprint of the Noise key.
    let fingerprint: Fingerprint

    /// Works the public keys out.
    init(of keys: IdentityKeys<NativeCryptography>, cryptography: NativeCryptography) {
        noiseKey = cryptography.agreementPublicKey(of: keys.noise)
        signingKey = cryptography.signingPublicKey(of: keys.signing)
        fingerprint = Fingerprint(of: noiseKey, using: cryptography)
    }

    /// The form of `identity show --json` and of the control method `identity`.
    func json(nickname: String?) -> JSONValue {
        .object([
            "id": .string(PeerID(fingerprint).hex), "nickname": nickname.map { .string($0) },
            "fingerprint": .string(fingerprint.hex), "noiseKey": .string(noiseKey.bytes.hex),
            "signingKey": .string(signingKey.bytes.hex),
        ])
    }
}
