import Domain
import Support
import Testing

@Suite("Route forwarding")
struct RouteForwardingTests {
    private static let us = PeerID(rawValue: 0x05)
    private static let sender = PeerID(rawValue: 0x01)
    private static let (alice, bob, carol) = (PeerID(rawValue: 0xA), PeerID(rawValue: 0xB), PeerID(rawValue: 0xC))

    private func decide(
        _ route: [PeerID], to recipient: PeerID? = carol, ttl: UInt8 = 7, type: MessageType = .noiseEncrypted,
        connected: Set<PeerID>
    ) -> RouteForwarding {
        let packet = Packet.sample(
            version: 2, type: type, ttl: ttl, sender: Self.sender, recipient: recipient, route: route)
        return RouteForwarding(of: packet, route: route, localPeer: Self.us) { connected.contains($0) }
    }

    @Test("a sync request goes nowhere, with a route or without")
    func requestSync() {
        #expect(decide([Self.us, Self.bob], type: .requestSync, connected: [Self.bob]) == .suppress)
        #expect(decide([], type: .requestSync, connected: [Self.carol]) == .suppress)
    }

    @Test("what has arrived goes no further")
    func arrived() {
        #expect(decide([Self.alice], to: Self.us, connected: [Self.alice]) == .suppress)
        #expect(decide([], to: Self.us, connected: []) == .suppress)
        #expect(decide([Self.alice, Self.us], to: Self.us, ttl: 1, connected: []) == .suppress)
    }

    @Test("without a route it is a flood, also on the last hop", arguments: [0, 1, 2, 7] as [UInt8])
    func noRoute(ttl: UInt8) { #expect(decide([], ttl: ttl, connected: [Self.carol]) == .flood) }

    @Test("a spent TTL ends a routed packet, for bystanders too", arguments: [0, 1] as [UInt8])
    func spent(ttl: UInt8) {
        #expect(decide([Self.alice, Self.us, Self.bob], ttl: ttl, connected: [Self.bob]) == .suppress)
        #expect(decide([Self.alice], ttl: ttl, connected: [Self.alice]) == .suppress)
        #expect(decide([Self.us], ttl: ttl, connected: []) == .suppress)
    }

    @Test("a bystander hands the packet to the first hop, and to nobody behind it")
    func bystander() {
        #expect(decide([Self.alice, Self.bob], connected: [Self.alice, Self.bob]) == .forward(to: Self.alice))
        #expect(decide([Self.alice, Self.bob], connected: [Self.bob, Self.carol]) == .flood)
    }

    @Test("the last hop hands over to the recipient, if it is there")
    func lastHop() {
        #expect(decide([Self.alice, Self.us], connected: [Self.carol]) == .forward(to: Self.carol))
        #expect(decide([Self.alice, Self.us], connected: [Self.alice]) == .flood)
        #expect(decide([Self.us], connected: [Self.carol]) == .forward(to: Self.carol))
    }

    @Test("the last hop floods what names no single recipient", arguments: [nil, .broadcast] as [PeerID?])
    func noRecipient(recipient: PeerID?) {
        #expect(decide([Self.alice, Self.us], to: recipient, connected: [Self.alice, Self.carol]) == .flood)
    }

    @Test("a hop hands over to the next, or floods when that has gone")
    func nextHop() {
        let route = [Self.alice, Self.us, Self.bob]
        #expect(decide(route, connected: [Self.alice, Self.bob, Self.carol]) == .forward(to: Self.bob))
        #expect(decide(route, ttl: 2, connected: [Self.bob]) == .forward(to: Self.bob))
        #expect(decide(route, connected: [Self.alice, Self.carol]) == .flood)
    }

    @Test("of two places in a route the first counts")
    func twice() {
        let route = [Self.us, Self.alice, Self.us, Self.bob]
        #expect(decide(route, connected: [Self.alice, Self.bob]) == .forward(to: Self.alice))
        #expect(decide(route, connected: [Self.bob]) == .flood)
        #expect(decide([Self.alice, Self.us, Self.us], connected: [Self.carol]) == .flood)
    }
}

@Suite("Route origination")
struct RouteOriginationTests {
    private static let us = PeerID(rawValue: 0x05)
    private static let hops = [PeerID(rawValue: 0xA), PeerID(rawValue: 0xB)]
    private static let packet = Packet.sample(
        type: .noiseEncrypted, sender: us, recipient: PeerID(rawValue: 0xC),
        signature: Signature([UInt8](repeating: 1, count: 64)), isSyncResponse: true)

