import Domain

extension TopologyReport {
    /// The mesh as `topology --json` prints it: every claimed edge, and beside them those that both ends claim
    /// (spec: app §13.3).
    public var json: JSONValue {
        .object([
            "nodes": .array(
                members.map { member in
                    .object([
                        "id": .string(member.id.hex), "name": member.displayName.map { .string($0) },
                        "self": .bool(member.isSelf), "isConnected": .bool(member.isConnected),
                    ])
                }),
            "edges": Self.pairs(edges), "confirmedEdges": Self.pairs(edges.filter(\.isConfirmed)),
        ])
    }

    private static func pairs(_ edges: [Topology.Edge]) -> JSONValue {
        .array(edges.map { .array([.string($0.first.hex), .string($0.second.hex)]) })
    }
}

extension TraceReport {
    /// The way as `trace --json` prints it: `way` is `direct`, `route` or `flooded`; `hops` are the nodes in
    /// between; `isConfirmed` whether both ends of each edge on some way claim it.
    ///
    /// - Parameters:
    ///   - peer: Where the way leads.
    ///   - name: What a node is called; raw text of others.
    public func json(to peer: PeerID, name: (PeerID) -> String?) -> JSONValue {
        func node(_ id: PeerID) -> JSONValue {
            .object(["id": .string(id.hex), "displayName": name(id).map { .string($0) }])
        }
        let (way, hops): (String, [PeerID]) =
            switch self {
            case .direct: ("direct", [])
            case .route(let hops): ("route", hops)
            case .flooded: ("flooded", [])
            }
        return .object([
            "peer": .string(peer.hex), "displayName": name(peer).map { .string($0) }, "way": .string(way),
            "hops": .array(hops.map(node)),
            "isConfirmed": .bool(self != .flooded(isConfirmed: false)),
        ])
    }
}
