import Domain
import Testing

@Suite("Outbox: what is sent (spec: store-and-forward §1.3, §1.5, §1.7, §1.8)")
struct OutboxSendingTests {
    /// A message that went out first by a route.
    private func probe(_ route: SendRoute, _ ids: [String] = ["m"]) -> OutboxProbe {
        let probe = OutboxProbe()
        for id in ids {
            probe.put(OutboxProbe.entry(id, key: 0xB0))
            _ = probe.begin(id, by: route)
        }
        return probe
    }

    @Test("1: one transmission into a session; the message stays")
    func session() {
        let probe = probe(SendRoute(.proven))
        #expect(probe.attempts("m") == 1)
        #expect(probe.isMarked("m"))
        #expect(!SendRoute(.proven).deposits)
    }

    @Test("2: ten flushes towards a peer without a session are eleven hand-overs and no drop")
    func insecure() {
        let probe = probe(SendRoute(.insecure))
        var handOvers = 1
        for _ in 0..<10 { handOvers += probe.flush(.insecure).count }
        #expect(handOvers == 11)
        #expect(probe.attempts("m") == 1)
        #expect(probe.dropped == [])
        #expect(SendRoute(.insecure).deposits)
    }

    @Test("3: a peer that is only reachable and never confirms gets eight, then one drop", arguments: [true, false])
    func reachable(overRelays: Bool) {
        let signals: TransportSignals = overRelays ? .relays : .retained
        let probe = probe(SendRoute(signals))
        var transmissions = 1
        for _ in 0..<20 { transmissions += probe.flush(signals).count }
        #expect(transmissions == 8)
        #expect(probe.dropped.map(\.reason) == [.attempts])
        #expect(probe.dropped.first?.entry.sendAttempts == 8)
        #expect(probe.outbox.count == 0)
    }

    @Test("4: repeated sessions send eight times, then drop")
    func repeatedSessions() {
        let probe = probe(SendRoute(.proven))
        var transmissions = 1
        for _ in 0..<20 { transmissions += probe.retry().count }
        #expect(transmissions == 8)
        #expect(probe.dropped.map(\.reason) == [.attempts])
    }

    @Test("5: a receipt inside the send call is the end: nothing is counted, nothing comes back")
    func receiptInsideTheCall() {
        let probe = probe(.couriers, ["m1", "m2", "m3"])
        let sent = probe.flush(.proven) { key in
            // The first one's transport call brings the receipts of the first and of the one after it.
            if key.id.text == "m1" { _ = ["m1", "m2"].map { probe.acknowledge($0) } }
        }
        #expect(sent == ["m1", "m3"])
        #expect(probe.ids() == ["m3"])
        #expect(probe.sent("m1") == nil)
        #expect(probe.step("m2", .proven) == .gone)
        #expect(probe.flush(.proven) == ["m3"])
    }

