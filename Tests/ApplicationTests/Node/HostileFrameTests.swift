import Application
import Domain
import InMemory
import NativeCryptography
import Testing
import ZlibCompression

@Suite("Frames from a hostile neighbour")
struct HostileFrameTests {
    private let world = RealWorld.real()

    /// Alice with a stranger on a link of hers, and Bob behind her.
    private func scene() -> (alice: RealMember, bob: RealMember, stranger: Stranger) {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        let stranger = Stranger(world)
        _ = stranger.join(alice)
        world.time.run(for: .seconds(2))
        stranger.heard.removeAll()
        return (alice, bob, stranger)
    }

    @Test("what is no frame is counted and dropped", arguments: [0, 1, 21, 22, 500])
    func garbage(length: Int) {
        let (alice, _, stranger) = scene()
        stranger.send([UInt8](repeating: 0xA5, count: length))
        world.time.run(for: 100)
        #expect(alice.counter(.droppedMalformedFrame) == 1)
    }

    @Test("our own packet that comes back is dropped")
    func selfLoop() throws {
        let (alice, _, stranger) = scene()
        _ = try #require(alice.node).sendPublic("echo")
        world.time.run(for: 100)
        let frame = try #require(stranger.heard.last)
        stranger.send(frame)
        world.time.run(for: 100)
        #expect(alice.counter(.droppedSelfLoop) == 1)
    }

    @Test(
        "a packet up to 120 s off is taken, one beyond is not",
        arguments: [(-120_000, true), (-120_001, false), (120_000, true), (120_001, false)])
    func skew(offset: Int64, accepted: Bool) {
        let (alice, _, stranger) = scene()
        stranger.send(stranger.announce())
        world.time.run(for: 100)
        // The stranger's frame is one millisecond on its way.
        let time = WallTime(milliseconds: UInt64(Int64(stranger.now.milliseconds) + 1 + offset))
        stranger.send(stranger.message("hello", at: time))
        world.time.run(for: 100)
        #expect(alice.counter(.droppedClockSkew) == (accepted ? 0 : 1))
        #expect(alice.publicTexts == (accepted ? ["hello"] : []))
    }

    @Test("timestamps at the ends of their range do not trap", arguments: [UInt64.min, .max])
    func extremeTime(time: UInt64) {
        let (alice, _, stranger) = scene()
        stranger.send(stranger.message("x", at: WallTime(milliseconds: time)))
        world.time.run(for: 100)
        #expect(alice.counter(.droppedClockSkew) == 1)
    }

    @Test("an answer to a sync request that nobody made is dropped")
    func unsolicited() {
        let (alice, _, stranger) = scene()
        var packet = stranger.message("history")
        packet.isSyncResponse = true
        stranger.send(packet)
        world.time.run(for: 100)
        #expect(alice.counter(.droppedUnsolicitedSyncResponse) == 1)
    }

    @Test("a replay is dropped at ingress within 3 s and by the seen-set after that")
    func replay() throws {
        let (alice, _, stranger) = scene()
        stranger.send(stranger.announce())
        let message = stranger.message("once")
        stranger.send(message)
        world.time.run(for: 100)
        stranger.send(message)
        world.time.run(for: .seconds(10))
        stranger.send(message)
        world.time.run(for: 100)
        #expect(alice.counter(.droppedDuplicateAtIngress) == 1)
        #expect(alice.counter(.droppedDuplicate) == 1)
        #expect(alice.publicTexts == ["once"])
    }

    @Test("a message without a signature, with a bad one, or of an unknown author is not shown, and is passed on")
    func signatures() throws {
        let (alice, bob, stranger) = scene()
        stranger.send(stranger.message("who am I"))
        world.time.run(for: 100)
        #expect(alice.counter(.droppedUnknownSigner) == 1)
        stranger.send(stranger.announce())
        world.time.run(for: 100)
        stranger.send(try #require(stranger.message("unsigned").encoded(padding: false, using: stranger.compression)))
        stranger.send(stranger.message("forged"), signingWith: Stranger(world, seed: 5).keys.signing)
        world.time.run(for: 100)
        #expect(alice.counter(.droppedUnsigned) == 1)
        #expect(alice.counter(.droppedBadSignature) == 1)
        #expect(alice.publicTexts.isEmpty)
        #expect(
            bob.counter(.droppedUnknownSigner) + bob.counter(.droppedUnsigned) + bob.counter(.droppedBadSignature) == 3)
    }

    @Test("a forged goodbye neither evicts anybody nor spreads; a real one does both")
    func leave() throws {
        let (alice, bob, stranger) = scene()
        let forger = Stranger(world, seed: 7)
        stranger.send(stranger.announce())
        world.time.run(for: 500)
        #expect(alice.node?.peers.contains { $0.id == stranger.id } == true)
        let leave = Packet(type: .leave, ttl: 7, timestamp: stranger.now, sender: stranger.id, payload: [])
        stranger.send(leave, signingWith: forger.keys.signing)
        world.time.run(for: 100)
        #expect(alice.node?.peers.contains { $0.id == stranger.id } == true)
        #expect(bob.counter(.droppedBadSignature) == 0)
        world.time.run(for: 100)
        let real = Packet(type: .leave, ttl: 7, timestamp: stranger.now, sender: stranger.id, payload: [1])
        stranger.send(real)
        world.time.run(for: 100)
        #expect(alice.node?.peers.contains { $0.id == stranger.id } == false)
        #expect(bob.node?.peers.contains { $0.id == stranger.id } == false)
    }

