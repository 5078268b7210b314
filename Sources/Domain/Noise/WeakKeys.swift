/// X25519 public keys that no peer has honestly: points of small order and encodings near the ends of the range.
///
/// An agreement with one of them tells nothing about the peer, or gives a result that everyone knows. The list is the
/// phones'; it is not complete, so every agreement also refuses an all-zero result.
///
/// Source: spec, noise §1.2.
public enum WeakKeys {
    private static let ones = UInt128.max
    /// In the order of the specification's table; the bytes are compared as they are, top bit included.
    private static let all = [
        Bytes32(high: 0, low: 0),
        Bytes32(high: 1 << 120, low: 0),
        Bytes32(high: 0, low: 1),
        Bytes32(high: 0xe0eb_7a7c_3b41_b8ae_1656_e3fa_f19f_c46a, low: 0xda09_8deb_9c32_b1fd_8662_0516_5f49_b800),
        Bytes32(high: 0x5f9c_95bc_a350_8c24_b1d0_b155_9c83_ef5b, low: 0x0444_5cc4_581c_8e86_d822_4edd_d09f_1157),
        Bytes32(high: ones, low: ones),
        Bytes32(high: 0xda << 120 | ones >> 8, low: ones),
        Bytes32(high: 0xdb << 120 | ones >> 8, low: ones),
    ]

    /// Whether `key` is on the list. Looks at every entry and every bit, whatever the key is.
    public static func contains(_ key: AgreementPublicKey) -> Bool {
        var found: UInt64 = 0
        for weak in all {
            let difference = (weak.high ^ key.bytes.high) | (weak.low ^ key.bytes.low)
            let folded = UInt64(truncatingIfNeeded: difference | difference >> 64)
            // The top bit of `x | -x` is set for every x but 0.
            found |= (folded | (0 &- folded)) >> 63 ^ 1
        }
        return found != 0
    }
}
