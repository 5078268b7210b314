/// Which peers are given a copy of a message.
///
/// Source: spec, store-and-forward §1.4 steps 3 and 4.
public enum CourierChoice {
    /// Chooses among the peers, best first, as many as there are places for.
    ///
    /// Mutual favorites come before others, for they keep more; among equals, those first that seem to carry mail. The rest of
    /// the order is [ours]: it differs from message to message, for a courier takes few of one sender, and always the same
    /// ones would fill up while others stand by. The reference leaves it to its hash table.
    ///
    /// - Parameters:
    ///   - message: What is to be carried.
    ///   - recipient: The recipient's Noise key; it is no courier of its own mail.
    ///   - holders: Those who hold a copy already.
    public static func couriers(
        among candidates: [CourierCandidate], for message: MessageID, to recipient: AgreementPublicKey,
        heldBy holders: [AgreementPublicKey]
    ) -> [CourierCandidate] {
        let places = OutboxPolicy.couriersPerMessage - holders.count
        guard places > 0 else { return [] }
        let start = hash(message.text.utf8, from: offsetBasis)
        let ranked = candidates.compactMap { candidate -> (rank: Rank, candidate: CourierCandidate)? in
            guard candidate.isEligible, let key = candidate.key, key != recipient, !holders.contains(key) else {
                return nil
            }
            let group = (candidate.isMutualFavorite ? 0 : 2) + (candidate.seemsToCarry ? 0 : 1)
            return ((group, hash(key.bytes.bytes, from: start), key.bytes), candidate)
        }
        var chosen: [CourierCandidate] = []
        for (_, candidate) in ranked.sorted(by: { $0.rank < $1.rank }) where chosen.count < places {
            // The same key twice would take two places for one copy.
            if !chosen.contains(where: { $0.key == candidate.key }) { chosen.append(candidate) }
        }
        return chosen
    }

    private typealias Rank = (group: Int, hash: UInt64, key: Bytes32)

    /// FNV-1a (RFC 9923): spreads well enough, and nobody gains by meeting it, since our message identifiers are random.
    private static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
