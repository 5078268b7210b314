import Domain
import Testing

@Suite("Typed payloads")
struct NoisePayloadTests {
    @Test("the prerelease private file is read as 0x20 and written as 0x20")
    func alias() throws {
        let payload = try #require(NoisePayload([0x09, 1, 2][...]))
        #expect(payload.kind == .privateFile)
        #expect(payload.encoded == [0x20, 1, 2])
    }

    @Test("nothing, reserved and unknown types are ignored")
    func ignored() {
        let known = Set(NoisePayload.Kind.allCases.map(\.rawValue)).union([0x09])
        #expect(NoisePayload([][...]) == nil)
        for type in UInt8.min...UInt8.max {
            #expect((NoisePayload([type][...]) == nil) == !known.contains(type))
        }
    }

    @Test("a receipt names its message; other payloads and bytes that are no text do not")
    func receipts() {
        let id = MessageID("A7F60AB7")
        #expect(NoisePayload.delivered(id).receiptedMessage == id)
        #expect(NoisePayload.readReceipt(id).receiptedMessage == id)
        #expect(NoisePayload(.delivered, [0xFF]).receiptedMessage == nil)
        #expect(NoisePayload(.privateMessage, [0x61]).receiptedMessage == nil)
    }

    @Test("identifiers compare by bytes, not by looks")
    func identifiers() {
        #expect(MessageID("caf\u{E9}") != MessageID("cafe\u{301}"))
        #expect(MessageID("a") != MessageID("A"))
        #expect(Set([MessageID("caf\u{E9}"), MessageID("cafe\u{301}"), MessageID("caf\u{E9}")]).count == 2)
    }

    @Test(
        "the stable form is media- and 32 lowercase digits",
        arguments: [
            ("media-910bd42c65060ab76bb6406f220c4516", true), ("media-910BD42C65060AB76BB6406F220C4516", false),
            ("media-910bd42c65060ab76bb6406f220c451", false), ("media-910bd42c65060ab76bb6406f220c45161", false),
            ("Media-910bd42c65060ab76bb6406f220c4516", false), ("910bd42c65060ab76bb6406f220c4516", false),
        ])
    func stableMedia(text: String, isStable: Bool) { #expect(MessageID(text).isStableMedia == isStable) }
}

@Suite("Private messages")
struct PrivateMessagePayloadTests {
    @Test("the specification's example (packet §9, 15)")
    func example() {
        let message = PrivateMessagePayload(id: MessageID("m1"), content: "hi")
        #expect(message.encoded.map { Hex.encode($0) } == "00026d3101026869")
        #expect(message.encoded.flatMap { PrivateMessagePayload($0[...]) } == message)
    }

    @Test("255 bytes fit, 256 do not", arguments: [(255, true), (256, false)])
    func limit(length: Int, fits: Bool) {
        let long = String(repeating: "x", count: length)
        #expect((PrivateMessagePayload(id: MessageID("m"), content: long).encoded != nil) == fits)
        #expect((PrivateMessagePayload(id: MessageID(long), content: "").encoded != nil) == fits)
    }

    @Test("an unknown field refuses the message, wherever it stands", arguments: [0x02, 0x7F, 0xFF] as [UInt8])
    func unknown(tag: UInt8) {
        let good: [UInt8] = [0, 1, 0x6D, 1, 2, 0x68, 0x69]
        #expect(PrivateMessagePayload((good + [tag, 0])[...]) == nil)
        #expect(PrivateMessagePayload(([tag, 0] + good)[...]) == nil)
        #expect(PrivateMessagePayload((good + [tag])[...]) != nil, "one byte is too few for a field")
    }
}

@Suite("Authenticated peer state")
struct AuthenticatedPeerStateTests {
    private static let key = [UInt8](repeating: 0x22, count: 32)
    private static let capabilities: [UInt8] = [1, 2, 0x29, 0x03]
    private static let keyField: [UInt8] = [2, 32] + key

    @Test("either order is read, and unknown fields are passed over, even twice")
    func accepted() {
        let orders = [
            [1] + Self.capabilities + Self.keyField, [1] + Self.keyField + Self.capabilities,
            [1, 9, 0] + Self.capabilities + [9, 1, 1] + Self.keyField,
        ]
        for body in orders { #expect(AuthenticatedPeerState(body[...])?.capabilities.rawValue == 0x0329) }
    }

    static let refused: [[UInt8]] = [
        [], [1], [2] + capabilities + keyField, [0] + capabilities + keyField,
        [1] + capabilities + capabilities + keyField, [1] + capabilities + keyField + keyField,
        [1, 1, 2, 1, 0] + keyField, [1, 1, 0] + keyField, [1, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9] + keyField,
        [1] + capabilities + [2, 31] + key.dropLast(), [1] + capabilities + [2, 33] + key + [0],
        [1] + capabilities, [1] + keyField, [1] + capabilities + keyField + [9],
        [1] + capabilities + keyField + [9, 1],
    ]

    @Test("every fault refuses it", arguments: refused)
    func fault(body: [UInt8]) { #expect(AuthenticatedPeerState(body[...]) == nil) }
}
