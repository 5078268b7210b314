/// The growing pauses between tries: each about twice the one before, up to a bound, and never in step with others.
struct Backoff {
    private let first: Int64
    private let longest: Int64
    private var next: Int64

    /// Both in milliseconds.
    init(first: Int64, longest: Int64) {
        self.first = max(1, first)
        self.longest = max(first, longest, 1)
        next = self.first
    }

    /// The next pause in milliseconds: between half and all of the nominal one, so that the nodes that one outage cut off
    /// do not all come back in the same instant, and never below half of the first.
    ///
    /// - Parameter random: 64 uniform bits.
    mutating func pause(_ random: UInt64) -> Int64 {
        let nominal = next
        next = nominal > longest / 2 ? longest : nominal * 2
        let half = nominal / 2
        return half + Int64(random % UInt64(nominal - half + 1))
    }

    /// Starts again from the shortest.
    mutating func reset() { next = first }

    /// Goes straight to the longest: the other side is known not to want us.
    mutating func exhaust() { next = longest }
}
