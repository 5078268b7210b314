/// How many copies of one envelope its holder stands for.
///
/// Spray-and-wait: the number of copies in the world stays what the sender set. The cap keeps a hostile envelope from
/// turning couriers into an amplifier.
///
/// Source: spec, store-and-forward §3.2.
public struct SprayBudget: Hashable, Sendable {
    /// Copies held, 1...``maximum``. One means: carry, do not spray.
    public let copies: UInt8

    /// What a sender starts with.
    public static let initial = SprayBudget(clamping: 4)
    /// One copy: carried, never sprayed; what an envelope means that does not tell.
    public static let single = SprayBudget(clamping: 1)
    /// The most that any envelope may claim.
    public static let maximum: UInt8 = 8

    /// Takes a claim from the wire into the allowed range.
    public init(clamping claimed: UInt8) { copies = min(max(claimed, 1), Self.maximum) }
}
