import Domain

/// A fast 256-bit mix for models of hashes: spreads well and is the same in every process, and that is all.
///
/// Not cryptography: whoever tries finds collisions. Bytes are absorbed as a stream, so that the digest does not depend
/// on how they were split.
struct Mix {
    private var lanes: (UInt64, UInt64, UInt64, UInt64)
    private var partial: UInt64 = 0
    private var count = 0

    private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let second: UInt64 = 0xD1B5_4A32_D192_ED03

    /// Starts a digest; different purposes give unrelated digests of the same bytes.
    init(_ purpose: UInt64) { lanes = (purpose, ~purpose, Self.first, Self.second) }

    mutating func absorb(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, count & 7 != 0 {
            absorb(bytes[index])
            index += 1
        }
        let raw = bytes.bytes
        while bytes.count - index >= 8 {
            // A bounds-checked load; "unsafe" only for types that not every bit pattern is a value of.
            round(UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)))
            count += 8
            index += 8
        }
        while index < bytes.count {
            absorb(bytes[index])
            index += 1
        }
    }

    mutating func absorb(_ byte: UInt8) {
        partial |= UInt64(byte) << UInt64((count & 7) * 8)
        count += 1
        if count & 7 == 0 {
            round(partial)
            partial = 0
        }
    }

    /// Absorbs eight bytes.
    mutating func absorb(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { absorb(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// Absorbs 32 bytes.
    mutating func absorb(_ bytes: Bytes32) {
        for half in [bytes.high, bytes.low] {
            absorb(UInt64(truncatingIfNeeded: half >> 64).byteSwapped)
            absorb(UInt64(truncatingIfNeeded: half).byteSwapped)
        }
    }

    /// The digest of everything absorbed.
    func finished() -> Bytes32 {
        var copy = self
        copy.round(partial)
        copy.round(UInt64(count) ^ Self.second)
        for index in 0..<6 { copy.round(UInt64(index)) }
        let (a, b, c, d) = copy.lanes
        return Bytes32(high: UInt128(a) << 64 | UInt128(b), low: UInt128(c) << 64 | UInt128(d))
    }

    private mutating func round(_ word: UInt64) {
        let mixed = lanes.0 ^ word
        let product = (mixed ^ Self.first).multipliedFullWidth(by: lanes.3 | 1)
        let turned = mixed << 23 | mixed >> 41
        lanes = (
            lanes.1 &+ product.low, lanes.2 ^ product.high, (lanes.3 &+ turned) &* Self.second,
            (turned ^ (product.low << 31 | product.low >> 33)) &+ Self.first
        )
    }
}

extension Mix {
    /// The digest of some bytes for a purpose.
    static func digest(_ purpose: UInt64, _ bytes: Span<UInt8>) -> Bytes32 {
        var mix = Mix(purpose)
        mix.absorb(bytes)
        return mix.finished()
    }
}
