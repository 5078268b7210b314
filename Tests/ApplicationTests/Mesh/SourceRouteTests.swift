import Application
import Domain
import InMemory
import Testing

/// Directed packets along a way that its nodes confirm (spec: mesh §16, §17).
@Suite("Source routes")
struct SourceRouteTests {
    private let world = RealWorld.real(seed: 8)

    /// `a - b - c - d` with a detour `a - e - f - g - d`, all of whom speak version 2 as far as the others have seen.
    private func scene() throws -> [String: RealMember] {
        let members = ["a", "b", "c", "d", "e", "f", "g"].map { world.addNode($0) }
        let named = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0) })
        for (one, other) in ["ab", "bc", "cd", "ae", "ef", "fg", "gd"].map({ ($0.prefix(1), $0.suffix(1)) }) {
            _ = world.connect(try #require(named[String(one)]), try #require(named[String(other)]))
        }
        world.time.run(for: .seconds(8))
        // A file to everyone is what a node shows version 2 by.
        for member in members {
            _ = try #require(member.node).sendFile(
                [UInt8](repeating: 3, count: 300), name: "x.bin", mime: "application/octet-stream")
            world.time.run(for: .seconds(3))
        }
        world.time.run(for: .seconds(12))
        return named
    }

    private func link(_ one: RealMember?, _ other: RealMember?) -> Connection? {
        world.air.openConnections.first { connection in
            let ends = connection.ends.map(\.endpoint)
            return ends.contains { $0 === one?.endpoint } && ends.contains { $0 === other?.endpoint }
        }
    }

    private func trace(_ from: RealMember?, _ to: RealMember?) throws -> TraceReport {
        try #require(from?.node).trace(to: #require(to?.id))
    }

    /// A session from `a` to `d`, with nothing of it on its way any more.
    private func talk(_ scene: [String: RealMember]) throws -> (a: RealMember, d: RealMember) {
        let (a, d) = (try #require(scene["a"]), try #require(scene["d"]))
        let first = try #require(a.node).sendPrivate("first", to: d.id)
        let isDelivered = world.run(atMost: .seconds(20)) { a.statuses(of: first[0]).last == .delivered }
        try #require(isDelivered)
        world.time.run(for: .seconds(11))
        return (a, d)
    }

    @Test("are traced hop by hop, directly where there is a link, and not at all where nothing is confirmed")
    func traced() throws {
        let scene = try scene()
        #expect(
            try trace(scene["a"], scene["d"]) == .route([try #require(scene["b"]?.id), try #require(scene["c"]?.id)]))
        #expect(try trace(scene["a"], scene["b"]) == .direct)
        for pair in ["cd", "gd"] {
            world.air.disconnect(try #require(link(scene[String(pair.prefix(1))], scene[String(pair.suffix(1))])))
        }
        // The announces after that say so.
        world.time.run(for: .seconds(25))
        #expect(try trace(scene["a"], scene["d"]) == .flooded(isConfirmed: false))
        for name in ["b", "e"] { scene[name]?.crash(in: world) }
        world.time.run(for: 100)
        #expect(throws: Refusal.notReachable(try #require(scene["d"]?.id))) { _ = try trace(scene["a"], scene["d"]) }
        #expect(throws: Refusal.self) { _ = try trace(scene["a"], scene["a"]) }
    }

    @Test("carry a private message along the confirmed hops and nowhere else")
    func followed() throws {
        let scene = try scene()
        let (a, d) = try talk(scene)
        var carriers: [String] = []
        world.air.tap = { frame in
            guard let view = PacketView(frame.bytes), view.type == .noiseEncrypted, view.sender == a.id else { return }
            carriers.append(frame.sender.name + frame.receiver.name)
            #expect(view.version == 2 && view.isSigned && view.hopCount == 2)
        }
        let ids = try #require(a.node).sendPrivate("along the way", to: d.id)
        let isDelivered = world.run(atMost: .seconds(2)) { a.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(carriers == ["ab", "bc", "cd"])
        #expect(a.counter(.packetsRouted) > 0)
        #expect(scene["b"]?.counter(.framesForwarded) ?? 0 > 0)
    }

    @Test("that lose a hop end in flooding, and the message arrives all the same", arguments: ["cd", "bc", "ab"])
    func hopVanishes(lost: String) throws {
        let scene = try scene()
        let (a, d) = try talk(scene)
        // The link goes, and nobody has said so yet; a message leaves in the same moment.
        let gone = try #require(link(scene[String(lost.prefix(1))], scene[String(lost.suffix(1))]))
        world.air.disconnect(gone)
        let ids = try #require(a.node).sendPrivate("in spite of it", to: d.id)
        let isDelivered = world.run(atMost: .seconds(30)) { a.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(d.privateTexts == ["first", "in spite of it"])
    }

    @Test("that swallow everything are given up after ten seconds; what was not confirmed is flooded")
    func blackHole() throws {
        let scene = try scene()
        let (a, d) = try talk(scene)
        // The hop takes frames and passes none on; its links stay up.
        scene["c"]?.endpoint.frame = { _, _ in }
        let ids = try #require(a.node).sendPrivate("past the hole", to: d.id)
        world.time.run(for: .seconds(9))
        #expect(a.statuses(of: ids[0]).last == .sent)
        // Once for the message, and once more for the receipt, which fell into the same hole.
        let isDelivered = world.run(atMost: .seconds(40)) { a.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(a.counter(.messagesSentAgain) == 2)
        #expect(d.privateTexts == ["first", "past the hole"])
        // For a minute nothing to this peer is routed.
        let routed = a.counter(.packetsRouted)
        _ = try #require(a.node).sendPrivate("flooded", to: d.id)
        world.time.run(for: .seconds(5))
        #expect(a.counter(.packetsRouted) == routed)
        #expect(d.privateTexts.last == "flooded")
    }

    @Test("a message to a peer that was away for longer than anybody remembers arrives when it is back")
    func longAbsence() throws {
        let scene = try scene()
        let (a, d) = try talk(scene)
        let links = try ["cd", "gd"].map {
            try #require(link(scene[String($0.prefix(1))], scene[String($0.suffix(1))]))
        }
        for connection in links { world.air.disconnect(connection) }
        let ids = try #require(a.node).sendPrivate("still for you", to: d.id)
        world.time.run(for: .seconds(180))
        #expect(a.statuses(of: ids[0]).last == .sent)
        _ = world.connect(try #require(scene["g"]), d)
        let isDelivered = world.run(atMost: .seconds(60)) { a.statuses(of: ids[0]).last == .delivered }
        #expect(isDelivered)
        #expect(d.privateTexts == ["first", "still for you"])
    }
}
