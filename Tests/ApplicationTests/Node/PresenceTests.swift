import Application
import Domain
import InMemory
import Testing

@Suite("When we announce, and on which links packets leave (spec: mesh §9, §12.2)")
struct PresenceTests {
    private let world = RealWorld.real()

    @Test("16: of several links to a peer broadcasts take the preferred one, a direct announce all, a relayed one not")
    func collapse() throws {
        let (alice, stranger, other) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        let stale = try #require(world.open(alice, to: stranger))
        let preferred = try #require(world.open(alice, to: stranger))
        let accepted = try #require(world.open(stranger, to: alice))
        let third = try #require(world.open(other, to: alice))
        world.time.run(for: .seconds(1))
        stranger.sendEverywhere(try #require(stranger.frame(stranger.announce())))
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        _ = try #require(alice.node).sendPublic("hello")
        #expect(watch.links(.message, by: alice.id) == [preferred, third])
        _ = try #require(alice.node).setNickname("alice the second")
        #expect(watch.links(.announce, by: alice.id) == [stale, preferred, accepted, third])
        other.send(other.announce())
        world.time.run(for: 250)
        #expect(watch.links(.announce, by: other.id) == [preferred])
    }

    @Test("17: a link that a neighbour opened and nobody announced on gets every broadcast")
    func unbound() throws {
        let (alice, known, silent) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = known.join(alice)
        _ = silent.join(alice)
        known.send(known.announce())
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        for text in ["one", "two", "three"] { _ = try #require(alice.node).sendPublic(text) }
        #expect(watch.frames(.message, by: alice.id).count == 6)
        #expect(alice.node?.report.links.map(\.peer) == [known.id, nil])
    }

    @Test("18: of seven links that we opened a public message takes four, an announce all")
    func subset() throws {
        let alice = world.addNode("alice")
        let strangers = (0..<7).map { Stranger(world, seed: 100 + $0) }
        for stranger in strangers { _ = world.open(alice, to: stranger) }
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        _ = try #require(alice.node).sendPublic("hello")
        #expect(watch.links(.message, by: alice.id).count == 4)
        #expect(Set(watch.links(.message, by: alice.id)).count == 4)
        _ = try #require(alice.node).setNickname("alice the second")
        #expect(watch.links(.announce, by: alice.id) == alice.endpoint.openLinks)
    }

    @Test("20: an announce whose key is not the sender's is passed on, and not answered")
    func foreignKey() throws {
        let (alice, liar, neighbour) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = liar.join(alice)
        _ = neighbour.join(alice)
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        liar.send(liar.announce(sender: PeerID(rawValue: 42)))
        world.time.run(for: 700)
        #expect(alice.node?.peers.isEmpty == true)
        #expect(watch.frames(.announce, by: PeerID(rawValue: 42)).map(\.view.ttl) == [6])
        #expect(watch.frames(.announce, by: alice.id).isEmpty)
    }

    @Test("21, 36: an announce that does not verify is answered once in 300 s, and passed on")
    func unverified() throws {
        let (alice, thief, neighbour) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = thief.join(alice)
        _ = neighbour.join(alice)
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        for _ in 0..<2 {
            let packet = thief.announce()
            thief.send(packet, signingWith: neighbour.keys.signing)
            world.time.run(for: 700)
        }
        #expect(alice.node?.peers.isEmpty == true)
        #expect(watch.frames(.announce, by: alice.id, on: LinkID(rawValue: 2)).count == 1)
        #expect(watch.frames(.announce, by: thief.id, on: LinkID(rawValue: 2)).count == 2)
    }

    @Test(
        "22: an answer less than 0.15 s after an announce is dropped, not put off",
        arguments: [(100, 1), (149, 1), (150, 2), (200, 2)] as [(Int64, Int)])
    func throttle(gap: Int64, announces: Int) throws {
        let (alice, first, second) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        _ = first.join(alice)
        _ = second.join(alice)
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        // Under keys that do not verify nobody is new, so that the answers are all that there is.
        first.send(first.announce(), signingWith: second.keys.signing)
        world.time.run(for: Milliseconds(gap))
        second.send(second.announce(), signingWith: first.keys.signing)
        world.time.run(for: .seconds(1))
        #expect(watch.frames(.announce, by: alice.id, on: LinkID(rawValue: 1)).count == announces)
    }

    @Test("a new name is told even just after an announce, as soon as the throttle allows")
    func rename() throws {
        let (alice, stranger) = (world.addNode("alice"), Stranger(world))
        _ = stranger.join(alice)
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        let start = world.time.now
        _ = try #require(alice.node).setNickname("second")
        world.time.run(for: 40)
        _ = try #require(alice.node).setNickname("third")
        world.time.run(for: .seconds(1))
        let sent = watch.frames(.announce, by: alice.id)
        #expect(sent.map(\.time) == [start, start + 150])
        let names = sent.compactMap { Announce($0.view.payloadSection)?.nickname }
        #expect(names == ["second", "third"])
    }

    @Test("a link that we opened gets its announce at once, one that a neighbour opened after 400 ms")
    func setUp() throws {
        let (alice, near, far) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        let start = world.time.now
        let opened = try #require(world.open(alice, to: near))
        world.time.run(for: .seconds(1))
        #expect(watch.frames(.announce, by: alice.id, on: opened).map(\.time) == [start])
        let later = world.time.now
        let accepted = try #require(world.open(far, to: alice))
        world.time.run(for: .seconds(1))
        #expect(watch.frames(.announce, by: alice.id, on: accepted).map(\.time) == [later + 400])
    }

    @Test("34: of two links 50 ms apart each gets an announce, the second within 0.15 s, and before what waits for it")
    func together() throws {
        let (alice, first, second) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        world.time.run(for: .seconds(1))
        let watch = AirWatch(world, of: alice)
        let start = world.time.now
        let one = try #require(world.open(alice, to: first))
        world.time.run(for: 2)
        first.sendEverywhere(try #require(first.directed(to: PeerID(rawValue: 42))))
        world.time.run(for: 48)
        let two = try #require(world.open(alice, to: second))
        world.time.run(for: .seconds(1))
        #expect(watch.frames(.announce, by: alice.id, on: one).map(\.time) == [start, start + 150])
        #expect(watch.frames(.announce, by: alice.id, on: two).map(\.time) == [start + 150])
        #expect(watch.sent.filter { $0.link == two }.map(\.view.type) == [.announce, .noiseEncrypted])
    }

    @Test("a device that keeps coming back gets an announce once, then only what waits for a link, then nothing")
    func limiter() throws {
        let (alice, source, visitor) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        visitor.endpoint.device = "C0:FF:EE:00:00:01"
        _ = source.join(alice)
        // Between two ticks, so that nothing periodic happens in between.
        world.time.run(for: Milliseconds(5100 - world.time.now.milliseconds))
        let watch = AirWatch(world, of: alice)
        var received: [[MessageType]] = []
        for _ in 0..<5 {
            source.sendEverywhere(try #require(source.directed(to: PeerID(rawValue: 42))))
            world.time.run(for: 150)
            let connection = visitor.join(alice)
            let link = try #require(connection.ends.last?.link)
            world.time.run(for: 500)
            received.append(watch.sent.filter { $0.link == link }.map(\.view.type))
            world.air.disconnect(connection)
            world.time.run(for: 345)
        }
        #expect(
            received == [
                [.announce, .noiseEncrypted], [.noiseEncrypted], [.noiseEncrypted], [.noiseEncrypted], [],
            ])
        #expect(alice.counter(.announcesWithheld) == 4)
    }

    @Test("without an address, as on a socket, there is no limit; nor for those that we look for ourselves")
    func noLimit() throws {
        let (alice, caller, called) = (world.addNode("alice"), Stranger(world), Stranger(world, seed: 5))
        called.endpoint.device = "C0:FF:EE:00:00:02"
        world.time.run(for: .seconds(1))
        for _ in 0..<6 {
            let connections = [
                caller.join(alice), world.air.connect(alice.endpoint, called.endpoint, LinkProfile(latency: 1...1)),
            ]
            let watch = AirWatch(world, of: alice)
            world.time.run(for: 600)
            for link in alice.endpoint.openLinks {
                #expect(!watch.frames(.announce, by: alice.id, on: link).isEmpty)
            }
            for connection in connections { world.air.disconnect(connection) }
            world.time.run(for: 50)
        }
        #expect(alice.counter(.announcesWithheld) == 0)
    }
}

extension Stranger {
    /// A frame of private traffic for somebody else, as this stranger would send it; each time another one.
    func directed(to peer: PeerID) -> [UInt8]? {
        var payload: [UInt8] = []
        payload.append(bigEndian: now.milliseconds)
        return Packet(
            type: .noiseEncrypted, ttl: 7, timestamp: now, sender: id, recipient: peer, payload: payload
        ).encoded(padding: true, using: compression)
    }
}
