import Domain
import InMemory
import Testing

@testable import Application

@Suite("What a handshake says of a link (spec: mesh §10.2, §14)")
struct HandshakeLinkTests {
    private let world = RealWorld.real()

    @Test(
        "33: its messages leave whole, padded where the link is wide enough, and prove the link",
        arguments: [(182, [62, 126, 94]), (512, [256, 256, 256])])
    func padding(limit: Int, sizes: [Int]) throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, frameLimit: limit))
        world.time.run(for: .seconds(3))
        var frames: [[UInt8]] = []
        world.air.tap = { frames.append($0.bytes) }
        _ = try #require(alice.node).sendPrivate("hello", to: bob.id)
        world.time.run(for: .seconds(1))
        let handshake = frames.filter { PacketView($0)?.type == .noiseHandshake }
        #expect(handshake.map(\.count) == sizes)
        let pieces = frames.compactMap { PacketView($0) }.filter { $0.type == .fragment }
        #expect(!pieces.contains { FragmentHeader($0.payloadSection)?.originalType == .noiseHandshake })
        for member in [alice, bob] { #expect(member.node?.report.links.map(\.isAuthenticated) == [true]) }
        #expect(bob.privateTexts == ["hello"])
    }

    @Test("one that completed over a relay proves no link")
    func overRelay() throws {
        let members = ["alice", "relay", "bob"].map { world.addNode($0) }
        _ = world.connect(members[0], members[1])
        _ = world.connect(members[1], members[2])
        world.time.run(for: .seconds(4))
        _ = try #require(members[0].node).sendPrivate("hello", to: members[2].id)
        world.time.run(for: .seconds(2))
        #expect(members[2].privateTexts == ["hello"])
        for member in members {
            #expect(member.node?.report.links.contains { $0.isAuthenticated } == false)
        }
    }
}

@Suite("Proving a session again on a new link (spec: mesh §14)")
struct RevalidationTests {
    private let world = RealWorld.real(seed: 4)

