/// Which counters of one receive direction were accepted, the last 1,024 of them.
///
/// The bits lie in a ring, one per counter modulo the ring's length, so that moving the window clears whole words and
/// shifts nothing. (The phones shift their bitmap, in the wrong direction inside a byte; spec: noise §3.4.)
///
/// Source: spec, noise §3.3.
public struct ReplayWindow: Sendable {
    /// How many counters back from the highest one are told apart.
    public static let width: UInt64 = 1024

    /// One word more than the width needs, because a window that begins inside a word touches 17 of them.
    private static let wordCount: UInt64 = width / 64 + 1

    /// The highest counter that was accepted; 0 at the start.
    public private(set) var highest: UInt64 = 0
    private var seen = InlineArray<17, UInt64>(repeating: 0)

    /// A window that has seen nothing.
    public init() {}

    /// Whether a message with this counter may be opened: it is new, and not too old to tell.
    public func accepts(_ counter: UInt64) -> Bool {
        if counter > highest { return true }
        // `highest - counter` cannot overflow here, and a window that is not full yet has no lower end.
        guard highest - counter < Self.width else { return false }
        return seen[Self.word(counter)] & Self.bit(counter) == 0
    }

    /// Marks a counter as seen, after its message was opened. One behind the window changes nothing.
    public mutating func record(_ counter: UInt64) {
        if counter > highest {
            advance(to: counter)
        } else if highest - counter >= Self.width {
            return
        }
        seen[Self.word(counter)] |= Self.bit(counter)
    }

    /// Moves the upper end and forgets what the words that it enters held before.
    private mutating func advance(to counter: UInt64) {
        let (from, to) = (highest / 64, counter / 64)
        for block in 0..<min(to - from, Self.wordCount) { seen[Self.word((to - block) * 64)] = 0 }
        highest = counter
    }

    private static func word(_ counter: UInt64) -> Int { Int(truncatingIfNeeded: counter / 64 % wordCount) }

    private static func bit(_ counter: UInt64) -> UInt64 { 1 << (counter % 64) }
}
