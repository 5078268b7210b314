import Domain

/// The model of X25519: multiplication by a secret number, in two fields of 2^127 - 1 elements.
///
/// Multiplication commutes, so `a * (g * b) == b * (g * a)`: both sides agree, and a third number gives another product.
/// Division undoes it, which is why this is a model.
extension ModelCryptography {
    /// The public key of a 32-byte private key (clamped on use, as the real one).
    public func agreementPublicKey(of secret: Secret) -> AgreementPublicKey {
        let scalar = Self.scalar(of: secret)
        return AgreementPublicKey(
            Bytes32(
                high: Self.product(scalar.high, Self.generator.high), low: Self.product(scalar.low, Self.generator.low))
        )
    }

    /// The shared secret, 32 bytes; `nil` for the keys for which the real one comes out all zero (RFC 7748 §6.1).
    public func agree(_ secret: Secret, with publicKey: AgreementPublicKey) -> Secret? {
        guard !Self.lowOrder.contains(publicKey.bytes) else { return nil }
        let scalar = Self.scalar(of: secret)
        var mix = Mix(Purpose.agreement)
        let (high, low) = (
            Self.product(scalar.high, publicKey.bytes.high), Self.product(scalar.low, publicKey.bytes.low)
        )
        guard high != 0 || low != 0 else { return nil }
        mix.absorb(Bytes32(high: high, low: low))
        return Secret(mix.finished())
    }

    private static let prime: UInt128 = 1 << 127 - 1
    private static let generator = Bytes32(
        high: 0x243F_6A88_85A3_08D3_1319_8A2E_0370_7344, low: 0x2409_3822_299F_31D0_082E_FA98_EC4E_6C89)

    /// Two numbers other than zero, from the clamped bytes of a private key.
    private static func scalar(of secret: Secret) -> Bytes32 {
        var bytes = secret.bytes
        if bytes.count == Bytes32.count {
            bytes[0] &= 248
            bytes[31] = bytes[31] & 127 | 64
        }
        let mixed = Mix.digest(Purpose.agreement, bytes.span)
        return Bytes32(high: max(1, reduced(mixed.high)), low: max(1, reduced(mixed.low)))
    }

    private static func reduced(_ number: UInt128) -> UInt128 {
        let folded = number & prime + number >> 127
        return folded >= prime ? folded - prime : folded
    }

    /// The product of two numbers of 128 bits, modulo 2^127 - 1.
    private static func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
        let (high, low) = reduced(left).multipliedFullWidth(by: reduced(right))
        // 2^128 = 2 (mod 2^127 - 1), and the high half of two numbers below 2^127 is below 2^126.
        return reduced(reduced(high << 1) + reduced(low))
    }

    /// Encodings of the points of low order on Curve25519, and 2^255 - 19 above some of them.
    private static let lowOrder: Set<Bytes32> = {
        let texts = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
        return Set(texts.compactMap { text in Hex.decode(text).flatMap { Bytes32($0) } }.flatMap(withTopBit))
    }()

    /// An encoding, and the same with its top bit set, which X25519 ignores.
    private static func withTopBit(_ key: Bytes32) -> [Bytes32] {
        [key, Bytes32(high: key.high, low: key.low | 0x80)]
    }
}
