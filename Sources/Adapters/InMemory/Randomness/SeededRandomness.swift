import Domain

/// Random bits from a seed: the same seed gives the same bits in every process and on every machine.
///
/// The generator is xoshiro256**, its state spread from the seed with SplitMix64: uniform, fast, and no secret to anyone.
/// Each consumer in a simulated world takes a ``fork(_:)`` of its own, so that adding a consumer, or one draw, does not
/// shift what the others see.
public final class SeededRandomness: Randomness {
    private let seed: UInt64
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Starts a stream.
    public init(seed: UInt64) {
        self.seed = seed
        var spread = SplitMix64(state: seed)
        state = (spread.next(), spread.next(), spread.next(), spread.next())
    }

    /// Starts from a given state, which must not be all zero; for the generator's published numbers.
    init(state: (UInt64, UInt64, UInt64, UInt64)) {
        seed = state.0
        self.state = state
    }

    /// An independent stream that depends on the seed of this one and the label only, not on what was drawn before.
    ///
    /// The same label gives the same stream again.
    public func fork(_ label: String) -> SeededRandomness {
        var mixed = SplitMix64(state: seed ^ 0x6A09_E667_F3BC_C908)
        var child = mixed.next()
        for byte in label.utf8 {
            mixed = SplitMix64(state: child ^ UInt64(byte))
            child = mixed.next()
        }
        return SeededRandomness(seed: child)
    }

    /// The next 64 uniform bits.
    public func next() -> UInt64 {
        let product = state.1 &* 5
        let result = (product << 7 | product >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    /// Overwrites every byte of `bytes`.
    public func fill(_ bytes: inout MutableSpan<UInt8>) {
        var word: UInt64 = 0
        for index in 0..<bytes.count {
            if index & 7 == 0 { word = next() }
            bytes[index] = UInt8(truncatingIfNeeded: word)
            word >>= 8
        }
    }

    /// A uniform number in 0..<1, with 53 bits.
    public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Whether something of the given probability (0...1) happens. Draws even where the answer is certain, so that a
    /// changed probability does not shift the stream.
    public func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// A number in 0..<`bound`, as uniform as one draw allows; 0 for a bound below 1. Always one draw.
    public func number(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(clamping: bound)).high)
    }
}

/// Spreads a seed into a generator's state.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
