import Domain
import InMemory
import Testing

@testable import Application

@Suite("Mail for those who are not here (spec: store-and-forward §1)")
struct OutboxDeliveryTests {
    private let world = RealWorld.real()
    private let alice: RealMember
    private let bob: RealMember

    init() {
        alice = world.addNode("alice")
        bob = world.addNode("bob")
    }

    private func meet() -> Connection {
        let connection = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        return connection
    }

    private func part(_ connection: Connection, for span: Milliseconds = .seconds(120)) {
        world.air.disconnect(connection)
        world.time.run(for: span)
    }

    private func write(_ text: String) throws -> String {
        let node = try #require(alice.node)
        let ids = try node.sendPrivate(text, to: bob.id)
        return try #require(ids.first)
    }

    private func metric(_ metric: Metric) -> UInt64 { alice.node?.ledger.report[metric] ?? 0 }

    @Test("what is written to somebody who is away arrives once when they are back, and leaves the outbox")
    func away() throws {
        part(meet())
        let id = try write("later")
        world.time.run(for: .seconds(600))
        #expect(alice.statuses(of: id) == [.sending])
        #expect(alice.node?.report.queuedMessages == 1)
        _ = meet()
        world.time.run(for: .seconds(10))
        #expect(bob.privateTexts == ["later"])
        #expect(alice.statuses(of: id) == [.sending, .sent, .delivered])
        #expect(alice.node?.report.queuedMessages == 0)
        #expect(metric(.queued) == 1 && metric(.delivered) == 1 && metric(.dropped) == 0)
        #expect(
            alice.journal.records(at: alice.clock.wall).allSatisfy { if case .outgoing = $0 { false } else { true } })
    }

    @Test("the writer's crash loses nothing that was told as queued", arguments: [0, 1, 2])
    func crash(moment: Int) throws {
        let first = meet()
        if moment < 2 { part(first) }
        let ids = try (0..<3).map { try write("message \($0)") }
        if moment == 1 { world.time.run(for: .seconds(1)) }
        // At once: what the disk has not taken was told to nobody.
        alice.crash(in: world)
        let told = ids.filter { !alice.statuses(of: $0).isEmpty }
        #expect(told.count == (moment == 1 ? 3 : 0))
        world.time.run(for: .seconds(100))
        alice.start()
        _ = meet()
        world.time.run(for: .seconds(30))
        #expect(bob.privateTexts == (0..<3).map { "message \($0)" }.filter { _ in moment == 1 })
        for id in told { #expect(alice.statuses(of: id).last == .delivered) }
    }

    @Test("a message that the reader had before its writer crashed is confirmed when it goes again, and shown once")
    func crashAfterSending() throws {
        let connection = meet()
        let id = try write("once")
        #expect(world.run(atMost: .seconds(5)) { alice.statuses(of: id).last == .sent })
        alice.crash(in: world)
        world.air.disconnect(connection)
        world.time.run(for: .seconds(5))
        alice.start()
        _ = meet()
        world.time.run(for: .seconds(30))
        #expect(bob.privateTexts == ["once"])
        #expect(alice.statuses(of: id).last == .delivered)
        #expect(alice.node?.report.queuedMessages == 0)
    }

    @Test("nothing leaves before the disk has it; what the disk refuses has failed")
    func durability() throws {
        _ = meet()
        alice.journal.isHeld = true
        let id = try write("held")
        world.time.run(for: .seconds(30))
        #expect(bob.privateTexts.isEmpty)
        alice.journal.isHeld = false
        world.time.run(for: .seconds(5))
        #expect(bob.privateTexts == ["held"])
        #expect(alice.statuses(of: id).last == .delivered)
        alice.journal.failuresToCome = 1
        let lost = try write("refused")
        world.time.run(for: .seconds(30))
        #expect(bob.privateTexts == ["held"])
        #expect(alice.statuses(of: lost) == [.failed(reason: "the disk did not keep it")])
        #expect(alice.node?.report.queuedMessages == 0)
    }

    @Test("after a day a message is given up and its writer told; until then it goes")
    func lifetime() throws {
        part(meet())
        let early = try write("too early")
        world.time.run(for: .seconds(3600))
        let late = try write("in time")
        world.time.run(for: .seconds(86_400 - 3600 + 200))
        #expect(alice.statuses(of: early).last == .failed(reason: "nobody could deliver it within a day"))
        #expect(metric(.dropped) == 1)
        _ = meet()
        world.time.run(for: .seconds(20))
        #expect(bob.privateTexts == ["in time"])
        #expect(alice.statuses(of: late).last == .delivered)
    }

    @Test("the hundred-and-first message for one peer is refused, not put in another's place")
    func full() throws {
        part(meet())
        for number in 0..<100 { _ = try write("\(number)") }
        #expect(throws: Refusal.self) { _ = try write("one too many") }
        world.time.run(for: .seconds(1))
        _ = meet()
        world.time.run(for: .seconds(60))
        // A reader takes only so many a second: what it dropped goes again, behind the others.
        #expect(bob.privateTexts.count == 100)
        #expect(metric(.resent) == 100 && metric(.queued) == 100)
        #expect(Set(bob.privateTexts) == Set((0..<100).map(String.init)))
    }

    @Test("a reader who never answers gets a message eight times over its returns, and then it is given up")
    func neverConfirmed() throws {
        // Two hops away, where nothing tells whether anything arrives.
        let relay = world.addNode("relay")
        _ = world.connect(alice, relay)
        var last = world.connect(relay, bob)
        world.time.run(for: .seconds(10))
        part(last)
        // Bob takes everything and writes nothing down, so that he never confirms.
        bob.journal.isHeld = true
        let id = try write("into the void")
        for _ in 0..<9 {
            #expect(alice.statuses(of: id).last != .failed(reason: "it was sent 8 times and never confirmed"))
            last = world.connect(relay, bob)
            world.time.run(for: .seconds(30))
            part(last, for: .seconds(150))
        }
        #expect(alice.statuses(of: id).last == .failed(reason: "it was sent 8 times and never confirmed"))
        #expect(metric(.dropped) == 1)
        #expect(alice.node?.report.queuedMessages == 0)
    }

    @Test("written under a wrong clock, a message is dated when the clock is right, and does not age before")
    func wrongClock() throws {
        let connection = meet()
        alice.clock.jump(by: Milliseconds(-40 * 86_400_000))
        world.time.run(for: .seconds(10))
        alice.crash(in: world)
        world.air.disconnect(connection)
        alice.clockFloor = WallTime(milliseconds: alice.clock.wall.milliseconds + 86_400_000)
        alice.start()
        let id = try write("patience")
        world.time.run(for: .seconds(200))
        #expect(alice.statuses(of: id) == [.sending])
        alice.clock.jump(by: Milliseconds(40 * 86_400_000))
        world.time.run(for: .seconds(10))
        _ = meet()
        world.time.run(for: .seconds(200))
        #expect(bob.privateTexts == ["patience"])
        #expect(alice.statuses(of: id).last == .delivered)
    }

    @Test("receipts of somebody else take nothing out of the outbox")
    func foreignReceipt() throws {
        let carol = world.addNode("carol")
        part(meet())
        let id = try write("for bob alone")
        _ = world.connect(alice, carol)
        world.time.run(for: .seconds(3))
        try #require(carol.node).markRead([id], from: alice.id)
        world.time.run(for: .seconds(10))
        #expect(alice.statuses(of: id) == [.sending])
        #expect(alice.node?.report.queuedMessages == 1)
    }
}

