import Application
import Domain
import InMemory

/// Real nodes on a graph, whose neighbours have heard each other: carries one public message at a time and tells how it
/// spread.
///
/// Setting up, the air loses every announce but the direct ones: links are bound and degrees are right after one of
/// those, and hundreds of thousands of relayed ones would be all that the machine does. While a message spreads the air
/// loses all announces; a peer with a link stays connected without them.
final class CoverageMesh {
    let graph: MeshGraph
    let world: World<ModelCryptography>
    /// Frames of other kinds that were not lost while messages spread, by type.
    private(set) var strangers: [MessageType: Int] = [:]
    private var places: [ObjectIdentifier: Int] = [:]
    private var openers: [[Int: Bool]]
    private var hops: [Spread.Hop] = []
    private var messages = 0
    /// Longer than six relays with the longest delay (220 ms) over the slowest links.
    private static let longestSpread: Milliseconds = 1500
    private static let setUpTime: Milliseconds = .seconds(3)

    enum Failure: Error {
        /// A node is not connected to as many peers as it has links.
        case notMet(node: Int, degree: Int)
        case down
    }

    /// Builds the mesh and lets neighbours meet.
    ///
    /// - Parameter loss: The probability that a link loses a frame, from then on.
    init(_ graph: MeshGraph, seed: UInt64, settings: NodeSettings, loss: Double = 0) throws {
        self.graph = graph
        world = World(seed: seed, cryptography: ModelCryptography())
        openers = [[Int: Bool]](repeating: [:], count: graph.count)
        for node in 0..<graph.count {
            let member = world.addNode("n\(node)", settings: settings)
            member.notices.observe = { [unowned member] _ in member.notices.clear() }
            places[ObjectIdentifier(member.endpoint)] = node
        }
        for link in graph.links {
            _ = world.connect(world.members[link.opener], world.members[link.other])
            openers[link.opener][link.other] = true
            openers[link.other][link.opener] = false
        }
        world.air.filter = { frame, _, _ in PacketView(frame)?.isDirectAnnounce ?? false }
        world.time.run(for: Self.setUpTime)
        for (node, member) in world.members.enumerated() {
            let degree = member.node?.report.connectedPeers ?? 0
            guard degree == graph.neighbours[node].count else { throw Failure.notMet(node: node, degree: degree) }
        }
        world.air.filter = { frame, _, _ in PacketView(frame)?.type != .announce }
        world.air.tap = { [unowned self] in sent($0) }
        for connection in world.air.openConnections { connection.profile.loss = loss }
    }

    /// Has a node say something to everyone, and waits until no copy can be on its way any more.
    func spread(from origin: Int) throws -> Spread {
        guard let node = world.members[origin].node else { throw Failure.down }
        messages += 1
        hops = []
        let start = world.time.now
        _ = try node.sendPublic("message \(messages)")
        world.time.run(for: Self.longestSpread)
        return Spread(origin: origin, startedAt: start, hops: hops, nodes: graph.count)
    }

    private func sent(_ frame: FrameInFlight) {
        guard let view = PacketView(frame.bytes), view.type != .announce else { return }
        guard view.type == .message, let sender = places[ObjectIdentifier(frame.sender)],
            let receiver = places[ObjectIdentifier(frame.receiver)]
        else { return strangers[view.type, default: 0] += 1 }
        hops.append(
            Spread.Hop(
                sender: sender, receiver: receiver, isOutgoing: openers[sender][receiver] ?? false, ttl: view.ttl,
                arrival: frame.arrivals.first))
    }
}
