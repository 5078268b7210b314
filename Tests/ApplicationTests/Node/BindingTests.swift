import Application
import Domain
import InMemory
import Testing

@Suite("Which peer a link belongs to (spec: mesh §13)")
struct BindingTests {
    private let world = RealWorld.real()

    @Test("8: an announce on somebody else's link that does not verify leaves the link where it is")
    func unverified() throws {
        let (alice, holder, other) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = holder.join(alice)
        holder.send(holder.announce())
        world.time.run(for: 10)
        holder.send(try #require(other.frame(other.announce(), signingWith: holder.keys.signing)))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedBadSignature) == 1)
        #expect(alice.node?.report.links.map(\.peer) == [holder.id])
        #expect(alice.node?.peers.map(\.id) == [holder.id])
    }

    @Test("8: a link changes hands once a minute; after that it does again, and the earlier holder is gone")
    func changesHands() throws {
        let (alice, holder) = (world.addNode("alice"), Stranger(world))
        _ = holder.join(alice)
        holder.send(holder.announce())
        world.time.run(for: 10)
        let (second, third) = (Stranger(world, seed: 11), Stranger(world, seed: 12))
        func announce(_ other: Stranger) throws {
            holder.send(try #require(other.frame(other.announce())))
            world.time.run(for: 10)
        }
        try announce(second)
        #expect(alice.node?.report.links.map(\.peer) == [second.id])
        #expect(alice.node?.peers.map(\.id) == [second.id])
        world.time.run(for: .seconds(59))
        try announce(third)
        #expect(alice.node?.report.links.map(\.peer) == [second.id])
        world.time.run(for: .seconds(1))
        try announce(third)
        #expect(alice.node?.report.links.map(\.peer) == [third.id])
        #expect(alice.node?.peers.map(\.id) == [third.id])
    }

    @Test("9: a relayed announce binds nothing; the link's peer has given a sign of life, its author is not connected")
    func relayed() throws {
        let (alice, holder, author) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = holder.join(alice)
        holder.send(holder.announce())
        world.time.run(for: .seconds(1))
        holder.send(try #require(author.frame(author.announce(name: "far", ttl: 6))))
        world.time.run(for: 10)
        #expect(alice.node?.report.links.map(\.peer) == [holder.id])
        let peers = try #require(alice.node?.peers)
        let near = try #require(peers.first { $0.id == holder.id })
        let far = try #require(peers.first { $0.id == author.id })
        #expect(world.time.now - near.lastSeen < 10)
        #expect(near.isConnected)
        #expect(!far.isConnected)
        #expect(far.isReachable)
    }

    @Test("9: on a link that belongs to nobody it does not even bind that one")
    func relayedOnFreeLink() throws {
        let (alice, author) = (world.addNode("alice"), Stranger(world))
        _ = author.join(alice)
        author.send(author.announce(ttl: 6))
        world.time.run(for: 10)
        #expect(alice.node?.report.links.map(\.peer) == [nil])
        #expect(alice.node?.peers.map(\.isConnected) == [false])
    }

    @Test("10: the same direct announce on two free links within 3 s binds both and is handled once")
    func twoLinks() throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        _ = stranger.join(alice)
        _ = stranger.join(alice)
        stranger.sendEverywhere(try #require(stranger.frame(stranger.announce())))
        world.time.run(for: 10)
        #expect(alice.node?.report.links.map(\.peer) == [stranger.id, stranger.id])
        #expect(alice.counter(.announcesAccepted) == 1)
        #expect(alice.counter(.droppedDuplicateAtIngress) == 1)
    }

    @Test("23: a peer whose link is lost stays reachable for 60 s of silence while another one is connected")
    func retention() throws {
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        let connection = world.connect(alice, bob)
        _ = world.connect(alice, carol)
        world.time.run(for: .seconds(5))
        world.air.disconnect(connection)
        world.time.run(for: .seconds(1))
        func bobAsSeen() -> PeerReport? { alice.node?.peers.first { $0.id == bob.id } }
        let lost = try #require(bobAsSeen())
        #expect(!lost.isConnected)
        #expect(lost.isReachable)
        world.time.run(for: lost.lastSeen + .seconds(60) - world.time.now)
        #expect(bobAsSeen()?.lastSeen == lost.lastSeen)
        #expect(bobAsSeen()?.isReachable == true)
        world.time.run(for: 1)
        #expect(bobAsSeen()?.isReachable != true)
        world.time.run(for: MeshPolicy.maintenanceInterval)
        #expect(bobAsSeen() == nil)
    }
}

@Suite("Links that are one too many (spec: mesh §13.3)")
struct RedundantLinkTests {
    private let world = RealWorld.real()

    @Test("of two links that a node opened to one neighbour the newer stays, and both talk on")
    func nodes() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = world.connect(alice, bob)
        let isRetired = world.run(atMost: .seconds(40)) { alice.endpoint.openLinks.count == 1 }
        #expect(isRetired)
        #expect(alice.counter(.linksRetired) == 1)
        #expect(bob.counter(.linksRetired) == 0)
        #expect(alice.endpoint.openLinks == [LinkID(rawValue: 2)])
        world.time.run(for: .seconds(1))
        #expect(alice.node?.report.links.map(\.peer) == [bob.id])
        #expect(bob.node?.report.links.map(\.peer) == [alice.id])
        _ = try #require(alice.node).sendPrivate("over the second", to: bob.id)
        _ = try #require(bob.node).sendPrivate("and back", to: alice.id)
        world.time.run(for: .seconds(3))
        #expect(bob.privateTexts == ["over the second"])
        #expect(alice.privateTexts == ["and back"])
        #expect(!disconnects(alice).contains(bob.id))
    }

    @Test(
        "one that a handshake proved goes once another handshake has proved the newer one; links of the other side stay"
    )
    func proved() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("over the first", to: bob.id)
        _ = world.connect(bob, alice)
        world.time.run(for: .seconds(3))
        _ = world.connect(alice, bob)
        let isRetired = world.run(atMost: .seconds(60)) { alice.counter(.linksRetired) == 1 }
        #expect(isRetired)
        #expect(alice.endpoint.openLinks == [LinkID(rawValue: 2), LinkID(rawValue: 3)])
        #expect(disconnects(alice).isEmpty)
        _ = try #require(alice.node).sendPrivate("over the third", to: bob.id)
        world.time.run(for: .seconds(3))
        #expect(bob.privateTexts == ["over the first", "over the third"])
    }

    /// Peers that a node reported as disconnected.
    private func disconnects(_ member: RealMember) -> [PeerID] {
        member.events.compactMap {
            if case .peer(let change) = $0, change.kind == .disconnected { change.peer } else { nil }
        }
    }

    /// A node with two links to a stranger that it opened, at different times, and one that the stranger opened.
    private func scene() throws -> (alice: RealMember, stranger: Stranger, opened: [LinkID], accepted: LinkID) {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        let first = try #require(world.open(alice, to: stranger))
        world.time.run(for: 10)
        let second = try #require(world.open(alice, to: stranger))
        world.time.run(for: 10)
        let accepted = try #require(world.open(stranger, to: alice))
        world.time.run(for: .seconds(1))
        return (alice, stranger, [first, second], accepted)
    }

    @Test("an announce alone retires nothing, as often as it comes: anybody can replay one")
    func replayed() throws {
        let (alice, stranger, opened, accepted) = try scene()
        for _ in 0..<4 {
            stranger.sendEverywhere(try #require(stranger.frame(stranger.announce())))
            world.time.run(for: .seconds(25))
        }
        #expect(alice.endpoint.openLinks == opened + [accepted])
        #expect(alice.counter(.linksRetired) == 0)
    }

    @Test("an announce that is relayed, or does not verify, retires nothing")
    func refused() throws {
        let (alice, stranger, opened, accepted) = try scene()
        stranger.sendEverywhere(try #require(stranger.frame(stranger.announce())))
        world.time.run(for: 10)
        let thief = Stranger(world, seed: 5)
        stranger.sendEverywhere(try #require(stranger.frame(stranger.announce(ttl: 6))))
        stranger.sendEverywhere(
            try #require(stranger.frame(stranger.announce(name: "x"), signingWith: thief.keys.signing)))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedBadSignature) > 0)
        #expect(alice.endpoint.openLinks == opened + [accepted])
    }

    @Test("once a minute at most")
    func cooldown() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = world.connect(alice, bob)
        let isFirst = world.run(atMost: .seconds(60)) { alice.counter(.linksRetired) == 1 }
        #expect(isFirst)
        let first = world.time.now
        _ = world.connect(alice, bob)
        let isSecond = world.run(atMost: .seconds(120)) { alice.counter(.linksRetired) == 2 }
        #expect(isSecond)
        #expect(world.time.now - first >= MeshPolicy.retirementInterval)
        #expect(alice.endpoint.openLinks == [LinkID(rawValue: 3)])
    }
}