@Suite("What waits for a session with one peer")
struct PeerQueueTests {
    private func message(_ number: Int) -> (MessageID, PrivateMessagePayload) {
        let id = MessageID("m\(number)")
        return (id, PrivateMessagePayload(id: id, content: "text"))
    }

    @Test("a message that is handed over again keeps its place and goes once")
    func once() {
        var queue = PeerQueue()
        for number in [1, 2, 1, 2, 1] { queue.append(message(number).0, message(number).1) }
        #expect(queue.messageCount == 2 && queue.first?.message == MessageID("m1"))
        queue.prepend([message(2), message(3)])
        #expect(queue.first?.message == MessageID("m3"), "m2 waits already")
        queue.remove(MessageID("m3"))
        queue.removeFirst()
        #expect(queue.first?.message == MessageID("m2") && queue.count == 1)
    }

    @Test("of messages and of receipts a hundred each wait; the oldest make room")
    func bounds() {
        var queue = PeerQueue()
        for number in 0..<150 {
            queue.append(message(number).0, message(number).1)
            queue.append(.delivered(MessageID("r\(number)")))
        }
        #expect(queue.messageCount == 100 && queue.count == 200)
        #expect(!queue.contains(MessageID("m49")) && queue.contains(MessageID("m50")))
    }
}
