/// Which packets somebody holds, as a Golomb-coded set: about nine bits for each, and wrong for one in 128 others.
///
/// Identifiers become values below a modulus; the sorted values' differences are written in Golomb-Rice code. Who knows
/// an identifier can tell whether it is in there, nobody can list what is.
///
/// Source: spec, store-and-forward §5.7.
public struct GCSFilter: Hashable, Sendable {
    /// The Golomb-Rice parameter: a difference's low bits, 1...32.
    public let parameter: UInt8
    /// What the values are below; not zero. One stands for the empty set.
    public let modulus: UInt32
    /// The code, at most 1,024 bytes, filled up with zero bits.
    public let data: [UInt8]

    /// The set of nothing.
    public static let empty = GCSFilter(
        unchecked: SyncPolicy.filterParameter, modulus: 1, data: [])

    /// Takes a filter off the wire; `nil` for a parameter outside 1...32, modulus zero, and more than 1,024 bytes.
    public init?(parameter: UInt8, modulus: UInt32, data: [UInt8]) {
        guard RequestSync.parameters.contains(parameter), modulus > 0, data.count <= RequestSync.maximumDataLength
        else { return nil }
        self.init(unchecked: parameter, modulus: modulus, data: data)
    }

    private init(unchecked parameter: UInt8, modulus: UInt32, data: [UInt8]) {
        self.parameter = parameter
        self.modulus = modulus
        self.data = data
    }

    /// The parameter for a rate of wrong matches; rates are taken into 0.000001...0.25.
    public static func parameter(falsePositiveRate: Double) -> UInt8 {
        let inverse = 1 / min(max(falsePositiveRate, 0.000_001), 0.25)
        // The next power of two; the rate's range keeps the exponent within 2...20.
        let exponent = inverse.significand > 1 ? inverse.exponent + 1 : inverse.exponent
        return UInt8(clamping: exponent)
    }

    /// How many identifiers are sure to fit: one takes at most the parameter and two bits.
    public static func capacity(bytes: Int, parameter: UInt8) -> Int {
        max(1, max(8, bytes * 8) / max(3, Int(parameter) + 2))
    }

    /// Builds the filter of as many identifiers as fit.
    ///
    /// - Parameters:
    ///   - hashes: What is held, the most important first.
    ///   - maximumBytes: Longest data, at most 1,024.
    ///   - parameter: 1...32.
    ///   - shortening: By how much the modulus is below the number of identifiers times two to the parameter; 0 as the
    ///     phones have it. At most a half of it is taken.
    /// - Returns: The filter, and how many of the first identifiers it covers, those that fall together counted each.
    public static func build(
        _ hashes: some Collection<SyncHash>, maximumBytes: Int = SyncPolicy.filterBytes,
        parameter: UInt8 = SyncPolicy.filterParameter, shortening: UInt64 = 0
    ) -> (filter: GCSFilter, covered: Int) {
        guard !hashes.isEmpty else { return (empty, 0) }
        let parameter = min(max(parameter, RequestSync.parameters.lowerBound), RequestSync.parameters.upperBound)
        let limit = min(max(maximumBytes, 0), RequestSync.maximumDataLength)
        var count = min(hashes.count, capacity(bytes: limit, parameter: parameter))
        let whole = UInt64(count) << UInt64(parameter)
        let modulus = UInt32(clamping: max(2, whole - min(shortening, whole / 2)))
        var values = hashes.prefix(count).map { $0.value(modulus: modulus) }
        var data = encode(values, parameter: parameter)
        // The differences add up to less than the modulus, so this does not happen; it costs nothing to be sure.
        while data.count > limit, count > 1 {
            count = max(1, count * 9 / 10)
            values.removeLast(values.count - count)
            data = encode(values, parameter: parameter)
        }
        if data.count > limit { (data, count) = ([], 0) }
        return (GCSFilter(unchecked: parameter, modulus: modulus, data: data), count)
    }

    /// Writes values in any order as differences; equal ones once.
    private static func encode(_ values: [UInt32], parameter: UInt8) -> [UInt8] {
        let low = UInt64(parameter)
        var writer = BitWriter(capacity: values.count * (Int(parameter) + 2) / 8 + 8)
        var previous: UInt32 = 0
        for value in values.sorted() where value > previous {
            let rest = UInt64(value - previous - 1)
            previous = value
            var quotient = rest >> low
            while quotient >= 24 {
                writer.append(1 << 24 - 1, count: 24)
                quotient -= 24
            }
            // The rest of the ones, and the zero that ends them.
            writer.append(1 << (quotient + 1) - 2, count: quotient + 1)
            writer.append(rest & (1 << low - 1), count: low)
        }
        return writer.finished()
    }
}

/// Writes bits, the first one topmost in its byte.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var count: UInt64 = 0

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends the low `count` bits, at most 32; the bits above them are zero.
    @inline(__always)
    mutating func append(_ bits: UInt64, count added: UInt64) {
        pending = pending << added | bits
        count += added
        if count >= 32 {
            count -= 32
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: pending >> count))
        }
    }

    /// The bytes, the last one filled up with zero bits.
    mutating func finished() -> [UInt8] {
        while count > 0 {
            let byte = count >= 8 ? pending >> (count - 8) : pending << (8 - count)
            bytes.append(UInt8(truncatingIfNeeded: byte))
            count -= min(count, 8)
        }
        return bytes
    }
}
