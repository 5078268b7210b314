import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("When a link ends, or a peer has none (spec: mesh §12.3, §13.4, §15)")
struct LinkEndTests {
    private let world = RealWorld.real()

    private func announce(_ stranger: Stranger) {
        stranger.send(stranger.announce())
        world.time.run(for: 10)
    }

    @Test(
        "a peer that comes and goes is reported as gone every 0.9 s at most",
        arguments: [(500, 1), (899, 1), (900, 2), (1500, 2)] as [(Int64, Int)])
    func debounce(gap: Int64, reports: Int) {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        let first = stranger.join(alice)
        announce(stranger)
        let start = world.time.now
        world.air.disconnect(first)
        world.time.run(for: 50)
        let second = stranger.join(alice)
        announce(stranger)
        world.time.run(until: start + Milliseconds(gap))
        world.air.disconnect(second)
        world.time.run(for: 50)
        #expect(alice.peerChanges(of: stranger.id).count { $0 == .disconnected } == reports)
        #expect(alice.node?.peers.map(\.isConnected) == [false])
    }

    @Test("one of two links that a peer has ends without a word; the last one does not", arguments: [0, 1])
    func anotherStays(ending: Int) throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        var connections = [stranger.join(alice), stranger.join(alice)]
        stranger.sendEverywhere(try #require(stranger.frame(stranger.announce())))
        world.time.run(for: 10)
        try #require(alice.node?.report.links.map(\.peer) == [stranger.id, stranger.id])
        world.air.disconnect(connections.remove(at: ending))
        world.time.run(for: .seconds(2))
        #expect(alice.node?.peers.map(\.isConnected) == [true])
        #expect(!alice.peerChanges(of: stranger.id).contains(.disconnected))
        world.air.disconnect(connections[0])
        world.time.run(for: 10)
        #expect(alice.node?.peers.map(\.isConnected) == [false])
        #expect(alice.peerChanges(of: stranger.id) == [.connected, .disconnected])
    }

    /// A hub that holds an absent author for connected although no link leads there, and a neighbour.
    private func linkless() throws -> (between: Between, away: Stranger, node: Node<NativeCryptography>) {
        let between = Between()
        let away = Stranger(between.world, seed: 23)
        between.speaker.send(try #require(away.frame(away.announce(name: "away", ttl: 6))))
        between.world.time.run(for: 10)
        let node = try #require(between.hub.node)
        try #require(node.registry[away.id]?.isConnected == false)
        node.registry.update(away.id) { $0.isConnected = true }
        return (between, away, node)
    }

    @Test("23: a peer without a link that is held for connected is so until the first tick after 8 s of silence")
    func silence() throws {
        let (between, away, node) = try linkless()
        let lastSeen = try #require(node.registry[away.id]?.lastSeen)
        let tick = MeshPolicy.maintenanceInterval.count
        let due = (lastSeen.milliseconds + 8000) / tick * tick + tick
        between.world.time.run(until: Uptime(milliseconds: due - 1))
        #expect(node.registry[away.id]?.isConnected == true)
        between.world.time.run(until: Uptime(milliseconds: due))
        #expect(node.registry[away.id]?.isConnected == false)
        #expect(between.hub.peerChanges(of: away.id) == [.appeared, .disconnected])
        #expect(node.registry.isReachable(away.id, at: lastSeen + .seconds(60)))
        #expect(!node.registry.isReachable(away.id, at: lastSeen + .seconds(60) + 1))
    }

    @Test("a relayed announce of it takes the mark back, without a word")
    func relayedAnnounce() throws {
        let (between, away, node) = try linkless()
        between.speaker.send(try #require(away.frame(away.announce(name: "away", ttl: 6))))
        between.world.time.run(for: 10)
        #expect(node.registry[away.id]?.isConnected == false)
        #expect(between.hub.peerChanges(of: away.id) == [.appeared])
    }

    @Test("a relayed announce of a peer that has a link leaves it connected")
    func relayedOfNeighbour() throws {
        let between = Between()
        let listener = between.listener
        between.speaker.send(try #require(listener.frame(listener.announce(name: "listener", ttl: 6))))
        between.world.time.run(for: 10)
        #expect(between.hub.node?.peers.first { $0.id == listener.id }?.isConnected == true)
        #expect(between.hub.peerChanges(of: listener.id) == [.connected])
    }

    @Test("a direct announce on a link that stays somebody else's makes nobody connected")
    func foreignLink() throws {
        let (alice, holder) = (world.addNode("alice"), Stranger(world))
        let (second, third) = (Stranger(world, seed: 11), Stranger(world, seed: 12))
        _ = holder.join(alice)
        announce(holder)
        // The link changes hands once, and then not again for a minute.
        for other in [second, third] {
            holder.send(try #require(other.frame(other.announce())))
            world.time.run(for: 10)
        }
        #expect(alice.node?.report.links.map(\.peer) == [second.id])
        #expect(alice.node?.peers.first { $0.id == third.id }?.isConnected == false)
        #expect(!alice.peerChanges(of: third.id).contains(.connected))
    }
}
