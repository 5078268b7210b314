/// Lowercase hexadecimal text, the form of every identifier that people and JSON see.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Writes two lowercase digits a byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads ASCII digits of either case, an even number of them and nothing else.
    ///
    /// Stricter than the phones' parser on purpose (spec: packet §1.3): no blanks, prefix or signs.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8)
    }

    /// Reads ASCII digits of either case given as bytes.
    public static func decode(_ ascii: some Collection<UInt8>) -> [UInt8]? {
        guard ascii.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ascii.count / 2)
        var pending: UInt8?
        for character in ascii {
            guard let digit = value(of: character) else { return nil }
            if let first = pending {
                bytes.append(first << 4 | digit)
                pending = nil
            } else {
                pending = digit
            }
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
