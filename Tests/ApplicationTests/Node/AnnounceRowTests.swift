import Domain
import InMemory
import Testing

@testable import Application

@Suite("When an announce of ours is due, and what others' say (spec: mesh §12)")
struct AnnounceRowTests {
    private let world = RealWorld.real()

    @Test("the first one after the start leaves 0.6 s after it, besides those that links get")
    func start() throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        let start = world.time.now
        let watch = AirWatch(world, of: alice)
        _ = try #require(world.open(alice, to: stranger))
        world.time.run(for: .seconds(4))
        #expect(watch.frames(.announce, by: alice.id).map(\.time) == [start, start + 600])
    }

    @Test("without a link nothing is sent, and a link that comes up later gets its own")
    func alone() throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        let up = world.time.now
        _ = try #require(world.open(alice, to: stranger))
        world.time.run(for: .seconds(2))
        #expect(watch.frames(.announce, by: alice.id).map(\.time) == [up])
    }

    @Test(
        "a new peer is answered at once and told of again 0.3 to 0.6 s later, heard directly or not", arguments: [7, 6])
    func afterglow(ttl: UInt8) throws {
        var delays: Set<Int64> = []
        for seed in 0..<20 as Range<UInt64> {
            let world = RealWorld.real(seed: seed)
            let (alice, stranger) = (world.addNode("alice"), Stranger(world))
            _ = stranger.join(alice)
            world.time.run(for: .seconds(1))
            let watch = AirWatch(world, of: alice)
            let arrival = world.time.now + 1
            stranger.send(stranger.announce(ttl: ttl))
            world.time.run(for: .seconds(2))
            let times = watch.frames(.announce, by: alice.id).map(\.time)
            try #require(times.count == 2)
            #expect(times[0] == arrival)
            #expect((300...600).contains((times[1] - arrival).count))
            delays.insert((times[1] - arrival).count)
        }
        #expect(delays.count > 5)
    }

    @Test("a peer that is known already is told of no more")
    func known() throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        _ = stranger.join(alice)
        stranger.send(stranger.announce())
        world.time.run(for: .seconds(2))
        let watch = AirWatch(world, of: alice)
        stranger.send(stranger.announce(name: "renamed"))
        world.time.run(for: .seconds(2))
        #expect(alice.node?.peers.map(\.nickname) == ["renamed"])
        #expect(watch.frames(.announce, by: alice.id).isEmpty)
    }

    @Test("once a session stands each side announces itself", arguments: [0, 1])
    func session(observed: Int) throws {
        let members = ["alice", "bob"].map { world.addNode($0) }
        _ = world.connect(members[0], members[1])
        world.time.run(for: .seconds(2))
        let watch = AirWatch(world, of: members[observed])
        _ = try #require(members[0].node).sendPrivate("hello", to: members[1].id)
        world.time.run(for: 200)
        #expect(members.map { $0.node?.report.sessions } == [1, 1])
        #expect(watch.frames(.announce, by: members[observed].id).count == 1)
        let types = watch.sent.map(\.view.type)
        let handshake = try #require(types.lastIndex(of: .noiseHandshake))
        #expect(try #require(types.firstIndex(of: .announce)) > handshake)
    }

    @Test("30: one with more neighbours than fit a link leaves whole, with as many as fit", arguments: [182, 185, 244])
    func trimmed(limit: Int) throws {
        let (hub, narrow) = (world.addNode("hub"), Stranger(world))
        _ = narrow.join(hub, LinkProfile(latency: 1...1, frameLimit: limit))
        narrow.send(narrow.announce())
        let around = (0..<12).map { Stranger(world, seed: UInt64(100 + $0)) }
        for stranger in around {
            _ = stranger.join(hub)
            stranger.send(stranger.announce())
        }
        world.time.run(for: .seconds(2))
        try #require(hub.node?.report.connectedPeers == 13)
        narrow.heard.removeAll()
        _ = try #require(hub.node).setNickname("hub two")
        world.time.run(for: 10)
        let frame = try #require(narrow.heard.first)
        let view = try #require(PacketView(frame))
        #expect(narrow.heard.count == 1)
        #expect(view.isDirectAnnounce && view.sender == hub.id)
        #expect(frame.count <= limit && frame.count + PeerID.count > limit)
        let announce = try #require(Announce(view.payloadSection))
        #expect(announce.neighbours?.isEmpty == false)
        #expect(Set(announce.neighbours ?? []).isSubset(of: Set(around.map(\.id) + [narrow.id])))
    }

    /// An announce that names neighbours.
    private func announce(_ stranger: Stranger, neighbours: [PeerID]?) throws -> Packet {
        var packet = stranger.announce()
        var announce = try #require(Announce(packet.payload[...]))
        announce.neighbours = neighbours
        packet.payload = try #require(announce.encoded)
        return packet
    }

    @Test("one that names no neighbours takes none back; another list replaces the first; a bad signature adds nothing")
    func claims() throws {
        let (alice, stranger, thief) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = stranger.join(alice)
        func neighbours() -> Set<PeerID> {
            let edges = alice.node?.topology.edges ?? []
            return Set(edges.flatMap { [$0.first, $0.second] }).subtracting([alice.id, stranger.id])
        }
        let (one, two, three) = (PeerID(rawValue: 11), PeerID(rawValue: 12), PeerID(rawValue: 13))
        stranger.send(try announce(stranger, neighbours: [one, two]))
        world.time.run(for: 10)
        #expect(neighbours() == [one, two])
        stranger.send(try announce(stranger, neighbours: nil))
        world.time.run(for: 10)
        #expect(alice.counter(.announcesAccepted) == 2)
        #expect(neighbours() == [one, two])
        stranger.send(try announce(stranger, neighbours: [three]), signingWith: thief.keys.signing)
        world.time.run(for: 10)
        #expect(neighbours() == [one, two])
        stranger.send(try announce(stranger, neighbours: [two, three]))
        world.time.run(for: 10)
        #expect(neighbours() == [two, three])
    }
}
