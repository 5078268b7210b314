/// Identifiers that every device derives for itself, so that copies of one message that came by different ways coincide.
///
/// Source: spec, packet §4.6, §5.3.
public enum MessageIdentity {
    /// The stable identifier of a public message: 32 hexadecimal digits.
    ///
    /// A hint, not an authenticator: everything in it is public.
    public static func publicMessage(
        sender: PeerID, timestamp: WallTime, text: String, using cryptography: some Cryptography
    ) -> String {
        let named = Array("\(sender.hex)|\(timestamp.milliseconds)|\(text.trimmedForWire)".utf8)
        return firstHalf(of: cryptography.sha256(named.span))
    }

    /// The stable identifier of a private picture or voice note, derived by both sides: `media-` and 32 digits.
    ///
    /// - Returns: `nil` for file names that are not unique by construction; then the receiver draws an identifier and sends
    ///   no stable receipt.
    public static func privateMedia(
        sender: PeerName, recipient: PeerName, fileName: String, using cryptography: some Cryptography
    ) -> String? {
        guard isUnique(fileName) else { return nil }
        var message = Array("bitchat-private-media-message-v1".utf8)
        for field in [sender.toShort(using: cryptography).bare, recipient.toShort(using: cryptography).bare, fileName] {
            message.append(bigEndian: UInt32(clamping: field.utf8.count))
            message.append(contentsOf: field.utf8)
        }
        return "media-" + firstHalf(of: cryptography.sha256(message.span))
    }

    private static func firstHalf(of digest: Bytes32) -> String { SyncID(rawValue: digest.high).hex }

    /// Whether a file name carries a UUID or a burst identifier where the phones put one.
    private static func isUnique(_ fileName: String) -> Bool {
        let name = fileName.utf8
        guard !name.contains(UInt8(ascii: "/")), let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let stem = fileName[..<dot]
        let suffix = fileName[fileName.utf8.index(after: dot)...].lowercased()
        let isVoice = suffix == "m4a" && stem.utf8.starts(with: "voice_".utf8)
        let isImage = ["jpg", "jpeg"].contains(suffix) && stem.utf8.starts(with: "img_".utf8)
        guard isVoice || isImage else { return false }
        let parts = stem.utf8.split(separator: UInt8(ascii: "_"))
        if let last = parts.last, isUUID(last) { return true }
        return isVoice && Hex.decode(stem.utf8.dropFirst(6))?.count == 8
    }

    /// Whether the text has the form 8-4-4-4-12, in digits of either case.
    private static func isUUID(_ text: some Collection<UInt8>) -> Bool {
        let groups = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map { Hex.decode($0)?.count } == [4, 2, 2, 2, 6]
    }
}
