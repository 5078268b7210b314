import Application
import Domain

/// How one message spread: every frame of it, in the order of sending.
struct Spread {
    /// Who wrote it.
    let origin: Int
    /// When.
    let startedAt: Uptime
    /// Its frames.
    let hops: [Hop]
    /// The copy that each node heard first, by its place in ``hops``; what it relays, if anything, is that one.
    let firstCopies: [Int?]

    struct Hop {
        let sender: Int
        let receiver: Int
        /// Whether the sender opened the link.
        let isOutgoing: Bool
        let ttl: UInt8
        /// `nil`: lost.
        let arrival: Uptime?
    }

    init(origin: Int, startedAt: Uptime, hops: [Hop], nodes: Int) {
        self.origin = origin
        self.startedAt = startedAt
        self.hops = hops
        var first = [Int?](repeating: nil, count: nodes)
        for (index, hop) in hops.enumerated() {
            guard let arrival = hop.arrival else { continue }
            // Copies that arrive in the same millisecond come in the order in which they were sent.
            if let known = first[hop.receiver], let time = hops[known].arrival, time <= arrival { continue }
            first[hop.receiver] = index
        }
        firstCopies = first
    }

    /// The first copy that a node heard; `nil` when it heard none.
    func firstCopy(at node: Int) -> Hop? { firstCopies[node].map { hops[$0] } }

    /// Whose radio received a copy, and who wrote it.
    var covered: Set<Int> {
        Set(firstCopies.indices.filter { firstCopies[$0] != nil }).union([origin])
    }

    /// How long it took until the last one of those had it.
    var duration: Milliseconds {
        firstCopies.indices.compactMap { $0 == origin ? nil : firstCopy(at: $0)?.arrival }.max().map { $0 - startedAt }
            ?? 0
    }
}
