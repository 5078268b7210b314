/// Packets with prekeys of owners whose signing key we do not know yet, until their announce comes.
///
/// Nothing about them is checked, and owners are free to invent: so the link that has put the most here gives way when there
/// is no room, its oldest packet first.
///
/// Source: spec, store-and-forward §4.4. [ours]: who gives way.
public struct DeferredBundles<Packet: Sendable>: Sendable {
    private struct Entry: Sendable {
        let owner: AgreementPublicKey
        let packet: Packet
        let source: UInt64
    }

    /// The oldest first.
    private var entries: [Entry] = []

    /// Starts empty.
    public init() {}

    /// The number of owners.
    public var count: Int { entries.count }

    /// Keeps a packet in place of an earlier one of the same owner.
    ///
    /// - Parameters:
    ///   - source: The number of the link that it came on.
    ///   - cost: Bytes that it holds.
    /// - Returns: `false` when it is too large to keep.
    @discardableResult
    public mutating func keep(
        _ packet: Packet, of owner: AgreementPublicKey, from source: UInt64, cost: Int
    ) -> Bool {
        guard cost <= PrekeyPolicy.maximumDeferredCost else { return false }
        _ = take(of: owner)
        if entries.count >= PrekeyPolicy.maximumDeferredOwners { makeRoom(for: source) }
        entries.append(Entry(owner: owner, packet: packet, source: source))
        return true
    }

    /// Gives the owner's packet back to be judged again, after a verified announce of theirs.
    public mutating func take(of owner: AgreementPublicKey) -> Packet? {
        entries.firstIndex { $0.owner == owner }.map { entries.remove(at: $0).packet }
    }

    /// Forgets everything.
    public mutating func removeAll() { entries = [] }

    private mutating func makeRoom(for source: UInt64) {
        var shares = FairShares<UInt64>()
        for entry in entries { shares.add(1, to: entry.source) }
        let yielding = shares.yielding(to: source)
        if let place = entries.firstIndex(where: { $0.source == yielding }) { entries.remove(at: place) }
    }
}
