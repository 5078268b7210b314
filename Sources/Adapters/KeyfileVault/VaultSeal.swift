import CSodium

/// Seals key bytes into a ``VaultFile`` and opens them again.
enum VaultSeal {
    private static let keyLength = 32
    private static let sealContext = Array("satchel-vault-seal-v1".utf8)
    private static let checkContext = Array("satchel-vault-key-check-v1".utf8)

    /// Eight bytes that tell a key file apart from others and say nothing else about its 256 random bits.
    static func keyCheck(of keyFile: WipedBytes) throws(VaultError) -> [UInt8] {
        let digest = try hash(checkContext, key: keyFile)
        return digest.withSpan(of: 0..<VaultFile.keyCheckLength) { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Seals `plaintext` and puts the result into `file`.
    static func seal(
        _ plaintext: WipedBytes, into file: inout VaultFile, keyFile: WipedBytes?, passphrase: Passphrase?
    ) throws(VaultError) {
        let key = try sealingKey(of: file, keyFile: keyFile, passphrase: passphrase)
        let header = file.header
        let nonce = file.nonce
        var output = [UInt8](repeating: 0, count: VaultFile.sealedLength)
        try key.withBytes { key throws(VaultError) in
            try plaintext.withBytes { bytes throws(VaultError) in
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &output, nil, bytes, UInt64(plaintext.count), header, UInt64(header.count), nil, nonce, key)
            }
        }
        file.sealed = output
    }

    /// Opens the sealed bytes; `nil` when they do not verify under these keys and this header.
    static func open(
        _ file: VaultFile, keyFile: WipedBytes?, passphrase: Passphrase?
    ) throws(VaultError) -> WipedBytes? {
        let key = try sealingKey(of: file, keyFile: keyFile, passphrase: passphrase)
        let header = file.header
        var isAuthentic = false
        let plaintext = try WipedBytes(count: VaultFile.sealedLength - 16) { output throws(VaultError) in
            isAuthentic = try key.withBytes { key throws(VaultError) in
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    output, nil, nil, file.sealed, UInt64(file.sealed.count), header, UInt64(header.count),
                    file.nonce, key) == 0
            }
        }
        return isAuthentic ? plaintext : nil
    }

    /// One key of the key file and the passphrase's key: whoever lacks either has nothing.
    private static func sealingKey(
        of file: VaultFile, keyFile: WipedBytes?, passphrase: Passphrase?
    ) throws(VaultError) -> WipedBytes {
        let passphraseKey: WipedBytes? =
            if let passphrase { try stretch(passphrase, file) } else { nil }
        guard let outer = keyFile ?? passphraseKey else { throw .noCryptography }
        guard keyFile != nil, let passphraseKey else { return try hash(sealContext, key: outer) }
        let message = try WipedBytes(count: sealContext.count + keyLength) { memory throws(VaultError) in
            memory.update(from: sealContext, count: sealContext.count)
            try passphraseKey.withBytes { bytes throws(VaultError) in
                (memory + sealContext.count).update(from: bytes, count: keyLength)
            }
        }
        return try message.withBytes { bytes throws(VaultError) in try hash(bytes, count: message.count, key: outer) }
    }

    private static func stretch(_ passphrase: Passphrase, _ file: VaultFile) throws(VaultError) -> WipedBytes {
        try WipedBytes(count: keyLength) { output throws(VaultError) in
            let status = try passphrase.bytes.withBytes { typed throws(VaultError) in
                typed.withMemoryRebound(to: CChar.self, capacity: passphrase.bytes.count) { typed in
                    crypto_pwhash(
                        output, UInt64(keyLength), typed, UInt64(passphrase.bytes.count), file.salt,
                        UInt64(file.work.passes), Int(file.work.memoryKiB) * 1024, crypto_pwhash_alg_argon2id13())
                }
            }
            guard status == 0 else { throw .noMemory }
        }
    }

    private static func hash(_ message: [UInt8], key: WipedBytes) throws(VaultError) -> WipedBytes {
        try message.withUnsafeBufferPointer { bytes throws(VaultError) in
            guard let start = bytes.baseAddress else { throw .noMemory }
            return try hash(start, count: bytes.count, key: key)
        }
    }

    private static func hash(
        _ message: UnsafePointer<UInt8>, count: Int, key: WipedBytes
    ) throws(VaultError) -> WipedBytes {
        try WipedBytes(count: keyLength) { output throws(VaultError) in
            try key.withBytes { bytes throws(VaultError) in
                _ = crypto_generichash(output, keyLength, message, UInt64(count), bytes, key.count)
            }
        }
    }
}
