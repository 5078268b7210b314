extension GossipStore {
    /// Builds a request for what others have of some types and this node has not.
    ///
    /// - Parameters:
    ///   - streams: In a targeted request, the fragment streams wanted; of more than sixty the first sixty (§5.10).
    ///   - board: What the board's store has; counted if board packets are asked for.
    ///   - round: Which request this is.
    /// - Returns: The request, and how many of our packets its filter covers.
    ///
    /// Source: spec, store-and-forward §5.7; see ``SyncRound`` for what is ours.
    public func request(
        for types: SyncTypeFlags, streams: [FragmentID] = [], board: [GossipPacket] = [], round: SyncRound = .plain,
        at now: WallTime
    ) -> (request: RequestSync, covered: Int) {
        var candidates = SyncCandidates(of: self, types: types, board: board, at: now)
        let count = candidates.count
        let plan = SyncFilterPlan(for: types, count: count, round: round)
        let newest = candidates.take(plan.take)
        let (filter, covered) = GCSFilter.build(
            newest.lazy.map(\.hash), maximumBytes: plan.bytes, parameter: plan.parameter,
            shortening: round.shortening(of: UInt64(newest.count) << UInt64(plan.parameter)))
        let isPartial = covered > 0 && covered < count
        return (
            RequestSync(filter, types: types, since: isPartial ? newest[covered - 1].time : nil, streams: streams),
            covered
        )
    }
}

/// The fresh packets of some types, newest first, out of orders that exist already: only those taken cost anything.
private struct SyncCandidates {
    /// How many there are, taken ones too.
    let count: Int
    private var sources: [Source] = []

    /// One type's packets, with the next one at hand.
    private struct Source {
        private var marks: TimeOrder.NewestFirst
        var left: Int
        private(set) var next: TimeOrder.Mark?

        init?(_ times: TimeOrder, count: Int) {
            guard count > 0 else { return nil }
            marks = times.newestFirst
            left = count
            next = marks.next()
        }

        mutating func advance() {
            left -= 1
            next = left > 0 ? marks.next() : nil
        }
    }

    init(of store: GossipStore, types: SyncTypeFlags, board: [GossipPacket], at now: WallTime) {
        var count = 0
        for kind in GossipKind.allCases where types.contains(kind.type) {
            let times = store.row(kind).times
            let fresh = times.count - times.count(before: now.subtracting(kind.window))
            count += fresh
            if let source = Source(times, count: fresh) { sources.append(source) }
        }
        if types.contains(.boardPost) {
            var times = TimeOrder()
            for (place, packet) in board.enumerated() {
                let place = UInt32(truncatingIfNeeded: place)
                times.insert(TimeOrder.Mark(time: packet.timestamp, stamp: place, place: place, hash: packet.hash))
            }
            count += times.count
            if let source = Source(times, count: times.count) { sources.append(source) }
        }
        self.count = count
    }

    /// Takes the newest ones.
    mutating func take(_ count: Int) -> [TimeOrder.Mark] {
        var taken: [TimeOrder.Mark] = []
        taken.reserveCapacity(count)
        while taken.count < count {
            var (best, newest): (Int?, TimeOrder.Mark?) = (nil, nil)
            for (index, source) in sources.enumerated() {
                guard let mark = source.next, newest.map({ $0 < mark }) ?? true else { continue }
                (best, newest) = (index, mark)
            }
            guard let best, let newest else { break }
            taken.append(newest)
            sources[best].advance()
        }
        return taken
    }
}
