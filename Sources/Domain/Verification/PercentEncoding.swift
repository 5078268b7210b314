/// Percent-encoding of URL items (RFC 3986 §2).
enum PercentEncoding {
    /// Encodes every byte but letters, digits and `-._~`: phones disagree about a bare `+` (spec: noise §8.1).
    static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output += Hex.encode(CollectionOfOne(byte)).uppercased().utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes text; `nil` for a `%` without two hexadecimal digits behind it, and for bytes that are not UTF-8.
    static func decode(_ text: some Collection<UInt8>) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                output.append(byte)
                continue
            }
            guard let decoded = Hex.decode(rest.prefix(2)), decoded.count == 1 else { return nil }
            output += decoded
            rest = rest.dropFirst(2)
        }
        return output.text
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
