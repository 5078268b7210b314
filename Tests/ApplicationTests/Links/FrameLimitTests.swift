import Domain
import InMemory
import Testing

@testable import Application

/// Two nodes on one link that carries frames of a certain length.
private final class LimitedPair {
    let world = RealWorld.real()
    let alice: RealMember
    let bob: RealMember
    /// The longest frame that left.
    private(set) var longest = 0
    private(set) var types: [MessageType: [Int]] = [:]

    init(_ limit: Int) {
        (alice, bob) = (world.addNode("alice"), world.addNode("bob"))
        world.air.tap = { [unowned self] in
            longest = max(longest, $0.bytes.count)
            if let type = PacketView($0.bytes)?.type { types[type, default: []].append($0.bytes.count) }
        }
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, frameLimit: limit))
        world.time.run(for: .seconds(3))
    }

    /// Frames that a link was offered and that exceeded its limit.
    var refused: UInt64 { alice.counter(.sendRefusedByLink) + bob.counter(.sendRefusedByLink) }
}

@Suite("Links that carry short frames (spec: ble-gatt §7, §8, §14, §17)")
struct FrameLimitTests {
    private static let octets = "application/octet-stream"

    /// The lines that a node logged at a level, as far as they begin so.
    private func log(of member: RealMember, _ level: LogLevel, _ start: String) -> [String] {
        member.notices.notices.compactMap { notice in
            if case .log(level, let text) = notice, text.hasPrefix(start) { text } else { nil }
        }
    }

    @Test("an MTU of 100 is too short: the link is closed, with a line in the log")
    func refused() {
        let pair = LimitedPair(97)
        #expect(pair.alice.endpoint.openLinks.isEmpty)
        #expect(pair.longest == 0)
        let line = "closed simulated:bob: its frames hold 97 bytes, 107 are needed"
        #expect(log(of: pair.alice, .warning, "closed") == [line])
        #expect(log(of: pair.alice, .warning, "narrow").isEmpty)
    }

    @Test(
        "whatever the limit, announces bind the link, handshakes prove it, and texts arrive; no longer frame leaves",
        arguments: [182, 244, 512])
    func texts(limit: Int) throws {
        let pair = LimitedPair(limit)
        let (alice, bob) = (pair.alice, pair.bob)
        for (member, other) in [(alice, bob), (bob, alice)] {
            #expect(member.node?.report.links.map(\.peer) == [other.id])
        }
        // One neighbour fits into an announce.
        #expect(try #require(pair.types[.announce]?.max()) <= limit)
        #expect(pair.types[.fragment] == nil)
        let ids = try #require(alice.node).sendPrivate("hello", to: bob.id)
        pair.world.time.run(for: .seconds(2))
        for member in [alice, bob] { #expect(member.node?.report.links.map(\.isAuthenticated) == [true]) }
        #expect(pair.types[.noiseHandshake] == (limit < 256 ? [62, 126, 94] : [256, 256, 256]))
        let long = String(repeating: "0123456789", count: 150)
        _ = try #require(alice.node).sendPublic(long)
        _ = try #require(bob.node).sendPublic("short")
        let parts = try #require(bob.node).sendPrivate(long, to: alice.id)
        pair.world.time.run(for: .seconds(10))
        #expect(ids.allSatisfy { alice.statuses(of: $0).last == .delivered })
        #expect(parts.allSatisfy { bob.statuses(of: $0).last == .delivered })
        #expect(bob.publicTexts == [long])
        #expect(alice.publicTexts == ["short"])
        #expect(pair.longest <= limit)
        #expect(pair.refused == 0)
    }

    @Test(
        "a file leaves in pieces that fit the link, and arrives",
        arguments: [(182, 182), (244, 244), (512, 504), (65_536, 504)])
    func files(limit: Int, longest: Int) throws {
        let pair = LimitedPair(limit)
        let content = pair.world.randomness.bytes(100_000)
        let id = try #require(pair.alice.node).sendFile(content, name: "noise.bin", mime: Self.octets)
        #expect(pair.world.run(atMost: .seconds(30)) { !pair.bob.files.contents.isEmpty })
        #expect(pair.bob.files.contents.values.first == content)
        #expect(pair.alice.statuses(of: id).last == .sent)
        #expect(pair.types[.fragment]?.max() == longest)
        #expect(pair.refused == 0)
    }

    @Test("a file for which the link is too slow is refused: its receiver would give up before the last piece")
    func fileTooLong() throws {
        let pair = LimitedPair(182)
        let node = try #require(pair.alice.node)
        let limit = FragmentPolicy.reliableCount * (182 - FragmentPolicy.broadcastOverhead)
        let content = pair.world.randomness.bytes(limit + 1)
        #expect(throws: Refusal.tooLong(bytes: limit + 1, limit: limit)) {
            try node.sendFile(content, name: "noise.bin", mime: Self.octets)
        }
        let largest = Array(content.dropLast())
        _ = try node.sendFile(largest, name: "noise.bin", mime: Self.octets)
        #expect(pair.world.run(atMost: .seconds(31)) { pair.bob.files.contents.values.first == largest })
    }

