import Application
import Domain
import Testing

@Suite("Entries of stores as JSON")
struct RecordJSONTests {
    /// One of every shape that an entry can have. A new kind adds its own here; without, `complete` fails.
    static let records: [Record] =
        Metric.allCases.map { .metric($0, 0) } + [.metric(.queued, .max)] + outgoing.map { .outgoing($0) }

    private static let outgoing = [
        OutboxEntry(
            owner: PeerID(rawValue: 7), id: MessageID("A-1"), content: "so long", nickname: "bob",
            recipientKey: AgreementPublicKey(Bytes32(high: 1, low: 2)), timestamp: WallTime(milliseconds: 5),
            sendAttempts: 3, couriers: [AgreementPublicKey(Bytes32(high: 3, low: 4))], isDurable: true),
        OutboxEntry(
            owner: PeerID(rawValue: .max), id: MessageID(""), content: "", nickname: "",
            timestamp: WallTime(milliseconds: .max), isDurable: true),
    ]

    @Test("what is written is read back, through the text", arguments: records)
    func roundTrip(record: Record) throws {
        let read = try Record(json: JSONValue(parsing: record.json.encoded))
        #expect(read == record)
        #expect(read.key == record.key && read.expiry == record.expiry)
    }

    @Test("every kind of entry is among these tests")
    func complete() {
        #expect(Set(Self.records.map(\.key.kind)) == Set(RecordKey.Kind.allCases))
    }

    @Test("entries of one kind are told apart by their keys")
    func keys() {
        #expect(Set(Metric.allCases.map { Record.metric($0, 1).key }).count == Metric.allCases.count)
        #expect(Record.metric(.queued, 1).key == Record.metric(.queued, 2).key)
    }

    @Test("an unknown member is ignored", arguments: records)
    func unknownMembers(record: Record) throws {
        let extended = JSONValue.object((record.json.members ?? []) + [JSONValue.Member("laterAddition", [1, nil])])
        #expect(try Record(json: extended) == record)
    }

    /// Members that may be absent, as TYPE.MEMBER; a new kind with such members adds them here.
    static let optional: Set<String> = ["outgoing.recipientKey"]

    @Test("an entry without one of its members is refused, unless the member may be absent", arguments: records)
    func missingMembers(record: Record) throws {
        let members = try #require(record.json.members)
        let type = try #require(record.json["type"]?.string)
        for name in members.map(\.name) where !Self.optional.contains("\(type).\(name)") {
            let rest = JSONValue.object(members.filter { $0.name != name })
            #expect(throws: EventFormatError.self, "\(name)") { try Record(json: rest) }
        }
    }

    @Test("a member of the wrong type is refused", arguments: records)
    func wrongMembers(record: Record) throws {
        let members = try #require(record.json.members)
        for name in members.map(\.name) {
            let changed = JSONValue.object(
                members.map { $0.name == name ? JSONValue.Member(name, [false]) : $0 })
            #expect(throws: EventFormatError.self, "\(name)") { try Record(json: changed) }
        }
    }

    @Test(
        "what no version of ours wrote is refused",
        arguments: [
            #"{}"#, #"[]"#, #"null"#, #"{"type":"later","count":1}"#,
            #"{"type":"metric","metric":"no.such","count":1}"#,
            #"{"type":"metric","metric":"outbox.queued","count":-1}"#,
            #"{"type":"metric","metric":"outbox.queued","count":1.5}"#,
            #"{"type":"metric","metric":"outbox.queued","count":18446744073709551616}"#,
        ])
    func refused(text: String) throws {
        let json = try JSONValue(parsing: Array(text.utf8))
        #expect(throws: EventFormatError.self) { try Record(json: json) }
    }
}