    @Test("6: of two names of a peer the older message goes first; one that is under both goes once")
    func aliases() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("new", "short", at: OutboxProbe.now - 10))
        probe.put(OutboxProbe.entry("both", "short", at: OutboxProbe.now - 5))
        probe.put(OutboxProbe.entry("old", "long", at: OutboxProbe.now - 20))
        probe.put(OutboxProbe.entry("both", "long", at: OutboxProbe.now - 5))
        for (id, owner) in [("new", "short"), ("both", "short"), ("old", "long"), ("both", "long")] {
            probe.step(id, of: owner, .proven)
        }
        let sent = probe.retry(of: ["short", "long"])
        #expect(sent.map(\.id.text) == ["old", "new", "both"])
        #expect(sent.map(\.owner) == ["long", "short", "short"])
        #expect(probe.attempts("both", of: "long") == 0)
    }

    @Test("7: what is a second over age is never sent", arguments: [TransportSignals.proven, .insecure, .relays])
    func overAge(signals: TransportSignals) {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("late", at: OutboxProbe.now - 86_401))
        probe.put(OutboxProbe.entry("last", at: OutboxProbe.now - 86_400))
        #expect(probe.flush(signals) == ["last"])
        #expect(probe.dropped.map(\.entry.id.text) == ["late"])
    }

    @Test("8: what waits behind the handshake is not retried: the transport sends it itself")
    func behindTheHandshake() {
        let probe = probe(SendRoute(.insecure))
        #expect(probe.retry() == [])
        #expect(probe.attempts("m") == 1)
        // The reference's double send: a flush over the session sends it, and only from then on a retry does.
        #expect(probe.flush(.proven) == ["m"])
        #expect(probe.retry().map(\.id.text) == ["m"])
    }

    @Test("a handshake that becomes necessary again ends the retries")
    func cleared() {
        let probe = probe(SendRoute(.proven))
        #expect(probe.flush(.insecure) == ["m"])
        #expect(!probe.isMarked("m"))
        #expect(probe.retry() == [])
    }

    @Test("a session that is lost, or a peer that leaves, during a retry stops it")
    func lostMeanwhile() {
        for signals in [TransportSignals.insecure, .retained, .nothing] {
            let probe = probe(SendRoute(.proven))
            let key = OutboxProbe.key("m")
            #expect(probe.outbox.marked(for: ["bob"]) == [key])
            #expect(probe.retry(signals) == [])
            #expect(probe.attempts("m") == 1 && probe.isMarked("m"))
        }
    }

    @Test("what lost its mark during a retry now waits behind a handshake, and is left to the transport")
    func markLostMeanwhile() {
        let probe = probe(SendRoute(.proven), ["m1", "m2"])
        let sent = probe.retry { key in
            if key.id.text == "m1" { probe.step("m2", .insecure) }
        }
        #expect(sent.map(\.id.text) == ["m1"])
        #expect(probe.attempts("m2") == 1)
    }

    @Test("a receipt during a retry is the end of it")
    func receiptInsideARetry() {
        let probe = probe(SendRoute(.proven), ["m1", "m2"])
        let sent = probe.retry { key in
            if key.id.text == "m1" { _ = ["m1", "m2"].map { probe.acknowledge($0) } }
        }
        #expect(sent.map(\.id.text) == ["m1"])
        #expect(probe.outbox.count == 0)
    }

    @Test(
        "10: mail for an absent favorite is found under the one name when it connects; its own mail it does not carry")
    func recipientConnects() {
        // The reference keeps this under the long ID, and a connection, which names the short one, does not find it.
        var outbox = Outbox<PeerID>()
        let (key, peer) = (OutboxProbe.noiseKey(0xB0), PeerID(rawValue: 7))
        let entry = OutboxEntry(
            owner: peer, id: MessageID("m"), content: "hi", nickname: "carol", recipientKey: key,
            timestamp: OutboxProbe.time(OutboxProbe.now))
        let admission = outbox.enqueue(entry)
        #expect(admission == .queued(entry, displaced: nil))
        let begun = outbox.begin(entry.key, by: SendRoute(.nothing))
        #expect(begun?.sendAttempts == 0)

        let steps = outbox.entries(of: peer).map {
            outbox.step(for: $0.key, given: .proven, at: OutboxProbe.time(OutboxProbe.now))
        }
        #expect(steps == [.send(entry, by: .mesh, isCounted: true)])
        let courier = CourierCandidate(
            peer: peer, key: key, isConnected: true, isVerified: true, isMutualFavorite: true, isBlocked: false)
        #expect(outbox.deposits(with: courier, at: OutboxProbe.time(OutboxProbe.now)) == [])
    }

    @Test("the transport of a step is the first that reaches the peer")
    func transports() {
        let probe = probe(.couriers)
        func transport(_ signals: TransportSignals) -> MessageTransport? {
            guard case .send(_, let transport, _) = probe.step("m", signals) else { return nil }
            return transport
        }
        let both = TransportSignals(mesh: .mesh(isReachable: true), nostr: .nostr(isReachable: true, isPrompt: true))
        #expect(transport(both) == .mesh)
        #expect(transport(.relays) == .nostr)
        #expect(transport(.nothing) == nil)
    }

    @Test("a route that costs an attempt is not taken without one")
    func noAttemptLeft() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", attempts: 8))
        #expect(probe.begin("m", by: .prompt(.mesh)) == nil)
        #expect(probe.begin("m", by: .couriers)?.sendAttempts == 8)
        #expect(probe.begin("gone", by: .couriers) == nil)
        #expect(probe.sent("m")?.sendAttempts == 8)
    }

    @Test("what never went is named oldest first, over all lists")
    func unsent() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("b", "bob", at: 300))
        probe.put(OutboxProbe.entry("sent", "bob", at: 100, attempts: 1))
        probe.put(OutboxProbe.entry("z", "zoe", at: 200))
        probe.put(OutboxProbe.entry("c2", "carol", at: 300))
        probe.put(OutboxProbe.entry("c1", "carol", at: 300))
        #expect(probe.outbox.unsent.map(\.id.text) == ["z", "b", "c2", "c1"])
    }
}