    private func routed(
        _ packet: Packet = packet, isConnected: Bool = false, isAllowed: Bool = true, hops: [PeerID]? = hops
    ) -> Packet? {
        RouteOrigination.routed(packet, localPeer: Self.us, isConnected: isConnected, isAllowed: isAllowed) { _ in hops
        }
    }

    @Test("vectors", arguments: Vectors.cases("topology", op: "originate_route"))
    func vectors(vector: VectorCase) throws {
        let json = vector.input.member("packet")
        if let recipient = json.member("recipient").hex, PeerID(recipient) == nil {
            // No packet of ours can have a recipient of another length.
            #expect(vector.output.isNull)
            return
        }
        let packet = try #require(PacketVector(json).packet)
        let computed = vector.input.member("computed_route").array?.compactMap { PeerID(hex: $0.string ?? "") }
        let routed = RouteOrigination.routed(
            packet, localPeer: try #require(PeerID(hex: vector.input.member("local_peer").string ?? "")),
            isConnected: try #require(vector.input.member("recipient_connected").bool as Bool?),
            isAllowed: try #require(vector.input.member("attempt_allowed").bool as Bool?)
        ) { recipient in
            #expect(recipient == packet.recipient)
            return computed
        }
        let expected = vector.output["route"]?.array?.compactMap(\.string)
        #expect(routed?.route.map(\.hex) == expected)
    }

    @Test("a routed packet is of version 2, answers no sync request, and has still to be signed")
    func form() throws {
        let packet = try #require(routed())
        var expected = Self.packet
        expected.version = 2
        expected.route = Self.hops
        expected.isSyncResponse = false
        expected.signature = nil
        #expect(packet == expected)
    }

    @Test("another author's packet is not ours to sign again")
    func foreign() {
        var packet = Self.packet
        packet.sender = PeerID(rawValue: 0xD)
        #expect(routed(packet) == nil)
    }

    @Test("only what is for one peer is routed", arguments: [nil, .broadcast] as [PeerID?])
    func everyone(recipient: PeerID?) {
        var packet = Self.packet
        packet.recipient = recipient
        #expect(routed(packet) == nil)
    }

    @Test(
        "what may not travel is not routed",
        arguments: [(0, false), (1, false), (2, true), (7, true)] as [(UInt8, Bool)])
    func ttl(ttl: UInt8, isRouted: Bool) {
        var packet = Self.packet
        packet.ttl = ttl
        #expect((routed(packet) != nil) == isRouted)
    }

    @Test("a neighbour, a lately failed recipient and one without a way are not routed to")
    func refusals() {
        #expect(routed(isConnected: true) == nil)
        #expect(routed(isAllowed: false) == nil)
        #expect(routed(hops: nil) == nil)
        #expect(routed(hops: []) == nil)
    }

    @Test("no way is looked for when something else forbids a route")
    func lazy() {
        let answer = RouteOrigination.routed(Self.packet, localPeer: Self.us, isConnected: true, isAllowed: true) { _ in
            Issue.record("a way was looked for")
            return Self.hops
        }
        #expect(answer == nil)
    }
}

/// The watches by reference, so that expectations can call what changes them.
private final class Failures {
    private var failures: RouteFailures

    init(capacity: Int = 256) { failures = RouteFailures(capacity: capacity) }

    var count: Int { failures.count }
    func mayRoute(_ peer: Int = 1, at milliseconds: Int64) -> Bool {
        failures.mayRoute(to: PeerID(rawValue: UInt64(peer)), at: Uptime(milliseconds: milliseconds))
    }
    func noteRouted(_ peer: Int = 1, at milliseconds: Int64) {
        failures.noteRouted(to: PeerID(rawValue: UInt64(peer)), at: Uptime(milliseconds: milliseconds))
    }
    func suppress(_ peer: Int = 1, at milliseconds: Int64) {
        failures.suppress(PeerID(rawValue: UInt64(peer)), at: Uptime(milliseconds: milliseconds))
    }
    func heard(_ peer: Int = 1) { failures.heard(from: PeerID(rawValue: UInt64(peer))) }
    func prune(at milliseconds: Int64) { failures.prune(at: Uptime(milliseconds: milliseconds)) }
}

@Suite("Route failures")
struct RouteFailuresTests {
    @Test("unanswered for more than 10 s, a recipient is flooded to for a minute")
    func suppression() {
        let failures = Failures()
        #expect(failures.mayRoute(at: 0))
        failures.noteRouted(at: 0)
        #expect(failures.mayRoute(at: 10_000))
        #expect(!failures.mayRoute(at: 10_100))
        #expect(!failures.mayRoute(at: 70_099))
        #expect(failures.mayRoute(at: 70_100))
        #expect(failures.count == 0)
    }

