/// Who has taken how much of a bounded table, and who gives way when it is full.
///
/// Senders' names are free to invent, links are not: so the holders are links. Whoever holds the most gives way, which
/// leaves each holder its equal share whatever the others do: nobody displaces more than what another has beyond it.
///
/// [ours]: the reference evicts the oldest, so that one hostile neighbour empties every table.
public struct FairShares<Holder: Hashable & Comparable & Sendable>: Sendable {
    private var held: [Holder: Int] = [:]
    /// What all holders have together.
    public private(set) var total = 0

    /// Nobody holds anything.
    public init() {}

    /// The number of holders that have anything.
    public var holders: Int { held.count }

    /// What one holder has.
    public subscript(holder: Holder) -> Int { held[holder] ?? 0 }

    /// Notes that a holder has taken so much more; less, for a negative amount.
    public mutating func add(_ amount: Int, to holder: Holder) {
        guard amount != 0 else { return }
        let sum = held[holder, default: 0] + amount
        held[holder] = sum > 0 ? sum : nil
        total += amount
    }

    /// Who gives way so that `newcomer` may take `amount` more: the one that would then have the most.
    ///
    /// Of several the newcomer itself, if it has anything to give; else the lowest. Constant time for a holder of half
    /// of everything, which a flood becomes; else one look at each holder.
    ///
    /// - Returns: `nil` when nobody holds anything.
    public func yielding(to newcomer: Holder, amount: Int = 1) -> Holder? {
        let own = self[newcomer]
        if own > 0, 2 * own >= total { return newcomer }
        var (fullest, most): (Holder?, Int) = own > 0 ? (newcomer, own + amount) : (nil, 0)
        for (holder, count) in held where holder != newcomer {
            // Equals are told apart by order, not by the table's own one, which differs from run to run.
            if count > most || count == most && fullest.map({ $0 != newcomer && holder < $0 }) ?? false {
                (fullest, most) = (holder, count)
            }
        }
        return fullest
    }

    /// The most that each may keep so that all together keep at most `target`; those below it keep everything.
    public func level(keeping target: Int) -> Int {
        var rest = target
        for (place, count) in held.values.sorted().enumerated() {
            let share = rest / (held.count - place)
            if count > share { return share }
            rest -= count
        }
        return .max
    }
}
