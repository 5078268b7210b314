import Domain
import InMemory
import Testing

@testable import Application

@Suite("Goodbyes (spec: mesh §14, §25)")
struct LeaveTests {
    private func leave(_ author: Stranger, _ mark: UInt8 = 0) -> Packet {
        Packet(type: .leave, ttl: 7, timestamp: author.now, sender: author.id, payload: mark == 0 ? [] : [mark])
    }

    @Test("31: of somebody unknown, or under a bad signature, are not passed on, and nobody is gone")
    func unverifiable() throws {
        let between = Between()
        let nobody = Stranger(between.world, seed: 23)
        #expect(try !between.passesOn(leave(nobody), signedBy: nobody))
        #expect(between.hub.counter(.droppedUnknownSigner) == 1)
        #expect(try !between.passesOn(leave(between.speaker), signedBy: nobody))
        #expect(between.hub.counter(.droppedBadSignature) == 1)
        #expect(between.hub.node?.peers.contains { $0.id == between.speaker.id } == true)
    }

    @Test("are good under an identity that only the disk knows")
    func persisted() throws {
        let between = Between()
        between.hub.crash(in: between.world)
        between.world.time.run(for: .seconds(1))
        between.hub.start()
        _ = between.speaker.join(between.hub)
        _ = between.listener.join(between.hub)
        // Until the listener was told who we are, everything else waits.
        between.world.time.run(for: .seconds(1))
        #expect(between.hub.node?.peers.isEmpty == true)
        #expect(try between.passesOn(leave(between.speaker)))
    }

    @Test("leave the link bound; the next announce brings the peer back")
    func comesBack() throws {
        let between = Between()
        let (hub, speaker) = (between.hub, between.speaker)
        #expect(try between.passesOn(leave(speaker)))
        #expect(hub.node?.peers.contains { $0.id == speaker.id } == false)
        #expect(hub.node?.report.links.map(\.peer) == [speaker.id, between.listener.id])
        speaker.send(speaker.announce(name: "speaker"))
        between.world.time.run(for: 10)
        #expect(hub.node?.peers.first { $0.id == speaker.id }?.isConnected == true)
        let changes = hub.peerChanges(of: speaker.id)
        #expect(changes == [.connected, .left, .connected])
    }

    @Test("end the session and the proof of the link")
    func proofEnds() throws {
        let world = RealWorld.real()
        let (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        _ = world.connect(alice, bob)
        world.time.run(for: .seconds(3))
        _ = try #require(alice.node).sendPrivate("hello", to: bob.id)
        world.time.run(for: .seconds(1))
        try #require(alice.node?.report.links.map(\.isAuthenticated) == [true])
        bob.node?.stop()
        world.time.run(for: 10)
        let report = try #require(alice.node?.report)
        #expect(report.links.map(\.peer) == [bob.id])
        #expect(report.links.map(\.isAuthenticated) == [false])
        #expect(report.sessions == 0)
        #expect(alice.node?.peers.isEmpty == true)
    }
}

extension Member {
    /// What was told about a peer, in order.
    func peerChanges(of peer: PeerID) -> [PeerChange.Kind] {
        events.compactMap { if case .peer(let change) = $0, change.peer == peer { change.kind } else { nil } }
    }
}
