import Domain

extension Target {
    /// Decoders that need a key, or stand behind a seal.
    static let sealed: [Target] = [
        Target("group-state", "group", "state_decode", "tlv") { input in
            let state = GroupState(input, using: cryptography)
            _ = state?.isSignedByCreator(using: cryptography)
            return state?.encoded(using: cryptography)
        },
        Target("group-message", "group", "message_open", "payload") { GroupMessage($0)?.encoded },
        Target("group-text", []) { openGroupText($0) },
        Target("code", [("verification", "qr_verify", "url")]) { input in
            let url = String(decoding: input, as: UTF8.self)
            let now = WallTime(milliseconds: 1_760_000_000_000)
            guard let code = try? VerificationCode(scanning: url, at: now, using: cryptography) else { return }
            let again = try? VerificationCode(scanning: code.url, at: now, using: cryptography)
            require(again == code, "a code does not survive being shown")
        },
    ]

    /// Seals the input as a group's member could, so that the decoder behind the seal gets it.
    private static func openGroupText(_ plaintext: ArraySlice<UInt8>) {
        let keyBytes = [UInt8](repeating: 7, count: GroupMessage.keyLength)
        let key = cryptography.importSecret(keyBytes.span)
        let nonce = AEADNonce(prefix: 0, suffix: 0)
        let associated = [UInt8](repeating: 0, count: 16 + 4)
        var ciphertext: [UInt8] = []
        cryptography.seal(plaintext.span, key: key, nonce: nonce, associatedData: associated.span, into: &ciphertext)
        var writer = TLVWriter(.long)
        writer.append(1, associated.prefix(16))
        writer.append(2, bigEndian: UInt32(0))
        writer.append(3, nonce.bytes)
        writer.append(4, ciphertext)
        guard let payload = writer.bytes, let message = GroupMessage(payload[...]) else { return }
        do {
            _ = try message.open(with: key, using: cryptography)
        } catch {
            require(error != .decrypt || plaintext.isEmpty, "a seal does not open under its own key")
        }
    }
}
