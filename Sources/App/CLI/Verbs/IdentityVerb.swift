import Domain
import KeyfileVault
import NativeCryptography

/// `identity`: who this node is, and how to take that elsewhere.
enum IdentityVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "identity", summary: "show, export or import the node's identity",
            details: """
                'show' prints peer ID, fingerprint and public keys; it works without a running node. Of a node that only \
                relays it shows the throw-away keys of this run. 'export FILE' \
                writes the secret keys to FILE, sealed under a passphrase. 'import FILE' makes the identity of this \
                home out of such a file; an identity that is there is never overwritten, and no node may be running.
                """,
            positionals: [
                PositionalSpec(
                    "ACTION", .optional, choices: ["show", "export", "import"], "what to do; show without one"),
                PositionalSpec("FILE", .optional, "the exported keys"),
            ],
            options: [
                .value(
                    "export-passphrase-file", "FILE", "a file whose first line is the passphrase of the exported keys"),
                Settings.passphraseFile.optionSpec,
            ],
            example: "satchel identity export satchel-keys.backup"),
        run: { context throws(Failure) in
            let file = context.invocation.argument("FILE")
            switch (context.invocation.argument("ACTION") ?? "show", file) {
            case ("export", let file?): try export(to: file, context)
            case ("import", let file?): try importKeys(from: file, context)
            case ("show", nil): try show(context)
            case ("show", _?): throw Failure(.usage, "'show' takes no file")
            case (let action, nil), (let action, _):
                throw Failure(.usage, "FILE is missing", hints: ["satchel identity \(action) FILE"])
            }
            return .done
        })

    private static func vault(_ context: CommandContext, _ cryptography: NativeCryptography) throws(Failure) -> Vault {
        let places = try context.places()
        return Vault(
            places, try context.configuration(in: places), cryptography: cryptography, output: context.output)
    }

    private static func show(_ context: CommandContext) throws(Failure) {
        let card: JSONValue
        if let connection = try NodeConnection.openIfRunning(context.places()) {
            card = try connection.call("identity")
        } else {
            let cryptography = NativeCryptography()
            let keys = try vault(context, cryptography).open()
            card = IdentityCard(of: keys, cryptography: cryptography).json(nickname: nil)
        }
        try answer(card, context)
    }

    private static func answer(_ card: JSONValue, _ context: CommandContext) throws(Failure) {
        guard !context.invocation.wantsJSON else { return try context.output.answer(card) }
        let rows = [
            ("nickname", "nickname"), ("role", "role"), ("id", "id"), ("fingerprint", "fingerprint"),
            ("noise key", "noiseKey"),
            ("signing key", "signingKey"),
        ]
        for (title, name) in rows {
            guard let value = card[name]?.string else { continue }
            let title = title + String(repeating: " ", count: 13 - title.count)
            try context.output.answer(title + DisplayText.line(value) + "\n")
        }
    }

    private static func exportPassphrase(_ context: CommandContext, isNew: Bool) throws(Failure) -> Passphrase {
        if let path = context.invocation.value("export-passphrase-file") { return try PassphraseSource.read(path) }
        guard PassphraseSource.canAsk else {
            throw Failure(
                .usage, "the exported keys need a passphrase, and there is no terminal to ask at",
                hints: ["name a file that holds it with --export-passphrase-file"])
        }
        return isNew
            ? try PassphraseSource.askForNew("the exported keys", context.output)
            : try PassphraseSource.ask("Passphrase of the exported keys", context.output)
    }

    private static func export(to file: String, _ context: CommandContext) throws(Failure) {
        let cryptography = NativeCryptography()
        let vault = try vault(context, cryptography)
        let keys = try vault.open()
        let passphrase = try exportPassphrase(context, isNew: true)
        let path = Places.absolute(file, in: Environment.workingDirectory)
        do {
            try vault.files.exportSealed(keys, to: path, passphrase: passphrase, from: SystemRandomness())
        } catch {
            throw Vault.failure(error)
        }
        if context.invocation.wantsJSON {
            try context.output.answer(.object(["exported": .string(path)]))
        } else {
            context.output.note("the keys are in \(path); whoever has it and the passphrase can be this node")
        }
    }

    private static func importKeys(from file: String, _ context: CommandContext) throws(Failure) {
        let places = try context.places()
        let cryptography = NativeCryptography()
        let vault = try vault(context, cryptography)
        guard try !vault.exists() else { throw Vault.failure(.alreadyExists(vault.files.path)) }
        let passphrase = try exportPassphrase(context, isNew: false)
        let own = try vault.passphraseFromFile()
        try SystemFile.makePrivateDirectory(places.data)
        let lock = try HomeLocking.lock(places)
        defer { withExtendedLifetime(lock) {} }
        do {
            let keys = try vault.files.importSealed(
                from: Places.absolute(file, in: Environment.workingDirectory), passphrase: passphrase,
                vaultPassphrase: own, randomness: SystemRandomness())
            try answer(IdentityCard(of: keys, cryptography: cryptography).json(nickname: nil), context)
        } catch let error as VaultError {
            throw Vault.failure(error)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(.internalFault, "the import failed: \(error)")
        }
    }
}
