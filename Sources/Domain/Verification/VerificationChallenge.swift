/// The body of a verification challenge (0x10): "are you the owner of this Noise key?"
///
/// Source: spec, noise §8.2.
public struct VerificationChallenge: Hashable, Sendable {
    /// The Noise key asked for, as hexadecimal text; an answer repeats the text as it came.
    public let noiseKeyText: String
    /// Random bytes, ``nonceLength`` of them when they are good.
    public let nonce: [UInt8]

    /// How many bytes a nonce has.
    public static let nonceLength = 16

    /// Asks for a key.
    public init(noiseKey: AgreementPublicKey, nonce: [UInt8]) {
        noiseKeyText = noiseKey.bytes.hex
        self.nonce = nonce
    }

    /// The body; `nil` when the nonce exceeds 255 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 84)
        writer.append(VerificationTag.noiseKey, noiseKeyText.utf8)
        writer.append(VerificationTag.nonce, nonce)
        return writer.bytes
    }

    /// Reads a body: the two fields in this order; what follows is passed over.
    ///
    /// - Returns: `nil` for another field or order, a length past the end, or a key that is not UTF-8.
    public init?(_ body: ArraySlice<UInt8>) {
        var fields = TLVReader(body, .short, leftover: .ignored)
        guard let key = fields.next(VerificationTag.noiseKey)?.text, let nonce = fields.next(VerificationTag.nonce)
        else { return nil }
        noiseKeyText = key
        self.nonce = Array(nonce)
    }

    /// Whether the owner of that key should answer: the text names it, in digits of either case, and the nonce has the
    /// right length, so that nobody can have other texts signed (spec: app §8.3).
    public func asks(for noiseKey: AgreementPublicKey) -> Bool {
        nonce.count == Self.nonceLength && noiseKeyText.namesKey(noiseKey)
    }
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
