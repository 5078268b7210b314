import Domain

/// Random UUIDs (version 4, RFC 9562) as the phones write message identifiers: upper case.
enum UUIDText {
    /// Draws one.
    static func make(from randomness: any Randomness) -> String {
        var bytes = randomness.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Hex.encode(bytes).uppercased()
        var text = ""
        for (index, digit) in hex.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
