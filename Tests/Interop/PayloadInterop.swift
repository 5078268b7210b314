import Domain
import Support
import Testing

@Suite("Payloads and other implementations", .needsInteropPython, .timeLimit(.minutes(15)))
struct PayloadInterop {
    private func announce(
        _ nickname: String, neighbours: [PeerID]? = nil, capabilities: Capabilities? = nil, cell: String? = nil
    ) -> Announce {
        Announce(
            nickname: nickname, noiseKey: [UInt8](repeating: 0x11, count: 32),
            signingKey: [UInt8](repeating: 0x22, count: 32), neighbours: neighbours, capabilities: capabilities,
            bridgeCell: cell)
    }

    @Test(
        "announces are the same bytes everywhere; fields that the others do not know are passed over",
        arguments: ["bob", "", "zoë 🛰", String(repeating: "n", count: 255)], [0, 1, 10])
    func announces(nickname: String, neighbours: Int) throws {
        let peer = try PythonPeer()
        let peers = (0..<neighbours).map { PeerID(rawValue: 0x8899_AABB_CCDD_EE00 + UInt64($0)) }
        let names = JSONValue.array(peers.map { .string($0.hex) })
        let plain = announce(nickname, neighbours: peers)
        let payload = try #require(plain.encoded)
        let theirs = try peer.ask(
            "announce_encode",
            [
                "nickname": .string(nickname), "noise_key": .hex(plain.noiseKey),
                "signing_key": .hex(plain.signingKey), "neighbors": names,
            ])
        #expect(theirs == .array([.hex(payload), .hex(payload)]))
        let rich = try #require(
            announce(nickname, neighbours: peers, capabilities: [.groups, .privateMedia], cell: "9q8y").encoded)
        let expected = JSONValue.object([
            "nickname": .string(nickname), "noise_key": .hex(plain.noiseKey), "signing_key": .hex(plain.signingKey),
            "neighbors": names,
        ])
        #expect(try peer.ask("announce_decode", ["payload": .hex(rich)]) == .array([expected, expected]))
    }

    @Test(
        "private messages are the same bytes everywhere",
        arguments: ["hi", "", "zoë 🛰", String(repeating: "x", count: 255)])
    func messages(content: String) throws {
        let peer = try PythonPeer()
        let message = PrivateMessagePayload(id: MessageID("A7F60AB7-1AE7-4D40-8663-FFCD83133902"), content: content)
        let payload = try #require(message.encoded)
        let described = JSONValue.object(["message_id": .string(message.id.text), "content": .string(content)])
        let theirs = try peer.ask(
            "message_encode", ["message_id": .string(message.id.text), "content": .string(content)])
        let typed = NoisePayload(.privateMessage, payload).encoded
        #expect(theirs == .array([.hex(payload), .hex(payload), .hex(typed)]))
        #expect(try peer.ask("message_decode_library", ["payload": .hex(payload)]) == described)
        #expect(try peer.ask("message_decode_agents", ["payload": .hex(payload)]) == described)
    }

    @Test(
        "what we refuse as a private message, the others refuse",
        arguments: [
            [0, 1, 0x6D, 1, 1, 0x68, 2, 0], [0, 1, 0x6D], [0, 1, 0x6D, 1, 9, 0x68], [0, 1, 0x6D, 1, 1, 0xFF],
        ] as [[UInt8]])
    func refusedMessages(payload: [UInt8]) throws {
        let peer = try PythonPeer()
        #expect(PrivateMessagePayload(payload[...]) == nil)
        for operation in ["message_decode_library", "message_decode_agents"] {
            #expect(throws: PythonPeer.Refusal.self) { try peer.ask(operation, ["payload": .hex(payload)]) }
        }
    }

    @Test(
        "text that is not UTF-8 refuses a message at once there; here a later good text replaces it, as packet §4.6 says"
    )
    func badTextReplaced() throws {
        let peer = try PythonPeer()
        let payload: [UInt8] = [0, 1, 0xFF, 0, 1, 0x6D, 1, 1, 0x68]
        #expect(PrivateMessagePayload(payload[...])?.id == MessageID("m"))
        for operation in ["message_decode_library", "message_decode_agents"] {
            #expect(throws: PythonPeer.Refusal.self) { try peer.ask(operation, ["payload": .hex(payload)]) }
        }
    }

    @Test("sync requests are the same bytes everywhere")
    func syncRequests() throws {
        let peer = try PythonPeer()
        let filter = try #require(FragmentFilter(streams: [FragmentID(rawValue: 0xDE51_9627_7E3B_7B79)]))
        let request = try #require(
            RequestSync(
                p: 7, m: 1536, data: noise(200), types: SyncTypeFlags([.announce, .message, .fragment]),
                since: WallTime(milliseconds: 1_747_380_105_998), fragmentFilter: filter))
        let payload = try #require(request.encoded)
        let fields: KeyValuePairs<String, JSONValue?> = [
            "p": 7, "m": 1536, "data": .hex(request.data), "since": 1_747_380_105_998, "filter": .string(filter.text),
            "types": 0x23,
        ]
        #expect(try peer.ask("sync_encode", fields) == .array([.hex(payload), .hex(payload)]))
        let decoded = try peer.ask("sync_decode", ["payload": .hex(payload)])
        #expect(decoded == .array([.object(fields), .object(fields)]))
    }

    @Test("unassigned types stay set there; we clear them, as store-and-forward §5.6 says")
    func unassignedTypes() throws {
        let peer = try PythonPeer()
        let payload = try #require(RequestSync(p: 7, m: 1, data: [])?.encoded) + [4, 0, 2, 0x03, 0x80]
        #expect(RequestSync(payload[...])?.types?.rawValue == 0x0003)
        let decoded = try peer.ask("sync_decode", ["payload": .hex(payload)])
        #expect(decoded.array?.map { $0.member("types").unsigned } == [0x8003, 0x8003])
    }

    @Test("files are the same bytes", arguments: [1, 2000, 100_000])
    func files(length: Int) throws {
        let peer = try PythonPeer()
        let file = try #require(FilePacket(fileName: "katze é.jpg", mimeType: "image/jpeg", content: noise(length)))
        let fields: KeyValuePairs<String, JSONValue?> = [
            "file_name": "katze é.jpg", "file_size": .number(length), "mime": "image/jpeg",
            "content": .hex(file.content),
        ]
        #expect(try peer.bytes("file_encode", fields) == file.encoded)
        #expect(try peer.ask("file_decode", ["payload": .hex(file.encoded)]) == .object(fields))
    }

    @Test(
        "bitchat4agents refuses files without a name, with an eight-byte size or an unknown field; we read them, as packet §4.5 says",
        arguments: [
            [3, 0, 1, 0x6D, 4, 0, 0, 0, 1, 9],
            [1, 0, 1, 0x61, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 1, 0x6D, 4, 0, 0, 0, 1, 9],
            [1, 0, 1, 0x61, 3, 0, 1, 0x6D, 9, 0, 0, 4, 0, 0, 0, 1, 9],
        ] as [[UInt8]])
    func lenientFiles(payload: [UInt8]) throws {
        let peer = try PythonPeer()
        #expect(FilePacket(payload[...])?.content == [9])
        #expect(throws: PythonPeer.Refusal.self) { try peer.ask("file_decode", ["payload": .hex(payload)]) }
    }
}
