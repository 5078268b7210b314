import Application
import Domain
import NativeCryptography
import Support
import Testing

@testable import KeyfileVault

@Suite("Vault")
struct KeyfileVaultTests {
    let home: VaultHome

    init() throws { home = try VaultHome() }

    @Test("what is created is opened again, and three keys differ", arguments: [nil, "correct horse"])
    func created(secret: String?) throws {
        let created = try home.vault.openOrCreate(passphrase: secret.flatMap(passphrase), from: home.randomness)
        let opened = try home.vault.openOrCreate(passphrase: secret.flatMap(passphrase), from: home.randomness)
        #expect(home.bytes(of: created) == home.bytes(of: opened))
        #expect(Set(home.bytes(of: created)).count == 3)
        #expect(home.bytes(of: created).allSatisfy { $0.count == 32 && $0 != [UInt8](repeating: 0, count: 32) })
    }

    @Test("files are for their owner alone, and nothing else is left behind")
    func modes() throws {
        _ = try home.vault.create(from: home.randomness)
        #expect(try home.directory.mode("home") == 0o700)
        #expect(try home.directory.mode("home/identity.vault") == 0o600)
        #expect(try home.directory.mode("home/vault.key") == 0o600)
        #expect(try names() == ["identity.vault", "vault.key"])
        #expect(try home.directory.read("home/identity.vault").count == VaultFile.length)
        #expect(try home.directory.read("home/vault.key").count == 32)
    }

    private func names() throws -> [String] {
        try home.directory.names() == ["home"] ? VaultHome.names(in: home.home) : []
    }

    @Test("no key's bytes are in the files")
    func sealed() throws {
        let keys = try home.vault.create(passphrase: passphrase("p"), from: home.randomness)
        let files = try home.directory.read("home/identity.vault") + home.directory.read("home/vault.key")
        for key in home.bytes(of: keys) { #expect(!files.contains(key)) }
    }

    @Test("what is asked of an unborn vault is refused as missing, and nothing is made")
    func missing() throws {
        #expect(try !home.vault.exists())
        #expect(throws: VaultError.missing(home.vault.path)) { try home.vault.open() }
        #expect(throws: VaultError.missing(home.vault.path)) {
            try home.vault.changePassphrase(from: nil, to: nil, randomness: home.randomness)
        }
        #expect(try home.directory.names().isEmpty)
    }

    @Test("a second creation is refused and changes nothing")
    func createdTwice() throws {
        _ = try home.vault.create(from: home.randomness)
        let before = try home.directory.read("home/identity.vault")
        #expect(throws: VaultError.alreadyExists(home.vault.path)) { try home.vault.create(from: home.randomness) }
        #expect(try home.directory.read("home/identity.vault") == before)
    }

    @Test("a creation that was cut short after the key file is taken up")
    func interruptedCreation() throws {
        _ = try home.vault.create(from: home.randomness)
        let keyFile = try home.directory.read("home/vault.key")
        try VaultHome.remove(home.vault.path)
        _ = try home.vault.openOrCreate(from: home.randomness)
        #expect(try home.directory.read("home/vault.key") == keyFile)
        #expect(throws: Never.self) { try home.vault.open() }
    }

    @Test("a new file that a crash left unfinished is ignored, and gone after the next write")
    func leftover() throws {
        let keys = try home.vault.create(from: home.randomness)
        try home.directory.write([1, 2, 3], to: "home/identity.vault.new")
        #expect(try home.bytes(of: home.vault.open()) == home.bytes(of: keys))
        try home.vault.changePassphrase(from: nil, to: passphrase("p"), randomness: home.randomness)
        #expect(try names() == ["identity.vault", "vault.key"])
        #expect(try home.bytes(of: home.vault.open(passphrase: passphrase("p"))) == home.bytes(of: keys))
    }

