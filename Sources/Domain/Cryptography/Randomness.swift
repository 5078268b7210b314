/// Where random bytes come from: the system in production, a seed in tests and simulations.
public protocol Randomness: AnyObject {
    /// Overwrites every byte of `bytes`.
    func fill(_ bytes: inout MutableSpan<UInt8>)
    /// The next 64 uniform bits.
    func next() -> UInt64
}

extension Randomness {
    /// Draws `count` bytes that are not secret: nonces, identifiers.
    public func bytes(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var span = result.mutableSpan
        fill(&span)
        return result
    }

    /// Draws a number in the closed range, uniformly.
    public func number(in range: ClosedRange<Int64>) -> Int64 {
        var generator = Generator(source: self)
        return Int64.random(in: range, using: &generator)
    }
}

/// Lends a ``Randomness`` to the standard library's algorithms.
private struct Generator: RandomNumberGenerator {
    let source: any Randomness
    func next() -> UInt64 { source.next() }
}
