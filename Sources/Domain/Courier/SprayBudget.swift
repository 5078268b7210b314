/// How many copies of one envelope its holder stands for.
///
/// Spray-and-wait: a courier that meets another gives away half of what it holds, so that mail spreads through a crowd
/// while the number of copies in the world stays what the sender set. The cap keeps a hostile envelope from turning
/// couriers into an amplifier.
///
/// Source: spec, store-and-forward §3.2, §3.7.
public struct SprayBudget: Hashable, Sendable {
    /// Copies held, 1...``CourierPolicy/maximumCopies``. One means: carry, do not spray.
    public private(set) var copies: UInt8

    /// What a sender starts with.
    public static let initial = SprayBudget(clamping: CourierPolicy.initialCopies)
    /// One copy: carried, never sprayed; what an envelope means that does not tell.
    public static let single = SprayBudget(clamping: 1)

    /// Takes a claim from the wire into the allowed range.
    public init(clamping claimed: UInt8) { copies = min(max(claimed, 1), CourierPolicy.maximumCopies) }

    /// What to offer a courier just met: half, rounded down; `nil` when only one copy is left.
    public var share: SprayBudget? { copies > 1 ? SprayBudget(clamping: copies / 2) : nil }

    /// Takes `share` off, for another courier.
    ///
    /// Between offer and acceptance another transfer may have won: then too few copies are left, nothing changes, and the
    /// answer is `false`. Held and given always add up to what was held before.
    public mutating func give(_ share: SprayBudget) -> Bool {
        guard copies > share.copies else { return false }
        copies -= share.copies
        return true
    }

    /// Puts a share back that was taken off with ``give(_:)`` and did not leave.
    public mutating func takeBack(_ share: SprayBudget) { self = SprayBudget(clamping: copies + share.copies) }
}

extension SprayBudget: Comparable {
    /// Orders by the number of copies.
    public static func < (left: SprayBudget, right: SprayBudget) -> Bool { left.copies < right.copies }
}