    @Test("a neighbour on a narrow link does not keep the others from a long file, nor from being announced to")
    func mixed() throws {
        let world = RealWorld.real()
        let (alice, wide, narrow) = (world.addNode("alice"), world.addNode("wide"), world.addNode("narrow"))
        _ = world.connect(alice, narrow, LinkProfile(latency: 1...5, frameLimit: MeshPolicy.minimumFrameLimit))
        _ = world.connect(alice, wide, LinkProfile(latency: 1...5, frameLimit: 512))
        world.time.run(for: .seconds(5))
        #expect(wide.node?.report.links.map(\.peer) == [alice.id])
        #expect(alice.node?.report.links.map(\.peer) == [nil, wide.id])
        // In fragments it binds no link, but tells who we are.
        #expect(narrow.node?.peers.contains { $0.id == alice.id } == true)
        let content = world.randomness.bytes(200 * 1024)
        _ = try #require(alice.node).sendFile(content, name: "noise.bin", mime: Self.octets)
        _ = try #require(alice.node).sendPublic("for both")
        #expect(world.run(atMost: .seconds(30)) { wide.files.contents.values.first == content })
        #expect(wide.publicTexts == ["for both"])
        #expect(narrow.publicTexts == ["for both"])
        #expect(narrow.files.contents.isEmpty)
    }

    @Test("neighbours are left out for links that could carry the announce without them, not for narrower ones")
    func trimming() throws {
        let world = RealWorld.real()
        let hub = world.addNode("hub")
        let strangers = (0..<6).map { Stranger(world, seed: UInt64(100 + $0)) }
        for (stranger, limit) in zip(strangers, [107, 512, 512, 512, 512, 512]) {
            _ = stranger.join(hub, LinkProfile(latency: 1...1, frameLimit: limit))
            stranger.send(stranger.announce())
        }
        world.time.run(for: .seconds(2))
        for stranger in strangers { stranger.heard.removeAll() }
        _ = try #require(hub.node).setNickname("hub two")
        world.time.run(for: .seconds(1))
        for stranger in strangers.dropFirst() {
            let views = stranger.heard.compactMap { PacketView($0) }
            let direct = try #require(views.first { $0.isDirectAnnounce && $0.sender == hub.id })
            #expect(Announce(direct.payloadSection)?.neighbours?.count == 5)
        }
        let pieces = try #require(strangers.first).heard.compactMap { PacketView($0)?.type }
        #expect(Set(pieces) == [.fragment])
    }

