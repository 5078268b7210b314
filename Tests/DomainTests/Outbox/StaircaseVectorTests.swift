import Domain
import Support
import Testing

@Suite("Staircase vectors: signals, routes, outbox")
struct StaircaseVectorTests {
    /// What couriers do with mail and announces has suites of its own.
    private static let others: Set<String> = ["deposit_trust", "announce"]

    @Test("every vector holds", arguments: Vectors.cases("staircase").filter { !others.contains($0.op) })
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "predicates": try predicates(vector)
        case "send_private": try sendPrivate(vector)
        case "couriers": try couriers(vector)
        case "courier_arrives": try courierArrives(vector)
        case "enqueue": try enqueue(vector)
        case "flush": try flush(vector)
        case "auth_retry": try retryAfterAuthentication(vector)
        case "acknowledge": try acknowledge(vector)
        case "status": try status(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func predicates(_ vector: VectorCase) throws {
        let input = vector.input
        let (entry, favorite) = (input.member("registry"), input.member("favorite"))
        let now: Int64 = try input.number("now_s")
        let lastSeen: Int64 = entry.isNull ? 0 : try entry.number("last_seen_s")
        let neighbours: Int = try input.number("connected_peers")
        let mesh = PeerSignals(
            isKnown: !entry.isNull, isConnected: entry["connected"]?.bool ?? false,
            isVerified: entry["verified"]?.bool ?? false, silence: .seconds(now - lastSeen),
            hasNeighbours: neighbours > 0, hasSession: try input.text("session") == "established")
        // The vectors know no gate: theirs is open.
        let nostr = PeerSignals(
            hasNostrKey: favorite["npub"]?.bool ?? false, isGateOpen: true,
            isRelayConnected: try input.flag("dm_relay_connected"))
        func told(_ signals: PeerSignals, secure: Bool?) -> JSONValue {
            .object([
                "connected": .bool(signals.isConnected), "reachable": .bool(signals.isReachable),
                "prompt": .bool(signals.deliversPromptly), "secure": secure.map { .bool($0) },
            ])
        }
        vector.expect(
            .object(["mesh": told(mesh, secure: mesh.deliversSecurely), "nostr": told(nostr, secure: nil)]))
    }

    private func sendPrivate(_ vector: VectorCase) throws {
        let (mesh, nostr) = (vector.input.member("mesh"), vector.input.member("nostr"))
        let route = SendRoute(
            TransportSignals(
                mesh: .mesh(
                    isConnected: try mesh.flag("connected"), isReachable: try mesh.flag("reachable"),
                    hasSession: try mesh.flag("secure")),
                nostr: .nostr(isReachable: try nostr.flag("reachable"), isPrompt: try nostr.flag("prompt"))))
        let row =
            switch route {
            case .session: 1
            case .handshake: 2
            case .prompt: 3
            case .relayQueue: 4
            case .couriers: 5
            }
        let attempts: Int = try vector.output.number("send_attempts")
        let marks = [true, false].map { wasMarked in
            let probe = OutboxProbe()
            if wasMarked {
                // The same message, sent before into a session.
                probe.put(OutboxProbe.entry("m"))
                probe.step("m", .proven)
            }
            probe.put(OutboxProbe.entry("m"))
            let begun = probe.begin("m", by: route)
            #expect(begun?.sendAttempts == attempts, "\(vector.label)")
            return probe.isMarked("m")
        }
        vector.expect(
            .object([
                "row": .number(row), "transport": .optional(route.transport.map { $0 == .mesh ? "mesh" : "nostr" }),
                "send": .bool(route.transport != nil), "send_attempts": .number(attempts),
                "secure_mark": .string(Self.mark(whenMarked: marks[0], whenUnmarked: marks[1])),
                "deposit": .bool(route.deposits),
            ]))
    }

    /// What became of a mark that was set, and of one that was not.
    private static func mark(whenMarked: Bool, whenUnmarked: Bool) -> String {
        switch (whenMarked, whenUnmarked) {
        case (true, true): "set"
        case (false, false): "cleared"
        case (true, false): "unchanged"
        case (false, true): "turned"
        }
    }

    private func couriers(_ vector: VectorCase) throws {
        let input = vector.input
        let recipient = OutboxProbe.noiseKey(try input.byte("recipient"))
        let holders = try input.bytesOfList("already").map(OutboxProbe.noiseKey)
        let candidates = try input.list("peers").map { try CourierCandidate(vector: $0) }
        // Whatever the message, the numbers are the same, and those chosen are of those named.
        for message in ["m1", "m2", "m3"] {
            let chosen = CourierChoice.couriers(
                among: candidates, for: MessageID(message), to: recipient, heldBy: holders)
            for (name, isMutual) in [("mutual", true), ("verified", false)] {
                let group = chosen.filter { $0.isMutualFavorite == isMutual }.compactMap(\.key)
                let allowed = try vector.output.member(name).bytesOfList("of").map(OutboxProbe.noiseKey)
                let count: Int = try vector.output.member(name).number("take")
                #expect(group.count == count, "\(vector.label): \(name)")
                #expect(Set(group).count == count && Set(group).isSubset(of: allowed), "\(vector.label): \(name)")
            }
        }
    }

    private func courierArrives(_ vector: VectorCase) throws {
        let input = vector.input
        let probe = OutboxProbe()
        for (number, list) in try input.list("lists").enumerated() {
            let key: UInt8? = list.member("owner_key").isNull ? nil : try list.byte("owner_key")
            for entry in try list.list("entries") {
                let age: UInt64 = try entry.number("age_s")
                probe.put(
                    OutboxProbe.entry(
                        try entry.text("id"), "owner \(number)", at: OutboxProbe.now - age, key: key,
                        couriers: try entry.bytesOfList("couriers")))
            }
        }
        let courier = try CourierCandidate(vector: input.member("courier"))
        let given = probe.outbox.deposits(with: courier, at: OutboxProbe.time(OutboxProbe.now))
        vector.expect(.object(["deposited": .array(given.map(\.id.text).sorted().map { .string($0) })]))
    }

    private func enqueue(_ vector: VectorCase) throws {
        let input = vector.input
        let probe = OutboxProbe()
        for number in 0..<(try input.number("fill") as Int) { probe.put(OutboxProbe.entry("f\(number)")) }
        for entry in try input.list("entries") {
            probe.put(
                OutboxProbe.entry(
                    try entry.text("id"), attempts: try entry.number("send_attempts"),
                    couriers: try entry.bytesOfList("couriers")))
        }
        let new = input.member("new")
        let admission = probe.put(
            OutboxProbe.entry(try new.text("id"), attempts: try new.number("send_attempts")))
        guard case .queued(let entry, let displaced) = admission else {
            Issue.record("\(vector.label) was refused")
            return
        }
        let list = probe.outbox.entries(of: "bob")
        #expect(list.last == entry)
        vector.expect(
            .object([
                "size": .number(list.count), "first": .optional(list.first?.id.text),
                "last": .object([
                    "id": .string(entry.id.text), "send_attempts": .number(entry.sendAttempts),
                    "couriers": .array(entry.couriers.map { .hex($0.bytes.bytes.prefix(1)) }),
                ]),
                "dropped": .array((displaced.map { [$0] } ?? []).map { .string($0.entry.id.text) }),
            ]))
        #expect(displaced.map { $0.reason == .overflow } ?? true)
    }

    private func flush(_ vector: VectorCase) throws {
        let input = vector.input
        let age: UInt64 = try input.number("age_s")
        let attempts: Int = try input.number("send_attempts")
        let signals = TransportSignals(
            mesh: .mesh(
                isConnected: try input.flag("connected"), isReachable: try input.flag("reachable"),
                hasSession: try input.flag("secure")))
        var marks: [Bool] = []
        for wasMarked in [true, false] {
            let probe = OutboxProbe()
            probe.put(OutboxProbe.entry("m", at: OutboxProbe.now - age, attempts: min(attempts, 7)))
            if wasMarked { probe.step("m", .proven, at: OutboxProbe.now - age) }
            if attempts == 8 { probe.sent("m") }
            #expect(probe.attempts("m") == attempts && probe.isMarked("m") == wasMarked)
            let sent = probe.flush(signals)
            marks.append(probe.isMarked("m"))
            let action = sent.isEmpty ? probe.dropped.isEmpty ? "keep" : "drop" : "send"
            #expect(.string(action) == vector.output["action"], "\(vector.label)")
            #expect(.number(probe.attempts("m")) == vector.output["send_attempts"], "\(vector.label)")
            let counters = sent.map { _ in "outbox.resent" } + probe.dropped.map { _ in "outbox.dropped" }
            #expect(.array(counters.map { .string($0) }) == vector.output["counters"], "\(vector.label)")
        }
        let mark = Self.mark(whenMarked: marks[0], whenUnmarked: marks[1])
        #expect(.string(mark) == vector.output["secure_mark"], "\(vector.label)")
    }

    private func retryAfterAuthentication(_ vector: VectorCase) throws {
        let input = vector.input
        let probe = OutboxProbe()
        for list in input.member("lists").members ?? [] {
            for entry in list.value.array ?? [] {
                let (id, time, attempts) = (
                    try entry.text("id"), try entry.number("timestamp_s") as UInt64,
                    try entry.number("send_attempts") as Int
                )
                probe.put(OutboxProbe.entry(id, list.name, at: time, attempts: min(attempts, 7)))
                if try entry.flag("marked") { probe.step(id, of: list.name, .proven, at: time) }
                if attempts == 8 { probe.sent(id, of: list.name) }
            }
        }
        let secure = try input.list("secure").compactMap(\.string)
        let aliases = try input.list("aliases").compactMap(\.string).filter { secure.contains($0) }
        let now: UInt64 = try input.number("now_s")
        let sent = probe.retry(of: aliases, at: now)
        func pair(_ key: OutboxProbe.Key) -> JSONValue { [.string(key.owner), .string(key.id.text)] }
        #expect(.array(sent.map(pair)) == vector.output["sent"], "\(vector.label)")
        #expect(.array(probe.dropped.map { pair($0.entry.key) }) == vector.output["dropped"], "\(vector.label)")
        try expectLists(of: probe, vector) { [.string($0.id.text), .number($0.sendAttempts)] }
    }

    private func acknowledge(_ vector: VectorCase) throws {
        let input = vector.input
        let probe = OutboxProbe()
        for list in input.member("lists").members ?? [] {
            for id in list.value.array?.compactMap(\.string) ?? [] { probe.put(OutboxProbe.entry(id, list.name)) }
        }
        let removed = probe.acknowledge(
            try input.text("message_id"), by: try input.list("aliases").compactMap(\.string))
        #expect(.bool(!removed.isEmpty) == vector.output["delivered_counted"], "\(vector.label)")
        try expectLists(of: probe, vector) { .string($0.id.text) }
    }

    private func expectLists(
        of probe: OutboxProbe, _ vector: VectorCase, _ form: (OutboxProbe.Entry) -> JSONValue
    ) throws {
        let expected = try #require(vector.output.member("lists").members)
        #expect(probe.outbox.owners == expected.map(\.name).sorted(), "\(vector.label)")
        for list in expected {
            #expect(probe.outbox.entries(of: list.name).map(form) == list.value.array, "\(vector.label): \(list.name)")
        }
    }

    private func status(_ vector: VectorCase) throws {
        let (current, new) = (
            try DeliveryStatus.named(vector.input.text("current")), try DeliveryStatus.named(vector.input.text("new"))
        )
        vector.expect(.object(["applied": .bool(current.yields(to: new))]))
    }
}

extension DeliveryStatus {
    /// The status that a vector names; none for one that was not sent yet.
    fileprivate static func named(_ name: String) throws -> DeliveryStatus? {
        switch name {
        case "not-sent-yet": nil
        case "sending": .sending
        case "sent": .sent
        case "carried": .carried
        case "partially-delivered": .partiallySent(sent: 1, total: 2)
        case "delivered": .delivered
        case "read": .read
        case "failed": .failed(reason: "x")
        default: throw VectorFault(description: "no status is called \"\(name)\"")
        }
    }
}

extension CourierCandidate {
    fileprivate init(vector: JSONValue) throws {
        let byte: UInt8? = vector.member("key").isNull ? nil : try vector.byte("key")
        self.init(
            peer: PeerID(rawValue: UInt64(byte ?? 0)), key: byte.map(OutboxProbe.noiseKey),
            isConnected: try vector.flag("connected"), isVerified: try vector.flag("verified"),
            isMutualFavorite: try vector.flag("mutual"), isBlocked: false)
    }
}

extension JSONValue {
    fileprivate func flag(_ name: String) throws -> Bool {
        guard let value = member(name).bool else { throw VectorFault(description: "\"\(name)\" is no truth value") }
        return value
    }
    /// A key, which the vectors write as one byte.
    fileprivate func byte(_ name: String) throws -> UInt8 {
        guard let byte = member(name).hex?.first else { throw VectorFault(description: "\"\(name)\" is no byte") }
        return byte
    }
    fileprivate func bytesOfList(_ name: String) throws -> [UInt8] { try list(name).compactMap { $0.hex?.first } }
}
