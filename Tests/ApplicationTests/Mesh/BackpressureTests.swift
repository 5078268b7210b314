import Application
import Domain
import InMemory
import Testing

/// What happens when a link takes less than there is to send (spec: mesh §19, §20).
@Suite("Links that are full")
struct FullLinkTests {
    private let world = RealWorld.real(seed: 3)
    /// A slow radio: 2 KB/s, and room for four frames.
    private let slow = LinkProfile(latency: 1...5, bytesPerSecond: 2_000, queueLimit: 2_048)

    private func types(from member: RealMember, _ body: () throws -> Void) rethrows -> [MessageType] {
        var types: [MessageType] = []
        world.air.tap = { frame in
            guard frame.sender === member.endpoint, let view = PacketView(frame.bytes) else { return }
            types.append(view.type)
        }
        try body()
        world.air.tap = nil
        return types
    }

    @Test("a chat message does not wait behind a file")
    func chatPassesFile() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob, slow)
        world.time.run(for: .seconds(3))
        let node = try #require(alice.node)
        // Ten seconds of air at this rate.
        let id = try node.sendFile(
            [UInt8](repeating: 0, count: 20_000).enumerated().map { UInt8(truncatingIfNeeded: $0.offset &* 167) },
            name: "a.bin", mime: "application/octet-stream")
        world.time.run(for: .seconds(2))
        #expect(alice.statuses(of: id).last == .sending)
        _ = try node.sendPublic("in between")
        let isHeard = world.run(atMost: .seconds(2)) { bob.publicTexts == ["in between"] }
        #expect(isHeard)
        #expect(alice.statuses(of: id).last == .sending)
        // And the file is whole in the end: what a full link refused was not lost.
        let isThere = world.run(atMost: .seconds(20)) { bob.counter(.filesReceived) == 1 }
        #expect(isThere)
    }

    @Test("a chat message that is passed on does not wait behind fragments that are")
    func relayedChatPassesFragments() throws {
        let members = ["alice", "relay", "bob"].map { world.addNode($0) }
        _ = world.connect(members[0], members[1])
        _ = world.connect(members[1], members[2], slow)
        world.time.run(for: .seconds(4))
        let node = try #require(members[0].node)
        _ = try node.sendFile(
            [UInt8](repeating: 0, count: 12_000).enumerated().map { UInt8(truncatingIfNeeded: $0.offset &* 167) },
            name: "a.bin", mime: "application/octet-stream")
        world.time.run(for: .seconds(2))
        // The relay holds fragments by now that its link does not take.
        #expect(members[1].node?.report.queuedFrames ?? 0 > 0)
        _ = try node.sendPublic("in between")
        let isHeard = world.run(atMost: .seconds(2)) { members[2].publicTexts == ["in between"] }
        #expect(isHeard)
        #expect(members[2].counter(.filesReceived) == 0)
        let isThere = world.run(atMost: .seconds(20)) { members[2].counter(.filesReceived) == 1 }
        #expect(isThere)
    }

    @Test("a file waits in its train while the link is full: nothing of it fills the queue")
    func backpressure() throws {
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob, slow)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendFile(
            [UInt8](repeating: 0, count: 20_000).enumerated().map { UInt8(truncatingIfNeeded: $0.offset &* 167) },
            name: "a.bin", mime: "application/octet-stream")
        for _ in 0..<20 {
            world.time.run(for: 200)
            #expect(alice.node?.report.queuedFrames ?? 99 <= 1)
        }
    }

    @Test("what waits on a link that never takes more is bounded; its own kind goes first")
    func bounded() throws {
        let hub = world.addNode("hub")
        let (flooder, stuck) = (Stranger(world, seed: 1), Stranger(world, seed: 2))
        _ = flooder.join(hub)
        _ = stuck.join(hub, LinkProfile(latency: 1...1, bytesPerSecond: 1, queueLimit: 100))
        stuck.send(stuck.announce(name: "stuck"))
        flooder.send(flooder.announce(name: "flooder"))
        world.time.run(for: .seconds(1))
        for number in 0..<400 {
            flooder.send(
                Packet(
                    type: .groupMessage, ttl: 7, timestamp: flooder.now.adding(Milliseconds(Int64(number))),
                    sender: flooder.id, payload: SeededRandomness(seed: UInt64(number)).bytes(4000)))
            world.time.run(for: 10)
        }
        world.time.run(for: .seconds(1))
        let report = try #require(hub.node?.report)
        #expect(report.queuedBytes > 500_000)
        #expect(report.queuedBytes <= RelayPolicy.queueBytes)
        #expect(hub.counter(.sendLinkFull) > 0)
    }
}
