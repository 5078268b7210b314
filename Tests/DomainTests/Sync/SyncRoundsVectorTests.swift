import Domain
import Support
import Testing

@Suite("Sync round vectors")
struct SyncRoundsVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("sync-rounds"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "store": try store(vector)
        case "build_request": try buildRequest(vector)
        case "answer": try answer(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func store(_ vector: VectorCase) throws {
        var store = GossipStore()
        var seen: [SyncID: Int] = [:]
        var now = WallTime(milliseconds: 0)
        for event in try vector.input.list("events") {
            now = try event.time("now_ms")
            switch try event.text("do") {
            case "seen":
                let packet = try SyncPackets.packet(event.member("packet"))
                seen[SyncID(of: packet, using: PacketTools.cryptography)] = seen.count
                if let kept = try SyncPackets.kept(packet) { _ = store.insert(kept, at: now) }
            case "tick": _ = store.tick(at: now, uptime: Uptime(milliseconds: Int64(now.milliseconds)))
            case "leave": store.senderLeft(PeerID(rawValue: try event.identifier("sender")))
            case let verb: Issue.record("nobody does \(verb)")
            }
        }
        let all = try #require(
            RequestSync(p: 7, m: 1, data: [], types: SyncPolicy.initialTypes))
        let served = try SyncPackets.served(SyncAnswer(to: all, from: store, at: now), from: store)
        func indexes(_ type: MessageType, isSet: Bool = false) -> JSONValue {
            let indexes = served.filter { $0.type == type }.compactMap {
                seen[SyncID(of: $0, using: PacketTools.cryptography)]
            }
            return .numbers(isSet ? indexes.sorted() : indexes)
        }
        // Where the choice that the specification leaves makes a difference, the file has both answers.
        let expected = vector.json["out_if_kept"] ?? vector.output
        for (name, actual) in [
            ("announces", indexes(.announce, isSet: true)), ("messages", indexes(.message)),
            ("fragments", indexes(.fragment)), ("files", indexes(.fileTransfer)),
            ("group_messages", indexes(.groupMessage)), ("prekey_bundles", indexes(.prekeyBundle, isSet: true)),
        ] {
            #expect(actual == expected.member(name), "\(vector.label): \(name)")
        }
    }

    private func buildRequest(_ vector: VectorCase) throws {
        let input = vector.input
        let (store, board) = try SyncPackets.store(input)
        let streams = try (input.member("fragment_ids").array ?? []).map { id in
            try #require(id.hex.flatMap { FragmentID($0) })
        }
        let (request, covered) = store.request(
            for: SyncTypeFlags(rawValue: try input.number("types")), streams: streams,
            board: try board.compactMap { try SyncPackets.kept($0) }, at: try input.time("now_ms"))
        vector.expect(
            .object([
                "payload": .hex(request.encoded), "covered": .number(covered),
                "since": .number(request.since?.milliseconds),
            ]))
    }

    private func answer(_ vector: VectorCase) throws {
        let input = vector.input
        let (store, board) = try SyncPackets.store(input)
        let listed = try SyncPackets.packets(input) + board
        let indexes = Dictionary(
            uniqueKeysWithValues: listed.enumerated().map {
                (SyncID(of: $1, using: PacketTools.cryptography), $0)
            })
        guard let request = RequestSync(try input.bytes("request")[...]) else { return vector.expect(nil) }
        let answer = SyncAnswer(
            to: request, from: store, board: try board.compactMap { try SyncPackets.kept($0) },
            at: try input.time("now_ms"))
        var groups: [(type: MessageType, indexes: [Int])] = []
        for packet in try SyncPackets.served(answer, from: store) {
            let index = try #require(indexes[SyncID(of: packet, using: PacketTools.cryptography)])
            if groups.last?.type != packet.type { groups.append((packet.type, [])) }
            groups[groups.count - 1].indexes.append(index)
        }
        let sent = groups.map { type, indexes in
            let isSet = type == .announce || type == .prekeyBundle
            return JSONValue.object([
                "type": .number(type.rawValue), "packets": .numbers(isSet ? indexes.sorted() : indexes),
            ])
        }
        vector.expect(.object(["sent": .array(sent)]))
    }
}
