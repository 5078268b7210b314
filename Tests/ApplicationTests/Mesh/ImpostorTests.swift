import Application
import Domain
import InMemory
import Testing

/// Attacks of a neighbour who owns a link or two, replays what it hears and claims what it likes (docs/adr/0014).
@Suite("A neighbour who pretends")
struct ImpostorTests {
    private let world = RealWorld.real(seed: 12)

    private func bound(_ member: RealMember, to peer: PeerID) -> [LinkReport] {
        member.node?.report.links.filter { $0.peer == peer } ?? []
    }

    /// Two members with a link and a session that was proved on it.
    private func proved() throws -> (alice: RealMember, victor: RealMember) {
        let (alice, victor) = (world.addNode("alice"), world.addNode("victor"))
        _ = world.connect(alice, victor)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("first", to: victor.id)
        let isProved = world.run(atMost: .seconds(5)) { bound(alice, to: victor.id).first?.isAuthenticated == true }
        try #require(isProved)
        return (alice, victor)
    }

    @Test("an announce with a route is passed on without it, and binds nobody's link")
    func routedAnnounce() throws {
        let (hub, far) = (world.addNode("hub"), world.addNode("far"))
        _ = world.connect(hub, far)
        let thief = Stranger(world)
        _ = thief.join(hub)
        world.time.run(for: .seconds(3))
        var packet = thief.announce(ttl: 8)
        packet.version = PacketPolicy.version2
        packet.route = [far.id]
        thief.send(packet)
        world.time.run(for: .seconds(1))
        #expect(bound(far, to: hub.id).count == 1)
        #expect(bound(far, to: thief.id).isEmpty)
        #expect(far.node?.peers.contains { $0.id == hub.id && $0.isConnected } == true)
        // It is heard of all the same, as one who is further off.
        #expect(far.node?.peers.contains { $0.id == thief.id && !$0.isConnected } == true)
    }