    @Test("the minute begins when the failure is noticed")
    func late() {
        let failures = Failures()
        failures.noteRouted(at: 0)
        #expect(!failures.mayRoute(at: 50_000))
        #expect(!failures.mayRoute(at: 109_999))
        #expect(failures.mayRoute(at: 110_000))
    }

    @Test("packets that follow each other share the first one's deadline")
    func sharedDeadline() {
        let failures = Failures()
        for time in stride(from: 0, through: 10_000, by: 1000) {
            #expect(failures.mayRoute(at: Int64(time)))
            failures.noteRouted(at: Int64(time))
        }
        #expect(!failures.mayRoute(at: 10_001))
    }

    @Test("an answer ends the wait, and the next packet begins a new one")
    func answer() {
        let failures = Failures()
        failures.noteRouted(at: 0)
        failures.heard()
        #expect(failures.count == 0)
        #expect(failures.mayRoute(at: 60_000))
        failures.noteRouted(at: 60_000)
        #expect(failures.mayRoute(at: 70_000))
        #expect(!failures.mayRoute(at: 70_001))
    }

    @Test("an answer does not lift a suppression")
    func answerWhileSuppressed() {
        let failures = Failures()
        failures.noteRouted(at: 0)
        #expect(!failures.mayRoute(at: 10_100))
        failures.heard()
        #expect(!failures.mayRoute(at: 70_099))
        #expect(failures.mayRoute(at: 70_100))
    }

    @Test("a wait that began in a suppression and led to nothing begins the next")
    func again() {
        let failures = Failures()
        failures.noteRouted(at: 0)
        #expect(!failures.mayRoute(at: 10_001))
        failures.noteRouted(at: 50_000)
        #expect(!failures.mayRoute(at: 70_001))
        #expect(!failures.mayRoute(at: 130_000))
        #expect(failures.mayRoute(at: 130_001))
    }

    @Test("a recipient can be flooded to for a minute without a failure of ours")
    func suppressed() {
        let failures = Failures()
        failures.noteRouted(at: 0)
        failures.suppress(at: 5000)
        #expect(!failures.mayRoute(at: 5000) && !failures.mayRoute(at: 64_999))
        #expect(failures.mayRoute(at: 65_000))
        let full = Failures(capacity: 1)
        full.noteRouted(1, at: 0)
        full.suppress(2, at: 0)
        #expect(full.count == 1)
        #expect(!full.mayRoute(2, at: 0))
    }

    @Test("recipients do not share their fate")
    func apart() {
        let failures = Failures()
        failures.noteRouted(1, at: 0)
        failures.noteRouted(2, at: 9000)
        failures.heard(3)
        #expect(!failures.mayRoute(1, at: 11_000))
        #expect(failures.mayRoute(2, at: 11_000))
        #expect(failures.mayRoute(3, at: 11_000))
    }

    @Test("what no longer matters is pruned: a wait after 70 s, a suppression when it is over")
    func pruning() {
        let failures = Failures()
        failures.noteRouted(1, at: 0)
        failures.prune(at: 70_000)
        #expect(failures.count == 1)
        failures.prune(at: 70_001)
        #expect(failures.count == 0)
        failures.noteRouted(2, at: 0)
        #expect(!failures.mayRoute(2, at: 10_001))
        failures.prune(at: 70_000)
        #expect(!failures.mayRoute(2, at: 70_000))
        failures.prune(at: 70_001)
        #expect(failures.count == 0)
    }

    @Test("beyond the capacity the watch that ends first is given up")
    func capacity() {
        let failures = Failures(capacity: 2)
        failures.noteRouted(1, at: 0)
        #expect(!failures.mayRoute(1, at: 20_000))
        failures.noteRouted(2, at: 1000)
        failures.noteRouted(3, at: 21_000)
        #expect(failures.count == 2)
        // The second recipient's wait would have ended at 71 s, the first one's suppression ends at 80 s.
        #expect(failures.mayRoute(2, at: 21_000))
        #expect(!failures.mayRoute(1, at: 21_000))
        #expect(!failures.mayRoute(3, at: 31_001))
        // Nobody has to go for one that is watched already.
        failures.noteRouted(3, at: 31_002)
        #expect(!failures.mayRoute(1, at: 79_999))
    }
}
