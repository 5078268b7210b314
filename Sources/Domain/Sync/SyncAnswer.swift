/// The answer to a sync request, frame by frame, as fast as the link takes them.
///
/// Notes only which packets are due, not their frames: a thousand of them wait in 8 KB. What is removed from the store
/// meanwhile is not sent any more.
///
/// Source: spec, store-and-forward §5.8.
public struct SyncAnswer: Sendable {
    private struct Due {
        let place: UInt32
        let stamp: UInt32
    }

    private var due: [Due] = []
    private var board: [GossipPacket] = []
    private var sent = 0

    /// Collects what a requester lacks, in the order in which it is sent.
    ///
    /// - Parameters:
    ///   - board: What the board's store has, posts before tombstones; never judged by age here.
    public init(to request: RequestSync, from store: GossipStore, board: [GossipPacket] = [], at now: WallTime) {
        let types = request.types ?? SyncPolicy.defaultTypes
        let held = GCSSet(request.filter)
        let streams = request.fragmentFilter.map(\.streams) ?? []
        for kind in GossipKind.allCases where types.contains(kind.type) {
            let isTargeted = kind == .fragment && !streams.isEmpty
            let cursor = kind.honoursCursor && !isTargeted ? request.since : nil
            let since = max(now.subtracting(kind.window), cursor ?? WallTime(milliseconds: 0))
            func isDue(_ packet: GossipPacket) -> Bool {
                packet.timestamp >= since && !held.contains(packet.hash)
                    && (!isTargeted || packet.stream.map { streams.contains($0) } ?? false)
            }
            var place = store.row(kind).oldest
            while let current = place, let (next, stamp) = store.look(at: current, isDue) {
                if let stamp { due.append(Due(place: UInt32(truncatingIfNeeded: current), stamp: stamp)) }
                place = next
            }
        }
        guard types.contains(.boardPost) else { return }
        self.board = board.filter { packet in
            request.since.map { packet.timestamp >= $0 } ?? true && !held.contains(packet.hash)
        }
    }

    /// How many packets are left to send, those counted that have been removed since.
    public var remaining: Int { due.count + board.count - sent }

    /// The next frame, ready to be sent; `nil` when all are.
    ///
    /// - Parameter store: The store that the answer was collected from, as it is now.
    public mutating func next(from store: GossipStore) -> [UInt8]? {
        while remaining > 0 {
            defer { sent += 1 }
            guard sent < due.count else { return board[sent - due.count].response }
            if let frame = store.response(at: Int(due[sent].place), stamp: due[sent].stamp) { return frame }
        }
        return nil
    }
}

extension GossipStore {
    /// The place of the entry behind this one, and this one's stamp if it is chosen; `nil` when nothing is there.
    fileprivate func look(at place: Int, _ isChosen: (GossipPacket) -> Bool) -> (next: Int?, chosen: UInt32?)? {
        entries[place].map { ($0.newer, isChosen($0.packet) ? $0.stamp : nil) }
    }

    /// The frame to send of an entry that somebody noted; `nil` when it has gone.
    fileprivate func response(at place: Int, stamp: UInt32) -> [UInt8]? {
        guard place < entries.count, let entry = entries[place], entry.stamp == stamp else { return nil }
        return entry.packet.response
    }
}
