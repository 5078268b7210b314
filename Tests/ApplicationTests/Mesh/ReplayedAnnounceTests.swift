import Application
import Domain
import InMemory
import Testing

/// An announce is signed, but its TTL is not: anybody can replay one as "direct" and so claim to be the far end of a link
/// (spec: mesh §12.3, §13, §14).
@Suite("A replayed direct announce")
struct ReplayedAnnounceTests {
    private let world = RealWorld.real(seed: 4)

    /// Alice and Victor, who only meet through Mid, with a session; and Victor's last announce as it left him.
    private func scene() throws -> (alice: RealMember, mid: RealMember, victor: RealMember, announce: () -> [UInt8]?) {
        let (alice, mid, victor) = (world.addNode("alice"), world.addNode("mid"), world.addNode("victor"))
        _ = world.connect(alice, mid)
        _ = world.connect(mid, victor)
        let last = Captured()
        let (id, air) = (victor.id, victor.endpoint)
        world.air.tap = { frame in
            guard frame.sender === air, let view = PacketView(frame.bytes), view.isDirectAnnounce, view.sender == id
            else { return }
            last.frame = frame.bytes
        }
        let knows = world.run(atMost: .seconds(30)) { alice.node?.peers.contains { $0.id == id } == true }
        try #require(knows)
        let first = try #require(alice.node).sendPrivate("first", to: victor.id)
        let isDelivered = world.run(atMost: .seconds(30)) { alice.statuses(of: first[0]).last == .delivered }
        try #require(isDelivered)
        return (alice, mid, victor, { last.frame })
    }

    private final class Captured { var frame: [UInt8]? }

    private func attack(_ alice: RealMember, with announce: [UInt8]) -> Stranger {
        let thief = Stranger(world)
        _ = thief.join(alice)
        thief.send(announce)
        world.time.run(for: 50)
        return thief
    }

    private func isConnected(_ peer: PeerID, for member: RealMember) -> Bool {
        member.node?.peers.first { $0.id == peer }?.isConnected == true
    }

    @Test("does not capture the traffic of a peer that is further off: it still arrives")
    func captured() throws {
        let (alice, _, victor, announce) = try scene()
        let thief = attack(alice, with: try #require(announce()))
        defer { withExtendedLifetime(thief) {} }
        // The residue that the specification accepts: he shows as present.
        #expect(alice.node?.report.links.contains { $0.peer == victor.id && !$0.isAuthenticated } == true)
        thief.heard.removeAll()
        let ids = try #require(alice.node).sendPrivate("for Victor alone", to: victor.id)
        let isDelivered = world.run(atMost: .seconds(60)) { alice.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(victor.privateTexts == ["first", "for Victor alone"])
        #expect(alice.node?.report.links.contains { $0.peer == victor.id && $0.isAuthenticated } == false)
    }

    @Test("of a peer that is away leaves the writer with its copy, which arrives when the peer is back")
    func kept() throws {
        let (alice, mid, victor, announce) = try scene()
        let copy = try #require(announce())
        for connection in world.air.openConnections
        where connection.ends.contains(where: { $0.endpoint === victor.endpoint }) {
            world.air.disconnect(connection)
        }
        let thief = attack(alice, with: copy)
        defer { withExtendedLifetime(thief) {} }
        let ids = try #require(alice.node).sendPrivate("when you are back", to: victor.id)
        world.time.run(for: .seconds(30))
        #expect(alice.statuses(of: ids[0]).contains(.delivered) == false)
        _ = world.connect(mid, victor)
        let isDelivered = world.run(atMost: .seconds(80)) { alice.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(victor.privateTexts == ["first", "when you are back"])
    }

    @Test("does not take the place of a neighbour whose link was proved")
    func neighbour() throws {
        let (alice, _, victor, announce) = try scene()
        _ = world.connect(alice, victor)
        let isProved = world.run(atMost: .seconds(30)) {
            alice.node?.report.links.contains { $0.peer == victor.id && $0.isAuthenticated } == true
        }
        try #require(isProved)
        let thief = attack(alice, with: try #require(announce()))
        thief.heard.removeAll()
        let ids = try #require(alice.node).sendPrivate("past the thief", to: victor.id)
        _ = try #require(alice.node).sendPublic("to everyone")
        let isDelivered = world.run(atMost: .seconds(10)) { alice.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        let types = thief.heard.compactMap { PacketView($0) }.filter { $0.sender == alice.id }.map(\.type)
        #expect(!types.contains(.noiseEncrypted))
        // Victor gets what is for everyone on the link that is his.
        let isHeard = world.run(atMost: .seconds(5)) { victor.publicTexts == ["to everyone"] }
        #expect(isHeard)
    }

    @Test("on a link that was bound to somebody else does not capture traffic either")
    func foreignLink() throws {
        let (alice, mid, victor, announce) = try scene()
        // Until Alice has his latest announce through Mid.
        world.time.run(for: .seconds(1))
        let thief = Stranger(world)
        _ = thief.join(alice)
        thief.send(thief.announce())
        world.time.run(for: 50)
        thief.send(try #require(announce()))
        world.time.run(for: 50)
        let ids = try #require(alice.node).sendPrivate("for Victor alone", to: victor.id)
        let isDelivered = world.run(atMost: .seconds(60)) { alice.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(isConnected(mid.id, for: alice))
        withExtendedLifetime(thief) {}
    }
}
