import Application
import Domain
import InMemory
import NativeCryptography
import Testing

@Suite("Whom an announce is believed (spec: mesh §12.3, noise §1.3, §6.6)")
struct AnnounceTrustTests {
    private let world = RealWorld.real()

    private func scene() -> (alice: RealMember, stranger: Stranger) {
        let alice = world.addNode("alice")
        let stranger = Stranger(world)
        _ = stranger.join(alice)
        return (alice, stranger)
    }

    /// The victim's public identity under the thief's signing key.
    private func stolen(from victim: Stranger, by thief: Stranger) -> Packet {
        thief.announce(
            name: "victim", noiseKey: victim.cryptography.agreementPublicKey(of: victim.keys.noise), sender: victim.id)
    }

    @Test("a good announce makes a peer; the link is bound to it")
    func accepted() throws {
        let (alice, stranger) = scene()
        stranger.send(stranger.announce(name: "e\u{301}va"))
        world.time.run(for: 10)
        let peer = try #require(alice.node?.peers.first)
        #expect(peer.id == stranger.id)
        #expect(Array(peer.nickname.unicodeScalars) == Array("\u{E9}va".unicodeScalars))
        #expect(peer.isConnected)
        #expect(alice.node?.report.links.first?.peer == stranger.id)
    }

    @Test("an announce that names a key which is not the sender's, comes from us, or does not decode, changes nothing")
    func preflight() throws {
        let (alice, stranger) = scene()
        stranger.send(stranger.announce(sender: PeerID(rawValue: 42), ttl: 6))
        stranger.send(
            Packet(type: .announce, ttl: 6, timestamp: stranger.now, sender: stranger.id, payload: [1, 200, 3]))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedMalformedPayload) == 2)
        #expect(alice.node?.peers.isEmpty == true)
    }

    @Test("without a signature, or with one that does not verify, nothing changes")
    func badSignature() throws {
        let (alice, stranger) = scene()
        let unsigned = try #require(stranger.announce().encoded(padding: false, using: stranger.compression))
        stranger.send(unsigned)
        stranger.send(stranger.announce(name: "other"), signingWith: Stranger(world, seed: 5).keys.signing)
        world.time.run(for: 10)
        #expect(alice.counter(.droppedUnsigned) == 1)
        #expect(alice.counter(.droppedBadSignature) == 1)
        #expect(alice.node?.peers.isEmpty == true)
        #expect(alice.journal.identities().isEmpty)
    }

    @Test("the signing key of the first announce is pinned, also across a restart; a thief is an alarm")
    func pinned() throws {
        let (alice, victim) = scene()
        let thief = Stranger(world, seed: 7)
        victim.send(victim.announce(name: "victim"))
        world.time.run(for: 10)
        _ = thief.join(alice)
        thief.send(stolen(from: victim, by: thief))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedKeyConflict) == 1)
        alice.crash(in: world)
        world.time.run(for: .seconds(1))
        alice.start()
        _ = thief.join(alice)
        thief.send(stolen(from: victim, by: thief))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedKeyConflict) == 1)
        #expect(alice.node?.peers.isEmpty == true)
        let alarms = alice.events.count {
            if case .peer(let change) = $0 { change.kind == .keyConflict } else { false }
        }
        #expect(alarms == 2)
    }

    @Test("47: where a thief came first, the owner's proof inside a session wins, and the thief is refused for good")
    func proofWins() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let thief = Stranger(world, seed: 7)
        _ = thief.join(alice)
        thief.send(
            thief.announce(name: "bob", noiseKey: bob.noiseKey, sender: bob.id, ttl: 6))
        world.time.run(for: 10)
        #expect(alice.node?.peers.first?.id == bob.id)
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        // Bob's own announce contradicts the pin, so it is refused until a session proves his key.
        #expect(alice.counter(.droppedKeyConflict) > 0)
        _ = try #require(bob.node).sendPrivate("it is me", to: alice.id)
        world.time.run(for: .seconds(3))
        #expect(alice.privateTexts == ["it is me"])
        let refused = alice.counter(.droppedKeyConflict)
        world.time.run(for: .seconds(30))
        #expect(alice.counter(.droppedKeyConflict) == refused)
        thief.send(thief.announce(name: "bob", noiseKey: bob.noiseKey, sender: bob.id, ttl: 6))
        world.time.run(for: 10)
        #expect(alice.counter(.droppedKeyConflict) == refused + 1)
    }

    @Test("a direct announce binds a free link, never one that is bound to a peer with a link of its own")
    func binding() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        let stranger = Stranger(world)
        _ = stranger.join(alice)
        stranger.send(stranger.announce())
        world.time.run(for: .seconds(2))
        var captured: [UInt8] = []
        world.air.tap = { frame in
            if frame.sender === bob.endpoint, PacketView(frame.bytes)?.type == .announce { captured = frame.bytes }
        }
        world.time.run(for: .seconds(20))
        world.air.tap = nil
        #expect(!captured.isEmpty)
        stranger.send(captured)
        world.time.run(for: 10)
        let links = try #require(alice.node?.report.links)
        #expect(links.map(\.peer) == [bob.id, stranger.id])
    }

    @Test("a neighbour that changes its identity takes its link along, once a minute at most")
    func rebinding() throws {
        let (alice, stranger) = scene()
        stranger.send(stranger.announce())
        world.time.run(for: 10)
        let (second, third) = (Stranger(world, seed: 11), Stranger(world, seed: 12))
        for other in [second, third] {
            let packet = try #require(
                other.announce().signed(with: other.keys.signing, using: other.cryptography, other.compression))
            stranger.send(try #require(packet.encoded(padding: false, using: other.compression)))
            world.time.run(for: 10)
        }
        #expect(alice.node?.report.links.first?.peer == second.id)
        #expect(alice.node?.peers.contains { $0.id == stranger.id } == false)
    }

    @Test("a peer that falls silent is no neighbour after its link, and forgotten after a minute")
    func silence() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let connection = world.connect(alice, bob)
        world.time.run(for: .seconds(2))
        world.air.disconnect(connection)
        world.time.run(for: .seconds(1))
        let gone = try #require(alice.node?.peers.first)
        #expect(!gone.isConnected)
        #expect(!gone.isReachable)
        #expect(throws: Refusal.notReachable(bob.id)) { _ = try alice.node?.ping(bob.id) }
        world.time.run(for: .seconds(70))
        #expect(alice.node?.peers.isEmpty == true)
        #expect(try alice.node?.resolve("bob") == bob.id, "who was met before can be written to")
    }

    @Test("names resolve by nickname, suffix, identifier, fingerprint and key; a shared name is refused")
    func names() throws {
        let (alice, first, second) = (world.addNode("alice"), world.addNode("bob"), world.addNode("bob"))
        _ = world.connect(alice, first)
        world.time.run(for: .seconds(2))
        let node = try #require(alice.node)
        let peer = try #require(node.peers.first)
        for name in [
            "bob", "@bob", peer.id.hex, peer.fingerprint.hex, peer.noiseKey.bytes.hex, "bob#\(peer.id.hex.prefix(4))",
        ] {
            #expect(try node.resolve(name) == first.id)
        }
        #expect(throws: Refusal.noSuchPeer("carol")) { _ = try node.resolve("carol") }
        #expect(throws: Refusal.noSuchPeer("bob#zzzz")) { _ = try node.resolve("bob#zzzz") }
        _ = world.connect(alice, second)
        world.time.run(for: .seconds(2))
        #expect(throws: Refusal.ambiguous("bob", candidates: [first.id, second.id].sorted())) {
            _ = try node.resolve("bob")
        }
        #expect(try node.resolve("bob#\(second.id.hex.prefix(4))") == second.id)
        #expect(Set(node.peers.map(\.displayName)) == Set([first, second].map { "bob#\($0.id.hex.prefix(4))" }))
    }
}

extension Member where C == NativeCryptography {
    /// The node's public Noise key.
    var noiseKey: AgreementPublicKey { NativeCryptography().agreementPublicKey(of: keys.noise) }
}
