import Application
import Domain
import InMemory
import Testing

@Suite("A node that only relays")
struct RelayOnlyTests {
    /// Two members with nothing but a relay between them.
    private struct Line {
        let world = RealWorld.real()
        let alice: RealMember
        let relay: RealMember
        let bob: RealMember

        init() {
            alice = world.addNode("alice")
            relay = world.addNode("relay-1a2b", settings: NodeSettings(role: .relay))
            bob = world.addNode("bob")
            _ = world.connect(alice, relay)
            _ = world.connect(relay, bob)
            world.time.run(for: .seconds(10))
        }
    }

    @Test("two members talk through it in public, in private and with files, and it keeps none of that")
    func chat() throws {
        let line = Line()
        let alice = try #require(line.alice.node)
        _ = try alice.sendPublic("for everyone")
        let secret = try #require(alice.sendPrivate("for bob", to: line.bob.id).first)
        let file = line.world.randomness.bytes(5000)
        _ = try alice.sendFile(file, name: "a.bin", mime: "application/octet-stream")
        #expect(line.world.run(atMost: .seconds(20)) { line.alice.statuses(of: secret).last == .delivered })
        #expect(line.world.run(atMost: .seconds(20)) { !line.bob.files.contents.isEmpty })
        #expect(line.bob.publicTexts == ["for everyone"])
        #expect(line.bob.privateTexts == ["for bob"])
        #expect(line.relay.publicTexts.isEmpty)
        #expect(line.relay.files.contents.isEmpty)
        #expect(line.relay.counter(.notTakenByRelay) == 2, "the public message and the file")
        #expect(
            !line.relay.events.contains { event in
                switch event {
                case .publicMessage, .privateMessage, .file, .status: true
                case .peer: false
                }
            })
    }

    @Test("a private message to it meets a session and stays without an answer")
    func unanswered() throws {
        let line = Line()
        let alice = try #require(line.alice.node)
        let id = try #require(alice.sendPrivate("anybody there?", to: line.relay.id).first)
        line.world.time.run(for: .seconds(30))
        #expect(line.alice.statuses(of: id) == [.sending, .sent])
        #expect(line.alice.node?.peers.first { $0.id == line.relay.id }?.isSecure == true)
        #expect(line.relay.privateTexts.isEmpty)
        #expect(line.relay.counter(.notTakenByRelay) >= 1)
        #expect(line.relay.counter(.sessionsEstablished) >= 1)
    }

    @Test("it announces itself and answers pings")
    func presence() throws {
        let line = Line()
        let alice = try #require(line.alice.node)
        #expect(alice.peers.first { $0.id == line.relay.id }?.nickname == "relay-1a2b")
        let probe = try alice.ping(line.relay.id)
        line.world.time.run(for: .seconds(1))
        let answers = line.alice.notices.notices.compactMap { if case .ping(let result) = $0 { result } else { nil } }
        #expect(answers.map(\.id) == [probe])
        #expect(answers.first?.hops == 1)
        #expect(line.relay.node?.report.role == .relay)
    }

    @Test("it cannot be made to chat")
    func refusals() throws {
        let line = Line()
        let relay = try #require(line.relay.node)
        let refusal = Refusal.forbidden("this node only relays; it has no identity of its own to speak with")
        #expect(throws: refusal) { _ = try relay.sendPublic("hello") }
        #expect(throws: refusal) { _ = try relay.sendPrivate("hello", to: line.alice.id) }
        #expect(throws: refusal) { _ = try relay.sendFile([1], name: "a.bin", mime: "application/octet-stream") }
        #expect(throws: refusal) { try relay.markRead(["x"], from: line.alice.id) }
        line.world.time.run(for: .seconds(5))
        #expect(line.alice.publicTexts.isEmpty && line.alice.privateTexts.isEmpty)
    }

    @Test("a file whose sender cannot be checked is not passed on by a relay either")
    func unverifiedFile() throws {
        let line = Line()
        let stranger = Stranger(line.world)
        _ = stranger.join(line.relay)
        let file = try #require(
            FilePacket(fileName: "x.bin", mimeType: "application/octet-stream", content: [1, 2, 3]))
        stranger.send(
            Packet(
                version: 2, type: .fileTransfer, ttl: 7, timestamp: stranger.now, sender: stranger.id,
                payload: file.encoded))
        line.world.time.run(for: .seconds(2))
        #expect(line.relay.counter(.droppedUnknownSigner) == 1)
        #expect(line.bob.counter(.droppedUnknownSigner) == 0)
    }
}
