import Domain
import Testing

@Suite("Signals and the staircase (spec: store-and-forward §1.2, §1.3)")
struct SendRouteTests {
    private static let meshes: [PeerSignals] = [true, false].flatMap { session in
        [
            .mesh(hasSession: session), .mesh(isReachable: true, hasSession: session),
            .mesh(isConnected: true, hasSession: session),
        ]
    }
    private static let relayed: [PeerSignals] = [
        .absent, .nostr(isReachable: true, isPrompt: false), .nostr(isReachable: true, isPrompt: true),
    ]

    @Test("relays do not matter to a peer that the mesh reaches", arguments: meshes.filter(\.isReachable))
    func meshFirst(mesh: PeerSignals) {
        let routes = Set(Self.relayed.map { SendRoute(TransportSignals(mesh: mesh, nostr: $0)) })
        #expect(routes.count == 1)
        #expect(routes.first?.transport == .mesh)
    }

    @Test("a session alone does not bring a peer here", arguments: relayed)
    func sessionOfAnAbsentPeer(nostr: PeerSignals) {
        let routes = [true, false].map { SendRoute(TransportSignals(mesh: .mesh(hasSession: $0), nostr: nostr)) }
        #expect(routes[0] == routes[1])
        #expect(routes[0].transport != .mesh)
    }

    @Test("couriers get a copy wherever nothing leaves at once for sure", arguments: meshes, relayed)
    func deposits(mesh: PeerSignals, nostr: PeerSignals) {
        let signals = TransportSignals(mesh: mesh, nostr: nostr)
        let isSure =
            mesh.isConnected ? mesh.deliversSecurely : mesh.isReachable || nostr.deliversPromptly
        #expect(SendRoute(signals).deposits == !isSure)
    }

    @Test("relays never count as connected, and reach nobody without a key")
    func relays() {
        for isOpen in [true, false] {
            for isUp in [true, false] {
                let known = PeerSignals(hasNostrKey: true, isGateOpen: isOpen, isRelayConnected: isUp)
                #expect(!known.isConnected)
                #expect(known.isReachable == isOpen)
                #expect(known.deliversPromptly == (isOpen && isUp))
                let unknown = PeerSignals(hasNostrKey: false, isGateOpen: isOpen, isRelayConnected: isUp)
                #expect(unknown == .absent)
            }
        }
    }

    @Test("14a: behind a closed gate nothing is sent and no attempt lost; when it opens, the message goes once")
    func gate() {
        func signals(isOpen: Bool) -> TransportSignals {
            TransportSignals(
                mesh: .absent, nostr: PeerSignals(hasNostrKey: true, isGateOpen: isOpen, isRelayConnected: isOpen))
        }
        let probe = OutboxProbe()
        let closed = SendRoute(signals(isOpen: false))
        #expect(closed == .couriers)
        probe.put(OutboxProbe.entry("m"))
        #expect(probe.begin("m", by: closed)?.sendAttempts == 0)
        #expect(probe.flush(signals(isOpen: false)) == [])
        #expect(probe.attempts("m") == 0)

        #expect(probe.outbox.unsent.map(\.id.text) == ["m"])
        #expect(probe.flush(signals(isOpen: true)) == ["m"])
        #expect(probe.attempts("m") == 1)
        #expect(probe.outbox.unsent.isEmpty)
    }

    @Test("an unverified peer is forgotten sooner, and a connected one by no silence")
    func retention() {
        func isReachable(isConnected: Bool = false, isVerified: Bool, _ silence: Milliseconds) -> Bool {
            PeerSignals(
                isKnown: true, isConnected: isConnected, isVerified: isVerified, silence: silence, hasNeighbours: true,
                hasSession: false
            ).isReachable
        }
        #expect(isReachable(isVerified: true, 60_000) && !isReachable(isVerified: true, 60_001))
        #expect(isReachable(isVerified: false, 45_000) && !isReachable(isVerified: false, 45_001))
        #expect(isReachable(isConnected: true, isVerified: false, 1_000_000))
    }
}
