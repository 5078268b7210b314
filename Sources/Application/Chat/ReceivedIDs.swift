import Domain

/// The private messages that arrived lately, so that a repeated one shows once; bounded for each conversation and in all.
///
/// When there are too many in all, the conversation with the most forgets the older half of its own: nobody can make us
/// show another's messages twice by writing a lot.
struct ReceivedIDs {
    private var conversations: [PeerID: RecentIDs] = [:]
    private var shares = FairShares<PeerID>()

    /// Identifiers remembered.
    var count: Int { shares.total }

    /// Adds an identifier; `false` when it is there already.
    mutating func insert(_ id: MessageID, from peer: PeerID) -> Bool {
        guard change(peer, { $0.insert(id) }) else { return false }
        if count > ChatPolicy.rememberedInAll, let yielding = shares.yielding(to: peer) {
            change(yielding) { $0.forgetOlderHalf() }
        }
        return true
    }

    /// Forgets an identifier.
    mutating func remove(_ id: MessageID, from peer: PeerID) { change(peer) { $0.remove(id) } }

    private mutating func change<Result>(_ peer: PeerID, _ body: (inout RecentIDs) -> Result) -> Result {
        let before = conversations[peer]?.count ?? 0
        let result = body(&conversations[peer, default: RecentIDs()])
        let after = conversations[peer]?.count ?? 0
        shares.add(after - before, to: peer)
        if after == 0 { conversations[peer] = nil }
        return result
    }
}
