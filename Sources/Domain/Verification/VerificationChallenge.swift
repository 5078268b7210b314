/// The body of a verification challenge (0x10): "are you the owner of this Noise key?"
///
/// Source: spec, noise §8.2.
public struct VerificationChallenge: Hashable, Sendable {
    /// The Noise key asked for, as hexadecimal text; an answer repeats the text as it came.
    public let noiseKeyText: String
    /// Sixteen random bytes, the first one most significant.
    public let nonce: UInt128

    /// Asks for a key.
    public init(noiseKey: AgreementPublicKey, nonce: UInt128) {
        noiseKeyText = noiseKey.bytes.hex
        self.nonce = nonce
    }

    /// The body.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 84)
        writer.append(VerificationTag.noiseKey, noiseKeyText.utf8)
        writer.append(VerificationTag.nonce, bigEndian: nonce)
        return writer.bytes
    }

    /// Reads a body: the two fields in this order; what follows is passed over.
    ///
    /// - Returns: `nil` for another field or order, a length past the end, a key that is not UTF-8, or a nonce without
    ///   sixteen bytes.
    public init?(_ body: ArraySlice<UInt8>) {
        var fields = TLVReader(body, .short, leftover: .ignored)
        guard let key = fields.next(VerificationTag.noiseKey)?.text, let nonce = fields.next(VerificationTag.nonce),
            let number = UInt128(exactBigEndianBytes: nonce)
        else { return nil }
        noiseKeyText = key
        self.nonce = number
    }

    /// Whether it asks for that key. The text may be of either case, but nothing else may stand for a key.
    public func asks(for noiseKey: AgreementPublicKey) -> Bool { noiseKeyText.namesKey(noiseKey) }
}

/// The numbers of the fields in challenge and response.
enum VerificationTag {
    static let noiseKey: UInt8 = 0x01
    static let nonce: UInt8 = 0x02
    static let signature: UInt8 = 0x03
}

extension TLVReader {
    /// The value of the next field if it has that number.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard let field = next(), field.tag == tag else { return nil }
        return field.value
    }
}

extension String {
    /// Whether the text is the key in hexadecimal digits of either case.
    func namesKey(_ key: AgreementPublicKey) -> Bool { Hex.decode(self).flatMap { Bytes32($0) } == key.bytes }
}