    @Test("a write that fails leaves the vault as it was")
    func failedWrite() throws {
        let keys = try home.vault.create(from: home.randomness)
        let before = try home.directory.read("home/identity.vault")
        try VaultHome.makeDirectory(home.vault.path + ".new")
        #expect {
            try home.vault.changePassphrase(from: nil, to: passphrase("p"), randomness: home.randomness)
        } throws: { error in
            if case .unwritable(home.vault.path + ".new", _)? = error as? VaultError { true } else { false }
        }
        #expect(try home.directory.read("home/identity.vault") == before)
        #expect(try home.bytes(of: home.vault.open()) == home.bytes(of: keys))
    }

    @Test("a passphrase can be set, changed and removed; only the last one opens")
    func passphraseChange() throws {
        let keys = home.bytes(of: try home.vault.create(from: home.randomness))
        try home.vault.changePassphrase(from: nil, to: passphrase("one"), randomness: home.randomness)
        #expect(throws: VaultError.passphraseNeeded(home.vault.path)) { try home.vault.open() }
        try home.vault.changePassphrase(from: passphrase("one"), to: passphrase("two"), randomness: home.randomness)
        #expect(throws: VaultError.wrongPassphrase(home.vault.path)) {
            try home.vault.open(passphrase: passphrase("one"))
        }
        #expect(try home.bytes(of: home.vault.open(passphrase: passphrase("two"))) == keys)
        #expect(throws: VaultError.wrongPassphrase(home.vault.path)) {
            try home.vault.changePassphrase(from: passphrase("one"), to: nil, randomness: home.randomness)
        }
        try home.vault.changePassphrase(from: passphrase("two"), to: nil, randomness: home.randomness)
        #expect(try home.bytes(of: home.vault.open()) == keys)
        #expect(throws: VaultError.passphraseUnexpected(home.vault.path)) {
            try home.vault.open(passphrase: passphrase("two"))
        }
    }

    @Test("an export opens on another machine under its passphrase alone")
    func export() throws {
        let keys = try home.vault.create(from: home.randomness)
        let exported = home.directory.file("backup")
        let secret = try #require(passphrase("export"))
        // In a stranger's directory a name that we would use at home is theirs.
        try home.directory.write([1], to: "backup.new")
        try home.vault.exportSealed(keys, to: exported, passphrase: secret, from: home.randomness)
        #expect(try home.directory.read("backup.new") == [1])
        #expect(try home.directory.mode("backup") == 0o600)
        #expect(throws: VaultError.alreadyExists(exported)) {
            try home.vault.exportSealed(keys, to: exported, passphrase: secret, from: home.randomness)
        }
        let other = try VaultHome()
        let wrong = try #require(passphrase("exporT"))
        #expect(throws: VaultError.wrongPassphrase(exported)) {
            try other.vault.importSealed(from: exported, passphrase: wrong, randomness: other.randomness)
        }
        #expect(try !other.vault.exists())
        let imported = try other.vault.importSealed(
            from: exported, passphrase: secret, vaultPassphrase: passphrase("v"), randomness: other.randomness)
        #expect(other.bytes(of: imported) == home.bytes(of: keys))
        #expect(try other.bytes(of: other.vault.open(passphrase: passphrase("v"))) == home.bytes(of: keys))
        #expect(throws: VaultError.alreadyExists(other.vault.path)) {
            try other.vault.importSealed(from: exported, passphrase: secret, randomness: other.randomness)
        }
    }

    @Test("a vault is no export, and an export no vault")
    func kinds() throws {
        let keys = try home.vault.create(from: home.randomness)
        let secret = try #require(passphrase("p"))
        let other = try VaultHome()
        #expect(throws: VaultError.wrongKind(home.vault.path)) {
            try other.vault.importSealed(from: home.vault.path, passphrase: secret, randomness: home.randomness)
        }
        try home.vault.exportSealed(keys, to: home.directory.file("x"), passphrase: secret, from: home.randomness)
        try home.directory.write(home.directory.read("x"), to: "home/identity.vault")
        #expect(throws: VaultError.wrongKind(home.vault.path)) { try home.vault.open(passphrase: secret) }
    }

    @Test("destroyed keys are gone, with what a crash left of them; a new identity can follow")
    func destroyed() throws {
        let keys = try home.vault.create(from: home.randomness)
        try home.directory.write([1], to: "home/identity.vault.new")
        try home.vault.destroy()
        #expect(try names().isEmpty)
        let next = try home.vault.openOrCreate(from: home.randomness)
        #expect(home.bytes(of: next) != home.bytes(of: keys))
        try home.vault.destroy()
        #expect(throws: Never.self) { try home.vault.destroy() }
    }

    @Test("a key file elsewhere is used")
    func keyFileElsewhere() throws {
        let stick = home.directory.file("stick.key")
        let vault = KeyfileVault(directory: home.home, keyFile: stick, cryptography: home.cryptography)
        let keys = try vault.create(from: home.randomness)
        #expect(try home.directory.mode("stick.key") == 0o600)
        #expect(try home.bytes(of: vault.open()) == home.bytes(of: keys))
        try home.directory.setMode(0o400, of: "stick.key")
        #expect(throws: Never.self) { try vault.open() }
        #expect(throws: VaultError.keyFileMissing(home.vault.keyFilePath)) { try home.vault.open() }
    }

    @Test("a passphrase is taken over, and the caller's copy wiped; none is empty")
    func passphraseIsWiped() {
        var typed = Array("secret".utf8)
        #expect(Passphrase(wiping: &typed) != nil)
        #expect(typed == [UInt8](repeating: 0, count: 6))
        var empty: [UInt8] = []
        #expect(Passphrase(wiping: &empty) == nil)
    }

    @Test("the standard work is three passes over 64 MiB")
    func standardWork() throws {
        let vault = KeyfileVault(directory: home.home, cryptography: home.cryptography)
        _ = try vault.create(passphrase: passphrase("p"), from: home.randomness)
        let file = try VaultFile(home.directory.read("home/identity.vault"), path: vault.path)
        #expect(file.work == PassphraseWork(passes: 3, memoryKiB: 65_536))
    }
}