    @Test("a relayed frame differs from the received one in its TTL alone, whoever encoded it")
    func relayedBytes() throws {
        let (_, bob, stranger) = scene()
        let text = String(repeating: "the same words again and again, ", count: 60)
        let recipient = PeerID(rawValue: 0x0102_0304_0506_0708)
        let plain = Packet(
            type: .message, ttl: 7, timestamp: stranger.now, sender: stranger.id, payload: Array(text.utf8))
        var flagged = try #require(plain.encoded(padding: false, using: stranger.compression))
        flagged[11] |= 0x60
        let other = try #require(androidFrame(plain, stranger))
        let padded = try #require(
            Packet(
                type: .noiseEncrypted, ttl: 5, timestamp: stranger.now, sender: stranger.id, recipient: recipient,
                payload: stranger.heardBytes(40)
            ).encoded(padding: true, using: stranger.compression))
        var relayed: [[UInt8]] = []
        world.air.tap = { if $0.receiver === bob.endpoint { relayed.append($0.bytes) } }
        for frame in [flagged, other, padded] {
            relayed.removeAll()
            stranger.send(frame)
            world.time.run(for: 100)
            var expected = frame
            expected[2] -= 1
            #expect(relayed.filter { $0.count == expected.count } == [expected])
        }
    }

    /// The packet with a stream that another encoder would make: level 9, another time so that it is no duplicate.
    private func androidFrame(_ packet: Packet, _ stranger: Stranger) -> [UInt8]? {
        var packet = packet
        packet.timestamp = packet.timestamp.adding(1)
        guard let stream = stranger.compression.deflate(packet.payload.span, level: 1, limit: packet.payload.count)
        else {
            return nil
        }
        let size = packet.payload.count
        packet.payload = [UInt8(size >> 8), UInt8(size & 255)] + stream
        guard var frame = packet.encoded(padding: false, using: NoCompression()) else { return nil }
        frame[11] |= 0x04
        return frame
    }

    @Test("frames that inflate beyond the link's budget are dropped before they are inflated, and others pass")
    func inflationBudget() throws {
        let (alice, bob, stranger) = scene()
        let zeros = [UInt8](repeating: 0, count: 1_000_000)
        for index in 0..<20 {
            let packet = Packet(
                version: 2, type: MessageType(rawValue: 0x7E), ttl: 1,
                timestamp: stranger.now.adding(Milliseconds(Int64(index))), sender: stranger.id, payload: zeros)
            stranger.send(try #require(packet.encoded(padding: false, using: stranger.compression)))
        }
        world.time.run(for: 100)
        #expect(alice.counter(.droppedInflationBudget) == 18)
        _ = try #require(bob.node).sendPublic(String(repeating: "compressible ", count: 40))
        world.time.run(for: 100)
        #expect(alice.publicTexts.count == 1)
    }

    @Test("signatures beyond the link's budget are not checked, and those on another link are")
    func signatureBudget() throws {
        let (alice, bob, stranger) = scene()
        stranger.send(stranger.announce())
        world.time.run(for: .seconds(2))
        let forger = Stranger(world, seed: 5)
        for index in 0..<300 {
            stranger.send(stranger.message("forged \(index)"), signingWith: forger.keys.signing)
        }
        world.time.run(for: 100)
        #expect(alice.counter(.droppedBadSignature) == 100)
        #expect(alice.counter(.droppedSignatureBudget) == 200)
        _ = try #require(bob.node).sendPublic("still here")
        world.time.run(for: 100)
        #expect(alice.publicTexts == ["still here"])
    }

    @Test("a flood of invented identities is bounded, and does not fill the event log or the pins")
    func inventedIdentities() {
        let (alice, _, stranger) = scene()
        for index in 0..<1000 {
            let invented = Stranger(world, seed: 1000 + UInt64(index))
            let packet = stranger.announce(
                noiseKey: invented.cryptography.agreementPublicKey(of: invented.keys.noise),
                signingKey: invented.cryptography.signingPublicKey(of: invented.keys.signing), sender: invented.id,
                ttl: 6)
            stranger.send(packet, signingWith: invented.keys.signing)
            world.time.run(for: 10)
        }
        let logged = alice.events.count { if case .peer = $0 { true } else { false } }
        #expect(logged < 130)
        #expect(alice.counter(.peerEventsNotLogged) > 0)
        #expect(alice.journal.identities().count < 230)
        #expect(alice.node?.peers.count ?? 0 <= MeshPolicy.maximumPeers)
    }

    @Test("the sixth ping within 10 s on a link is not answered, whoever it claims to be from")
    func pingBudget() {
        let (alice, _, stranger) = scene()
        for index in 0..<8 {
            let packet = Packet(
                type: .ping, ttl: 7, timestamp: stranger.now, sender: PeerID(rawValue: UInt64(100 + index)),
                recipient: alice.id, payload: PingPayload(nonce: UInt64(index), originTTL: 7).encoded)
            if let frame = packet.encoded(padding: false, using: stranger.compression) { stranger.send(frame) }
        }
        world.time.run(for: 10)
        #expect(alice.counter(.droppedPingBudget) == 3)
        #expect(stranger.heard.count { PacketView($0)?.type == .pong } == 5)
    }
}

extension Stranger {
    /// Bytes that look like ciphertext.
    func heardBytes(_ count: Int) -> [UInt8] { SeededRandomness(seed: 4).bytes(count) }
}