    @Test("over a narrow link further on texts arrive, in new pieces; a file in pieces of 512 bytes does not")
    func narrowSecondHop() throws {
        let world = RealWorld.real()
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, frameLimit: 512))
        _ = world.connect(bob, carol, LinkProfile(latency: 1...5, frameLimit: 182))
        world.time.run(for: .seconds(5))
        var longest = 0
        world.air.tap = { if $0.receiver === carol.endpoint { longest = max(longest, $0.bytes.count) } }
        let text = String(repeating: "0123456789", count: 30)
        _ = try #require(alice.node).sendPublic(text)
        _ = try #require(alice.node).sendPrivate("between us", to: carol.id)
        let content = world.randomness.bytes(20_000)
        _ = try #require(alice.node).sendFile(content, name: "noise.bin", mime: Self.octets)
        world.time.run(for: .seconds(20))
        #expect(carol.publicTexts == [text])
        #expect(carol.privateTexts == ["between us"])
        #expect(bob.files.contents.values.first == content)
        #expect(carol.files.contents.isEmpty)
        #expect(longest <= 182)
        // All 44 pieces but the last one.
        #expect(bob.counter(.sendRefusedByLink) == 43)
    }

    @Test("a link that phones' files do not fit is named in the log, once", arguments: [(107, 1), (511, 1), (512, 0)])
    func narrowLine(limit: Int, lines: Int) {
        let pair = LimitedPair(limit)
        for _ in 0..<3 { pair.world.time.run(for: .seconds(10)) }
        let expected = """
            narrow link: simulated:bob: its frames hold \(limit) bytes, phones use 512; their files do not fit
            """
        #expect(log(of: pair.alice, .warning, "narrow") == [String](repeating: expected, count: lines))
    }
}

@Suite("What a radio is told of trains, and the node of radios (spec: mesh §12.2, §19)")
struct RadioNoticeTests {
    private let world = RealWorld.real()

    @Test("a train of more than four fragments is told when it starts, ours or relayed; a shorter one is not")
    func trains() throws {
        let (alice, bob, carol) = (world.addNode("alice"), world.addNode("bob"), world.addNode("carol"))
        _ = world.connect(alice, bob, LinkProfile(latency: 1...5, frameLimit: 65_536))
        _ = world.connect(bob, carol, LinkProfile(latency: 1...5, frameLimit: 512))
        world.time.run(for: .seconds(5))
        var told: [[Int]] = [[], []]
        var sent = 0
        alice.endpoint.train = { told[0].append($0) }
        bob.endpoint.train = { told[1].append($0) }
        world.air.tap = { if $0.receiver === carol.endpoint, PacketView($0.bytes)?.type == .fragment { sent += 1 } }
        // Two fragments of a text that no deflate shortens, relayed in pieces.
        _ = try #require(alice.node).sendPublic(Hex.encode(world.randomness.bytes(600)))
        world.time.run(for: .seconds(2))
        #expect(sent > 1 && sent <= 4)
        #expect(told == [[], []])
        sent = 0
        _ = try #require(alice.node).sendPublic(Hex.encode(world.randomness.bytes(3000)))
        world.time.run(for: .seconds(2))
        let relayed = sent
        #expect(relayed > 4)
        #expect(told == [[], [relayed]])
        // Files leave in pieces whatever the link takes, and those are relayed one by one.
        _ = try #require(alice.node).sendFile(
            world.randomness.bytes(5000), name: "a.bin", mime: "application/octet-stream")
        #expect(told == [[11], [relayed]])
        world.time.run(for: .seconds(2))
        #expect(told == [[11], [relayed]])
    }

    @Test("a device that comes back after the radio went off gets its announce: what was remembered is cleared")
    func adapterWentDown() throws {
        let (alice, visitor) = (world.addNode("alice"), Stranger(world))
        visitor.endpoint.device = "C0:FF:EE:00:00:01"
        // Between two ticks, so that nothing periodic happens in between.
        world.time.run(for: Milliseconds(5100 - world.time.now.milliseconds))
        let watch = AirWatch(world, of: alice)
        var announces: [Int] = []
        for isReset in [false, false, true] {
            if isReset { try #require(alice.node).adapterWentDown() }
            let connection = visitor.join(alice)
            let link = try #require(connection.ends.last?.link)
            world.time.run(for: 500)
            announces.append(watch.frames(.announce, by: alice.id, on: link).count)
            world.air.disconnect(connection)
            world.time.run(for: 100)
        }
        #expect(announces == [1, 0, 1])
    }
}