    @Test("a link that only claimed to be a neighbour's takes nothing from that neighbour when it changes its name")
    func rebinding() throws {
        let (alice, victor) = try proved()
        let thief = Stranger(world)
        _ = thief.join(alice)
        world.time.run(for: .seconds(1))
        // Not even signed: it binds the fresh link.
        let claim = thief.announce(sender: victor.id)
        thief.send(try #require(claim.encoded(padding: false, using: thief.compression)))
        world.time.run(for: 20)
        #expect(bound(alice, to: victor.id).count == 2)
        thief.send(thief.announce())
        // Soon after: Victor's next announce would bring back what was taken.
        world.time.run(for: 20)
        #expect(bound(alice, to: victor.id).map(\.isAuthenticated) == [true])
        #expect(alice.node?.peers.contains { $0.id == victor.id && $0.isConnected } == true)
    }

    @Test("who claims to be the writer does not swallow the answer to a handshake that came another way")
    func answer() throws {
        let (alice, mid, victor) = (world.addNode("alice"), world.addNode("mid"), world.addNode("victor"))
        _ = world.connect(alice, mid)
        _ = world.connect(mid, victor)
        world.time.run(for: .seconds(4))
        let thief = Stranger(world)
        _ = thief.join(alice)
        world.time.run(for: .seconds(1))
        thief.send(thief.announce(name: "victor", noiseKey: victor.noiseKey, sender: victor.id))
        world.time.run(for: 20)
        try #require(bound(alice, to: victor.id).count == 1)
        _ = try #require(victor.node).sendPrivate("from afar", to: alice.id)
        let isHeard = world.run(atMost: .seconds(5)) { alice.privateTexts == ["from afar"] }
        #expect(isHeard)
    }

    @Test("a copy without its signature, or under another recipient, does not silence the good one that comes after it")
    func spoiledCopies() throws {
        let alice = world.addNode("alice")
        let (author, thief) = (Stranger(world, seed: 31), Stranger(world, seed: 32))
        _ = author.join(alice)
        _ = thief.join(alice)
        world.time.run(for: .seconds(1))
        author.send(author.announce(name: "author"))
        world.time.run(for: 100)
        let message = author.message("hear me")
        thief.send(try #require(message.encoded(padding: false, using: thief.compression)))
        var misdirected = message
        misdirected.recipient = PeerID(rawValue: 77)
        thief.send(misdirected)
        world.time.run(for: 10)
        #expect(alice.publicTexts.isEmpty)
        author.send(message)
        author.send(message)
        world.time.run(for: 100)
        #expect(alice.publicTexts == ["hear me"])
    }

    @Test("an unchecked sender field draws no traffic of others: what is for its owner still goes everywhere")
    func transit() throws {
        let hub = world.addNode("hub")
        let (author, thief, other) = (
            Stranger(world, seed: 41), Stranger(world, seed: 42), Stranger(world, seed: 43)
        )
        let absent = Stranger(world, seed: 44)
        for stranger in [author, thief, other] { _ = stranger.join(hub) }
        world.time.run(for: .seconds(1))
        let claim = thief.announce(sender: absent.id)
        thief.send(try #require(claim.encoded(padding: false, using: thief.compression)))
        world.time.run(for: 50)
        author.send(
            Packet(
                type: .courierEnvelope, ttl: 7, timestamp: author.now, sender: author.id, recipient: absent.id,
                payload: [1, 2, 3]))
        world.time.run(for: 100)
        #expect(other.heard.contains { PacketView($0)?.type == .courierEnvelope })
    }

    @Test("handshakes under invented senders stop neither our own nor those of neighbours")
    func handshakes() throws {
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        _ = world.connect(alice, bob)
        _ = world.connect(alice, carol)
        let thieves = [Stranger(world, seed: 51), Stranger(world, seed: 52), Stranger(world, seed: 53)]
        for thief in thieves { _ = thief.join(alice) }
        world.time.run(for: .seconds(3))
        for number in 0..<60 {
            let thief = thieves[number % 3]
            let sender = number.isMultiple(of: 2) ? bob.id : PeerID(rawValue: UInt64(1000 + number))
            thief.send(
                Packet(
                    type: .noiseHandshake, ttl: 7, timestamp: thief.now.adding(Milliseconds(Int64(number))),
                    sender: sender, recipient: alice.id, payload: [UInt8](repeating: UInt8(number), count: 32)))
            world.time.run(for: 20)
        }
        _ = try #require(alice.node).sendPrivate("ours", to: carol.id)
        _ = try #require(bob.node).sendPrivate("a neighbour's", to: alice.id)
        let isThrough = world.run(atMost: .seconds(30)) {
            carol.privateTexts == ["ours"] && alice.privateTexts == ["a neighbour's"]
        }
        #expect(isThrough)
        withExtendedLifetime(thieves) {}
    }

    @Test("a link that is too narrow for the smallest fragment is closed")
    func narrow() {
        let alice = world.addNode("alice")
        let thief = Stranger(world)
        _ = thief.join(alice, LinkProfile(latency: 1...1, frameLimit: MeshPolicy.minimumFrameLimit - 1))
        world.time.run(for: 100)
        #expect(alice.endpoint.openLinks.isEmpty)
        let fit = Stranger(world, seed: 2)
        _ = fit.join(alice, LinkProfile(latency: 1...1, frameLimit: MeshPolicy.minimumFrameLimit))
        world.time.run(for: 100)
        #expect(alice.endpoint.openLinks.count == 1)
    }

    @Test("opening link after link fills no budgets: beyond a burst they begin empty")
    func churn() throws {
        let alice = world.addNode("alice")
        var shown = 0
        for number in 0..<80 {
            let thief = Stranger(world, seed: UInt64(500 + number))
            let connection = thief.join(alice)
            thief.send(thief.announce(name: "n"))
            world.time.run(for: 20)
            if alice.node?.peers.contains(where: { $0.id == thief.id }) == true { shown += 1 }
            world.air.disconnect(connection)
            world.time.run(for: 10)
        }
        #expect(shown >= Int(MeshPolicy.freshLinks.burst))
        #expect(shown < 80)
    }
}
