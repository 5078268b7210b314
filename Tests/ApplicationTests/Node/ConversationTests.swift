import Application
import Domain
import InMemory
import Testing

@Suite("Nodes that talk")
struct ConversationTests {
    @Test("two neighbours learn each other's names and keys")
    func announce() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        let met = world.run(atMost: .seconds(5)) {
            alice.node?.peers.first?.isConnected == true && bob.node?.peers.first?.isConnected == true
        }
        #expect(met)
        let peer = try #require(alice.node?.peers.first)
        #expect(peer.id == bob.id)
        #expect(peer.displayName == "bob")
    }

    @Test("a public message reaches a neighbour, once, under the same identifier")
    func publicMessage() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        let id = try #require(alice.node).sendPublic("hello mesh")
        world.time.run(for: .seconds(1))
        #expect(bob.publicTexts == ["hello mesh"])
        #expect(
            bob.events.contains { if case .publicMessage(let message) = $0 { message.id == id } else { false } })
    }

    @Test("a private message over two hops is delivered, and read when its reader says so")
    func privateMessage() throws {
        let world = RealWorld.real()
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        _ = world.connect(alice, bob)
        _ = world.connect(bob, carol)
        world.time.run(for: .seconds(5))
        let ids = try #require(alice.node).sendPrivate("only for you", to: carol.id)
        let id = try #require(ids.first)
        #expect(world.run(atMost: .seconds(5)) { alice.statuses(of: id).last == .delivered })
        #expect(carol.privateTexts == ["only for you"])
        #expect(bob.privateTexts.isEmpty)
        try carol.node?.markRead([id], from: alice.id)
        world.time.run(for: .seconds(1))
        #expect(alice.statuses(of: id) == [.sending, .sent, .delivered, .read])
    }

    @Test("a text of 1,000 characters arrives in its parts, in order")
    func longText() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        let text = String(repeating: "0123456789", count: 100)
        let ids = try #require(alice.node).sendPrivate(text, to: bob.id)
        #expect(ids.count == 5)
        world.time.run(for: .seconds(3))
        #expect(bob.privateTexts.count == 5)
        #expect(bob.privateTexts.map { String($0.dropFirst(6)) }.joined() == text)
        #expect(ids.allSatisfy { alice.statuses(of: $0).last == .delivered })
    }

    @Test("a file of 200 KiB crosses a relay in fragments and arrives whole")
    func file() throws {
        let world = RealWorld.real()
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        let phoneLink = LinkProfile(latency: 1...5, frameLimit: 512)
        _ = world.connect(alice, bob, phoneLink)
        _ = world.connect(bob, carol, phoneLink)
        world.time.run(for: .seconds(5))
        let content = world.randomness.bytes(200 * 1024)
        let id = try #require(alice.node).sendFile(content, name: "noise.bin", mime: "application/octet-stream")
        #expect(world.run(atMost: .seconds(30)) { !carol.files.contents.isEmpty })
        let isWhole = carol.files.contents.values.first == content
        #expect(isWhole)
        #expect(alice.statuses(of: id).last == .sent)
    }

    @Test("a ping tells the hops")
    func ping() throws {
        let world = RealWorld.real()
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        _ = world.connect(alice, bob)
        _ = world.connect(bob, carol)
        world.time.run(for: .seconds(5))
        let id = try #require(alice.node).ping(carol.id)
        world.time.run(for: .seconds(1))
        let result = alice.notices.notices.compactMap { if case .ping(let result) = $0 { result } else { nil } }.first
        #expect(result?.id == id)
        #expect(result?.hops == 2)
    }

    @Test("a peer that restarts is talked to again, in either direction")
    func restart() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("before", to: bob.id)
        world.time.run(for: .seconds(3))
        bob.crash(in: world)
        world.time.run(for: .seconds(2))
        bob.start()
        _ = world.connect(alice, bob)
        let secured = world.run(atMost: .seconds(25)) {
            bob.node?.peers.first?.isSecure == true && alice.node?.peers.first?.isSecure == true
        }
        #expect(secured)
        _ = try #require(alice.node).sendPrivate("after", to: bob.id)
        _ = try #require(bob.node).sendPrivate("back", to: alice.id)
        world.time.run(for: .seconds(2))
        #expect(bob.privateTexts == ["before", "after"])
        #expect(alice.privateTexts == ["back"])
    }

    @Test("a message that was kept just before a crash is acknowledged after it, and not shown again")
    func crashBeforeAcknowledgement() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        let ids = try #require(alice.node).sendPrivate("once", to: bob.id)
        let id = try #require(ids.first)
        #expect(world.run(atMost: .seconds(5)) { bob.privateTexts == ["once"] })
        bob.crash(in: world)
        world.time.run(for: .seconds(1))
        #expect(alice.statuses(of: id).last == .sent)
        bob.start()
        _ = world.connect(alice, bob)
        #expect(world.run(atMost: .seconds(25)) { alice.statuses(of: id).last == .delivered })
        #expect(bob.privateTexts == ["once"])
    }

    @Test("a message that could not be kept is not acknowledged, and is taken when it comes again")
    func failedCommit() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let connection = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("first", to: bob.id)
        world.time.run(for: .seconds(3))
        bob.journal.failuresToCome = 1
        let ids = try #require(alice.node).sendPrivate("second", to: bob.id)
        let id = try #require(ids.first)
        world.time.run(for: .seconds(3))
        #expect(alice.statuses(of: id).last == .sent)
        #expect(bob.privateTexts == ["first"])
        #expect(bob.counter(.journalFailures) == 1)
        world.air.disconnect(connection)
        world.time.run(for: .seconds(1))
        _ = world.connect(alice, bob)
        #expect(world.run(atMost: .seconds(30)) { alice.statuses(of: id).last == .delivered })
        #expect(bob.privateTexts == ["first", "second"])
    }

    @Test("a full link holds our own frames back, in order, and gives them when it drains")
    func fullLink() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, bytesPerSecond: 2000, queueLimit: 1000))
        world.time.run(for: .seconds(8))
        let texts = (0..<8).map { "message \($0) " + String(repeating: "x", count: 180) }
        let ids = try texts.flatMap { try #require(alice.node).sendPrivate($0, to: bob.id) }
        world.time.run(for: .seconds(20))
        #expect(bob.privateTexts == texts)
        #expect(ids.allSatisfy { alice.statuses(of: $0).last == .delivered })
    }

    @Test("what would be swallowed, is empty, too long, for ourselves or for nobody is refused")
    func refusals() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let node = try #require(alice.node)
        #expect(throws: Refusal.nobodyHere) { _ = try node.sendPublic("anybody?") }
        #expect(throws: Refusal.nobodyHere) { _ = try node.sendFile([1], name: "a", mime: "x/y") }
        #expect(throws: Refusal.noSuchPeer(bob.id.hex)) { _ = try node.sendPrivate("hello", to: bob.id) }
        #expect(throws: Refusal.noSuchPeer(bob.id.hex)) { _ = try node.ping(bob.id) }
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        #expect(throws: Refusal.self) { _ = try node.sendPublic(" \u{200B}\n") }
        #expect(throws: Refusal.self) { _ = try node.sendPublic(String(repeating: "a", count: 16_001)) }
        #expect(throws: Refusal.self) { _ = try node.sendPrivate("", to: bob.id) }
        #expect(throws: Refusal.self) { _ = try node.sendPrivate("to me", to: alice.id) }
        #expect(throws: Refusal.self) { _ = try node.sendPrivate("[FAVORITED]:npub1", to: bob.id) }
        // Phones that trim would swallow it all the same.
        #expect(throws: Refusal.self) { _ = try node.sendPrivate(" \n[UNFAVORITED]", to: bob.id) }
        #expect(throws: Refusal.tooManyParts(bytes: 2242, limit: 9)) {
            _ = try node.sendPrivate(String(repeating: "a", count: 2242), to: bob.id)
        }
        #expect(throws: Refusal.self) { _ = try node.sendFile([], name: "a", mime: "x/y") }
        #expect(throws: Refusal.self) { _ = try node.sendFile([1, 2], name: "a.png", mime: "image/png") }
        #expect(throws: Refusal.self) { _ = try node.setNickname("a@b") }
        #expect(throws: Refusal.self) { _ = try node.setNickname("System") }
        #expect(throws: Refusal.self) { _ = try node.setNickname(String(repeating: "n", count: 51)) }
        #expect(try node.setNickname("  alicia ") == "alicia")
        world.time.run(for: .seconds(1))
        #expect(bob.node?.peers.first?.nickname == "alicia")
    }

    @Test("after the goodbye a node says nothing more")
    func silentAfterGoodbye() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        alice.node?.stop()
        world.time.run(for: 20)
        #expect(bob.node?.peers.isEmpty == true)
        world.time.run(for: .seconds(30))
        #expect(bob.node?.peers.isEmpty == true)
    }

    @Test("a file whose links go down on the way has failed, and says how far it came")
    func interruptedFile() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        let connection = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        let id = try #require(alice.node).sendFile(
            world.randomness.bytes(20_000), name: "a.bin", mime: "application/octet-stream")
        world.time.run(for: 500)
        world.air.disconnect(connection)
        world.time.run(for: .seconds(5))
        guard case .failed = alice.statuses(of: id).last else {
            Issue.record("a file that nobody got whole is \(alice.statuses(of: id))")
            return
        }
        #expect(bob.files.contents.isEmpty)
    }

    @Test("a narrow link carries private messages in pieces, in order, while acknowledgements come back")
    func narrowLink() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, frameLimit: 182))
        world.time.run(for: .seconds(5))
        let text = String(repeating: "0123456789", count: 150)
        let ids = try #require(alice.node).sendPrivate(text, to: bob.id)
        #expect(world.run(atMost: .seconds(20)) { ids.allSatisfy { alice.statuses(of: $0).last == .delivered } })
        #expect(bob.privateTexts.map { String($0.dropFirst(6)) }.joined() == text)
    }

    @Test("a handshake that is cut by link losses twice in a row is resumed each time")
    func cutTwice() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        var connection = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        var isUnderWay = false
        world.air.tap = { if PacketView($0.bytes)?.type == .noiseHandshake { isUnderWay = true } }
        let ids = try #require(alice.node).sendPrivate("at last", to: bob.id)
        let id = try #require(ids.first)
        for _ in 0..<2 {
            #expect(world.run(atMost: .seconds(5)) { isUnderWay })
            world.air.disconnect(connection)
            world.time.run(for: .seconds(1))
            isUnderWay = false
            connection = world.connect(alice, bob)
        }
        #expect(world.run(atMost: .seconds(10)) { alice.statuses(of: id).last == .delivered })
        #expect(bob.privateTexts == ["at last"])
    }
}