    @Test("happens when a neighbour comes back, once, and proves the link")
    func reconnect() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let connection = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("first", to: bob.id)
        world.time.run(for: .seconds(2))
        world.air.disconnect(connection)
        world.time.run(for: .seconds(2))
        #expect(alice.node?.report.sessions == 1)
        var initiations: [PeerID] = []
        world.air.tap = { frame in
            guard let view = PacketView(frame.bytes), view.type == .noiseHandshake,
                view.payloadSection.count == SessionPolicy.firstMessageLength
            else { return }
            initiations.append(view.sender)
        }
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(70))
        // Each side may have begun before it heard of the other's attempt.
        #expect(initiations.count == Set(initiations).count && !initiations.isEmpty)
        for member in [alice, bob] {
            #expect(member.node?.report.links.map(\.isAuthenticated) == [true])
            #expect(member.node?.report.sessions == 1)
        }
        _ = try #require(bob.node).sendPrivate("and on", to: alice.id)
        world.time.run(for: .seconds(1))
        #expect(alice.privateTexts == ["and on"])
    }

    /// Alice, who has a session with Victor through a relay, and a thief who claims to be Victor on a link of her own.
    private func scene() throws -> (alice: RealMember, victor: RealMember, thief: Stranger, watch: AirWatch) {
        let (alice, relay, victor) = (world.addNode("alice"), world.addNode("relay"), world.addNode("victor"))
        _ = world.connect(alice, relay)
        _ = world.connect(relay, victor)
        world.time.run(for: .seconds(4))
        _ = try #require(alice.node).sendPrivate("first", to: victor.id)
        world.time.run(for: .seconds(2))
        try #require(victor.privateTexts == ["first"])
        return (alice, victor, Stranger(world), AirWatch(world, of: alice))
    }

    /// An announce of Victor's as if it came from him directly.
    private func replay(_ thief: Stranger, of victor: RealMember) {
        let cryptography = thief.cryptography
        let packet = thief.announce(
            name: "victor", noiseKey: victor.noiseKey,
            signingKey: cryptography.signingPublicKey(of: victor.keys.signing), sender: victor.id)
        thief.send(packet, signingWith: victor.keys.signing)
        // Our announce goes first on a link that has just come up.
        world.time.run(for: 500)
    }

    /// The times at which Alice began a handshake on a link.
    private func initiations(_ watch: AirWatch, by alice: RealMember, on link: LinkID) -> [Uptime] {
        watch.frames(.noiseHandshake, by: alice.id, on: link)
            .filter { $0.view.payloadSection.count == SessionPolicy.firstMessageLength }.map(\.time)
    }

    @Test("that completes without proving the link is not repeated there within 600 s, and then it is")
    func unprovable() throws {
        let (alice, victor, thief, watch) = try scene()
        _ = thief.join(alice)
        let link = try #require(alice.endpoint.openLinks.last)
        replay(thief, of: victor)
        let start = world.time.now
        let first = initiations(watch, by: alice, on: link)
        #expect(first.count == 1)
        // Nobody answers there; the second attempt takes the relay too, and completes.
        world.time.run(for: .seconds(20))
        #expect(alice.node?.report.sessions == 1)
        let attempts = initiations(watch, by: alice, on: link)
        for moment in [25, 45, 61, 75, 130, 400, 595] as [Int64] {
            world.time.run(until: start + .seconds(moment))
            replay(thief, of: victor)
        }
        #expect(initiations(watch, by: alice, on: link) == attempts)
        #expect(alice.node?.report.links.map(\.isAuthenticated) == [false, false])
        world.time.run(until: start + .seconds(600))
        replay(thief, of: victor)
        #expect(initiations(watch, by: alice, on: link).count == attempts.count + 1)
    }

    @Test("that came to nothing is not repeated there within 60 s, although a session stands again")
    func failed() throws {
        let (alice, victor, thief, watch) = try scene()
        let far = victor.endpoint
        world.air.filter = { _, _, receiver in receiver !== far }
        _ = thief.join(alice)
        let link = try #require(alice.endpoint.openLinks.last)
        replay(thief, of: victor)
        let start = world.time.now
        world.time.run(for: .seconds(25))
        #expect(alice.node?.report.sessions == 0)
        world.air.filter = nil
        let ids = try #require(alice.node).sendPrivate("second", to: victor.id)
        world.time.run(until: start + .seconds(45))
        try #require(alice.statuses(of: ids[0]).last == .delivered)
        let attempts = initiations(watch, by: alice, on: link)
        for moment in [45, 50, 59] as [Int64] {
            world.time.run(until: start + .seconds(moment))
            replay(thief, of: victor)
        }
        #expect(initiations(watch, by: alice, on: link) == attempts)
        #expect(alice.node?.report.sessions == 1)
    }

    @Test("is tried at once on another link, when the first has ended")
    func epoch() throws {
        let (alice, victor, thief, watch) = try scene()
        let connection = thief.join(alice)
        replay(thief, of: victor)
        world.time.run(for: .seconds(20))
        world.air.disconnect(connection)
        world.time.run(for: .seconds(1))
        try #require(alice.node?.report.sessions == 1)
        _ = thief.join(alice)
        let link = try #require(alice.endpoint.openLinks.last)
        #expect(initiations(watch, by: alice, on: link).isEmpty)
        replay(thief, of: victor)
        #expect(initiations(watch, by: alice, on: link).count == 1)
    }

    @Test("is not for a relayed announce, one that does not verify, or a peer with a proved link")
    func noReason() throws {
        let (alice, victor, thief, watch) = try scene()
        _ = thief.join(alice)
        let link = try #require(alice.endpoint.openLinks.last)
        let packet = thief.announce(name: "victor", noiseKey: victor.noiseKey, sender: victor.id)
        thief.send(packet)
        world.time.run(for: 10)
        var relayed = packet
        relayed.ttl = 6
        thief.send(relayed)
        world.time.run(for: .seconds(2))
        #expect(initiations(watch, by: alice, on: link).isEmpty)
        // Victor comes near, and proves a link of his own.
        _ = world.connect(alice, victor)
        let isProved = world.run(atMost: .seconds(15)) {
            alice.node?.report.links.map(\.isAuthenticated) == [false, false, true]
        }
        try #require(isProved)
        world.time.run(for: .seconds(1))
        watch.clear()
        replay(thief, of: victor)
        #expect(watch.frames(.noiseHandshake, by: alice.id).isEmpty)
    }
}
