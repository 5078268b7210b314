import Application
import Domain
import Testing

private let alice = PeerID(rawValue: 0x0123_4567_89ab_cdef)

private func message(peer: PeerID? = nil, part: ChatMessage.Part? = nil) -> ChatMessage {
    ChatMessage(
        id: "m-1", sender: alice, senderName: "alice\u{202E}\u{0}\"", peer: peer, text: "hé\n\u{1F6F0}",
        sentAt: WallTime(milliseconds: .max), receivedAt: WallTime(milliseconds: 1_700_000_000_123), isOwn: true,
        part: part)
}

private func status(_ status: DeliveryStatus, peer: PeerID? = alice) -> Event {
    .status(MessageStatusChange(id: "m-2", peer: peer, status: status, at: WallTime(milliseconds: 7)))
}

private func file(name: String?) -> Event {
    .file(
        ReceivedFile(
            id: "00ff", sender: alice, senderName: "alice", isPrivate: true, name: name, mime: "image/png", size: 68,
            sha256: Bytes32(high: 1, low: 2), path: "/home/pi/a.png", sentAt: WallTime(milliseconds: 1),
            receivedAt: WallTime(milliseconds: 2)))
}

private func peer(_ kind: PeerChange.Kind) -> Event {
    .peer(PeerChange(kind: kind, peer: alice, name: "alice", at: WallTime(milliseconds: 3)))
}

@Suite("Events as JSON")
struct EventJSONTests {
    static let events: [Event] = [
        .publicMessage(message()), .privateMessage(message(peer: alice)),
        .privateMessage(message(peer: alice, part: ChatMessage.Part(number: 2, count: 9))),
        status(.sending), status(.sent), status(.carried), status(.partiallySent(sent: 3, total: 10)),
        status(.delivered, peer: nil), status(.read), status(.failed(reason: "no session")), file(name: "a.png"),
        file(name: nil),
        peer(.connected), peer(.disconnected), peer(.appeared), peer(.left), peer(.renamed), peer(.keyConflict),
        peer(.secured),
    ]

    @Test("what is written is read back, through the text", arguments: events)
    func roundTrip(event: Event) throws {
        #expect(try Event(json: JSONValue(parsing: event.json.encoded)) == event)
        let logged = LoggedEvent(sequence: .max, event: event)
        #expect(try LoggedEvent(json: JSONValue(parsing: logged.json.encoded)) == logged)
    }

    @Test("an unknown member is ignored", arguments: events)
    func unknownMembers(event: Event) throws {
        let extended = JSONValue.object((event.json.members ?? []) + [JSONValue.Member("laterAddition", [1, nil])])
        #expect(try Event(json: extended) == event)
    }

    @Test("an event without one of its members is refused, unless the member may be absent", arguments: events)
    func missingMembers(event: Event) throws {
        let members = try #require(event.json.members)
        for name in members.map(\.name) {
            let rest = JSONValue.object(members.filter { $0.name != name })
            if name == "part" || name == "peer" && members.first?.value != "peer" || name == "name" && isFile(event) {
                #expect(throws: Never.self) { try Event(json: rest) }
            } else {
                #expect(throws: EventFormatError.self) { try Event(json: rest) }
            }
        }
    }

    private func isFile(_ event: Event) -> Bool { if case .file = event { true } else { false } }

    @Test("a member of the wrong kind is refused and named", arguments: events)
    func wrongKinds(event: Event) throws {
        let members = try #require(event.json.members)
        for name in members.map(\.name) where name != "part" {
            let changed = members.map { $0.name == name ? JSONValue.Member(name, .array([])) : $0 }
            let error = #expect(throws: EventFormatError.self) { try Event(json: .object(changed)) }
            #expect(error?.member == name)
        }
    }

    @Test(
        "refused by value",
        arguments: [
            #"{"type":"rumour"}"#, "[]", #""publicMessage""#, "null",
            #"{"type":"status","id":"a","status":"lost","at":1}"#,
            #"{"type":"status","id":"a","status":"failed","at":1}"#,
            #"{"type":"status","id":"a","status":"partiallySent","sent":-1,"total":2,"at":1}"#,
            #"{"type":"status","id":"a","status":"partiallySent","sent":1,"total":18446744073709551615,"at":1}"#,
            #"{"type":"status","id":"a","status":"sent","at":18446744073709551616}"#,
            #"{"type":"status","id":"a","status":"sent","at":1.5}"#,
            #"{"type":"status","id":"a","peer":"0123","status":"sent","at":1}"#,
            #"{"type":"peer","kind":"teleported","peer":"0123456789abcdef","name":"a","at":1}"#,
            #"{"type":"peer","kind":"left","peer":"0123456789abcdeg","name":"a","at":1}"#,
        ])
    func refused(text: String) throws {
        let json = try JSONValue(parsing: text)
        #expect(throws: EventFormatError.self) { try Event(json: json) }
    }

    @Test("a part outside its text is refused", arguments: [(0, 2), (3, 2), (1, 1), (1, 10)])
    func parts(number: Int, count: Int) {
        let event = Event.publicMessage(message(part: ChatMessage.Part(number: number, count: count)))
        #expect(throws: EventFormatError.self) { try Event(json: event.json) }
    }

    @Test("the form of a failed status is fixed")
    func statusForm() {
        #expect(
            status(.failed(reason: "too late")).json.text
                == #"{"type":"status","id":"m-2","peer":"0123456789abcdef","status":"failed","reason":"too late","at":7}"#
        )
    }

    @Test("the form of a logged message is fixed")
    func messageForm() {
        let message = ChatMessage(
            id: "m", sender: alice, senderName: "a", text: "hi", sentAt: WallTime(milliseconds: 1),
            receivedAt: WallTime(milliseconds: 2), isOwn: false)
        #expect(
            LoggedEvent(sequence: 5, event: .publicMessage(message)).json.text == """
                {"sequence":5,"type":"publicMessage","id":"m","sender":"0123456789abcdef","senderName":"a",\
                "text":"hi","sentAt":1,"receivedAt":2,"isOwn":false}
                """)
    }

    @Test(
        "a peer's record is read back",
        arguments: [nil, SigningPublicKey(Bytes32(high: .max, low: 9))] as [SigningPublicKey?])
    func identities(signingKey: SigningPublicKey?) throws {
        let identity = PeerIdentity(
            noiseKey: AgreementPublicKey(Bytes32(high: 3, low: .max)), signingKey: signingKey,
            isSigningKeyAuthenticated: signingKey != nil, provedPrivateMedia: signingKey == nil, nickname: "é")
        #expect(try PeerIdentity(json: JSONValue(parsing: identity.json.encoded)) == identity)
        #expect(throws: EventFormatError.self) { try PeerIdentity(json: ["noiseKey"]) }
    }
}
