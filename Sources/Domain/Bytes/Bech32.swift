/// Bytes as text that people copy: a readable prefix, the digit `1`, five bits a letter, and six letters that catch
/// slips of the pen (BIP-173, the first variant; not bech32m).
///
/// Source: spec, nostr §1.5.
public enum Bech32 {
    /// The longest text, in characters. [ours]: up to this length the checksum keeps its promise (BIP-173), and no longer
    /// text is worth a look; the phones set no limit, so the 90 of BIP-173 would refuse what they accept.
    public static let maximumLength = 1023
    /// The longest prefix, in characters (BIP-173).
    public static let maximumPrefixLength = 83
    /// The letters of the checksum.
    public static let checksumLength = 6

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let separator = UInt8(ascii: "1")

    /// Writes bytes behind a prefix.
    ///
    /// - Returns: `nil` for a prefix that is empty, too long, or has other characters than ASCII without blanks and capital
    ///   letters; and for a text that would be longer than ``maximumLength``.
    public static func encode(_ bytes: some Collection<UInt8>, prefix: String) -> String? {
        guard isPrefix(prefix.utf8), bytes.count <= maximumLength,
            prefix.utf8.count + 1 + (bytes.count * 8 + 4) / 5 + checksumLength <= maximumLength
        else { return nil }
        return text(of: bytes, prefix: prefix)
    }

    /// Reads a text in small letters.
    ///
    /// Bits left over behind the last whole byte count for nothing, whatever they are: the phones do not look at them.
    ///
    /// - Returns: `nil` when it is too long, has no `1` behind a proper prefix, a character that is no letter of the code
    ///   (capital ones are not), fewer than six behind the prefix, or a checksum that is wrong.
    public static func decode(_ text: some StringProtocol) -> (prefix: String, bytes: [UInt8])? {
        guard text.utf8.count <= maximumLength else { return nil }
        let characters = Array(text.utf8)
        guard let border = characters.lastIndex(of: separator) else { return nil }
        let prefix = characters[..<border]
        let letters = characters[(border + 1)...]
        guard isPrefix(prefix), letters.count >= checksumLength else { return nil }
        var checksum = Checksum(prefix: prefix)
        var symbols: [UInt8] = []
        symbols.reserveCapacity(letters.count)
        for letter in letters {
            guard letter < 128, let symbol = values[Int(letter)] else { return nil }
            checksum.feed(symbol)
            symbols.append(symbol)
        }
        guard checksum.isRight else { return nil }
        return (String(decoding: prefix, as: UTF8.self), bytes(of: symbols.dropLast(checksumLength)))
    }

    /// Writes bytes that are known to fit behind a prefix that is known to be proper.
    static func text(of bytes: some Collection<UInt8>, prefix: String) -> String {
        var checksum = Checksum(prefix: prefix.utf8)
        var text = Array(prefix.utf8) + [separator]
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        func write(_ symbol: UInt8) { text.append(alphabet[Int(symbol & 31)]) }
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                let symbol = UInt8(pending >> bits & 31)
                checksum.feed(symbol)
                write(symbol)
            }
        }
        if bits > 0 {
            let symbol = UInt8(pending << (5 - bits) & 31)
            checksum.feed(symbol)
            write(symbol)
        }
        for symbol in checksum.symbols { write(symbol) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Eight bits from five; what is left over is dropped.
    private static func bytes(of symbols: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count * 5 / 8)
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for symbol in symbols {
            pending = (pending << 5 | UInt32(symbol)) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return bytes
    }

    private static func isPrefix(_ characters: some Collection<UInt8>) -> Bool {
        (1...maximumPrefixLength).contains(characters.count)
            && characters.allSatisfy {
                (33...126).contains($0) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            }
    }

    /// What each ASCII character stands for.
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 128)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The remainder that the code's checksum is (BIP-173).
    private struct Checksum {
        private var remainder: UInt32 = 1

        private static let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]

        init(prefix: some Collection<UInt8>) {
            for character in prefix { feed(character >> 5) }
            feed(0)
            for character in prefix { feed(character & 31) }
        }

        mutating func feed(_ symbol: UInt8) {
            let top = remainder >> 25
            remainder = (remainder & 0x1FF_FFFF) << 5 ^ UInt32(symbol)
            for (bit, term) in Self.generator.enumerated() where top >> UInt32(bit) & 1 == 1 { remainder ^= term }
        }

        /// Whether what was fed ends with its own checksum.
        var isRight: Bool { remainder == 1 }

        /// The six symbols that end what was fed.
        var symbols: [UInt8] {
            var padded = self
            for _ in 0..<checksumLength { padded.feed(0) }
            let value = padded.remainder ^ 1
            return (0..<checksumLength).map { UInt8(value >> UInt32(5 * (checksumLength - 1 - $0)) & 31) }
        }
    }
}
