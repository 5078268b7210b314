/// What a filter says that somebody holds, ready to be asked.
///
/// Source: spec, store-and-forward §5.7.
public struct GCSSet: Sendable {
    /// The values, ascending, each below the modulus.
    public let values: [UInt32]
    private let modulus: UInt32
    /// Where the values begin that share their topmost bits, and behind the last of them, where all end.
    private let starts: [UInt16]
    /// How many low bits the values in one of ``starts`` differ in.
    private let shift: UInt32

    /// Topmost bits that a look-up starts from: more parts than a common filter has values.
    private static let topBits = 9

    /// Decodes a filter.
    ///
    /// Costs a step for each byte and each value; a value takes at least as many bits as the parameter and one, which bounds
    /// memory before anything is allocated. Reading ends where the data end within a value, or at a value that is not
    /// below the modulus.
    public init(_ filter: GCSFilter) {
        modulus = filter.modulus
        values = modulus > 1 ? Self.decode(filter) : []
        let width = UInt32.bitWidth - (modulus - 1).leadingZeroBitCount
        shift = UInt32(max(0, width - Self.topBits))
        starts = Self.starts(of: values, shift: shift, parts: Int((modulus - 1) >> shift) + 1)
    }

    /// Whether a packet is in the set; wrongly so for a few.
    @inline(__always)
    public func contains(_ hash: SyncHash) -> Bool {
        let value = hash.value(modulus: modulus)
        let part = Int(value >> shift)
        // Mostly one value or none is left; somebody may have put all of them here, so the range is halved and not walked.
        var (low, high) = (Int(starts[part]), Int(starts[part + 1]))
        while low < high {
            let middle = (low + high) / 2
            if values[middle] == value { return true }
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// There are fewer values than the 8,192 bits of the longest filter, so their places fit.
    private static func starts(of values: [UInt32], shift: UInt32, parts: Int) -> [UInt16] {
        var starts: [UInt16] = []
        starts.reserveCapacity(parts + 1)
        for (place, value) in values.enumerated() {
            while starts.count <= Int(value >> shift) { starts.append(UInt16(truncatingIfNeeded: place)) }
        }
        while starts.count <= parts { starts.append(UInt16(truncatingIfNeeded: values.count)) }
        return starts
    }

    private static func decode(_ filter: GCSFilter) -> [UInt32] {
        let low = UInt64(filter.parameter)
        let modulus = UInt64(filter.modulus)
        var reader = BitReader(filter.data)
        var values: [UInt32] = []
        values.reserveCapacity(min(filter.data.count * 8 / (Int(filter.parameter) + 1), Int(filter.modulus)))
        var sum: UInt64 = 0
        // A run of ones has at most 8,192, a remainder at most 32 bits: no sum comes near 64.
        while let quotient = reader.takeOnes(), let remainder = reader.take(low) {
            sum += quotient << low + remainder + 1
            guard sum < modulus else { break }
            values.append(UInt32(truncatingIfNeeded: sum))
        }
        return values
    }
}

/// Reads bits, the topmost of a byte first.
private struct BitReader {
    private let bytes: [UInt8]
    private var next = 0
    /// Bits not yet read, from the top on; zero below them.
    private var window: UInt64 = 0
    private var count: UInt64 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Fills the window up to more than 56 bits, as long as there are any.
    @inline(__always)
    private mutating func fill() {
        while count <= 56, next < bytes.count {
            window |= UInt64(bytes[next]) << (56 - count)
            next += 1
            count += 8
        }
    }

    /// Takes ones and the zero behind them, and answers how many ones; `nil` when no zero comes.
    @inline(__always)
    mutating func takeOnes() -> UInt64? {
        var ones: UInt64 = 0
        while true {
            fill()
            let run = UInt64(truncatingIfNeeded: (~window).leadingZeroBitCount)
            if run < count {
                skip(run + 1)
                return ones + run
            }
            guard count > 0 else { return nil }
            ones += count
            skip(count)
        }
    }

    /// Takes so many bits, at most 32; `nil` when there are fewer.
    @inline(__always)
    mutating func take(_ bits: UInt64) -> UInt64? {
        fill()
        guard bits <= count else { return nil }
        let value = window >> (64 - bits)
        skip(bits)
        return value
    }

    @inline(__always)
    private mutating func skip(_ bits: UInt64) {
        window = window << bits
        count -= bits
    }
}
