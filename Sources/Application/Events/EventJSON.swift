import Domain

/// Why a JSON document is not an event: which member, and what it should have been.
public struct EventFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member's name.
    public let member: String
    /// What the member should have been.
    public let expected: String
    /// Names the member and what was expected of it.
    public var description: String { "the member \"\(member)\" is not \(expected)" }
}

extension Event {
    /// The event as the event log, the control protocol and `recv --json` carry it.
    ///
    /// Names are camelCase, times milliseconds UTC, identifiers lowercase hexadecimal; what is absent is left out.
    public var json: JSONValue { .object(members) }

    /// Reads what ``json`` writes; members that it does not know are ignored, so that a newer writer is understood.
    public init(json: JSONValue) throws(EventFormatError) {
        switch json["type"]?.string {
        case "publicMessage": self = .publicMessage(try ChatMessage(json: json))
        case "privateMessage": self = .privateMessage(try ChatMessage(json: json))
        case "status": self = .status(try MessageStatusChange(json: json))
        case "file": self = .file(try ReceivedFile(json: json))
        case "peer": self = .peer(try PeerChange(json: json))
        default: throw EventFormatError(member: "type", expected: "a known type of event")
        }
    }

    fileprivate var members: [JSONValue.Member] {
        let (type, rest) =
            switch self {
            case .publicMessage(let message): ("publicMessage", message.json)
            case .privateMessage(let message): ("privateMessage", message.json)
            case .status(let change): ("status", change.json)
            case .file(let file): ("file", file.json)
            case .peer(let change): ("peer", change.json)
            }
        return [JSONValue.Member("type", .string(type))] + (rest.members ?? [])
    }
}

extension LoggedEvent {
    /// The event's members behind `sequence`, the cursor to resume from.
    public var json: JSONValue { .object([JSONValue.Member("sequence", .number(sequence))] + event.members) }

    /// Reads what ``json`` writes.
    public init(json: JSONValue) throws(EventFormatError) {
        self.init(sequence: try JSONFields(json).unsigned("sequence"), event: try Event(json: json))
    }
}

extension ChatMessage {
    fileprivate var json: JSONValue {
        .object([
            "id": .string(id), "sender": .string(sender.hex), "senderName": .string(senderName),
            "peer": peer.map { .string($0.hex) }, "text": .string(text), "sentAt": .number(sentAt.milliseconds),
            "receivedAt": .number(receivedAt.milliseconds), "isOwn": .bool(isOwn),
            "part": part.map { .object(["number": .number($0.number), "count": .number($0.count)]) },
        ])
    }

    fileprivate init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        self.init(
            id: try fields.text("id"), sender: try fields.peer("sender"), senderName: try fields.text("senderName"),
            peer: try fields.optionalPeer("peer"), text: try fields.text("text"), sentAt: try fields.time("sentAt"),
            receivedAt: try fields.time("receivedAt"), isOwn: try fields.flag("isOwn"), part: try Self.part(of: json))
    }

    private static func part(of json: JSONValue) throws(EventFormatError) -> Part? {
        guard let part = json["part"], !part.isNull else { return nil }
        let fields = JSONFields(part)
        let (number, count) = (try fields.count("number"), try fields.count("count"))
        guard (2...9).contains(count), (1...count).contains(number) else {
            throw EventFormatError(member: "part", expected: "one of two to nine parts")
        }
        return Part(number: number, count: count)
    }
}

extension MessageStatusChange {
    fileprivate var json: JSONValue {
        var members = [JSONValue.Member("id", .string(id))]
        if let peer { members.append(JSONValue.Member("peer", .string(peer.hex))) }
        members += status.json.members ?? []
        members.append(JSONValue.Member("at", .number(at.milliseconds)))
        return .object(members)
    }

    fileprivate init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        self.init(
            id: try fields.text("id"), peer: try fields.optionalPeer("peer"), status: try DeliveryStatus(json: json),
            at: try fields.time("at"))
    }
}

extension DeliveryStatus {
    /// An object with `status` and what belongs to it: `reason`, or `sent` and `total`.
    public var json: JSONValue {
        switch self {
        case .sending: .object(["status": "sending"])
        case .sent: .object(["status": "sent"])
        case .carried: .object(["status": "carried"])
        case .partiallySent(let sent, let total):
            .object(["status": "partiallySent", "sent": .number(sent), "total": .number(total)])
        case .delivered: .object(["status": "delivered"])
        case .read: .object(["status": "read"])
        case .failed(let reason): .object(["status": "failed", "reason": .string(reason)])
        }
    }

    /// Reads what ``json`` writes.
    public init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        switch json["status"]?.string {
        case "sending": self = .sending
        case "sent": self = .sent
        case "carried": self = .carried
        case "partiallySent": self = .partiallySent(sent: try fields.count("sent"), total: try fields.count("total"))
        case "delivered": self = .delivered
        case "read": self = .read
        case "failed": self = .failed(reason: try fields.text("reason"))
        default: throw EventFormatError(member: "status", expected: "a delivery status")
        }
    }
}

extension ReceivedFile {
    fileprivate var json: JSONValue {
        .object([
            "id": .string(id), "sender": .string(sender.hex), "senderName": .string(senderName),
            "isPrivate": .bool(isPrivate), "name": name.map { .string($0) }, "mime": .string(mime),
            "size": .number(size), "sha256": .string(sha256.hex), "path": .string(path),
            "sentAt": .number(sentAt.milliseconds), "receivedAt": .number(receivedAt.milliseconds),
        ])
    }

    fileprivate init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        self.init(
            id: try fields.text("id"), sender: try fields.peer("sender"), senderName: try fields.text("senderName"),
            isPrivate: try fields.flag("isPrivate"), name: try fields.optionalText("name"),
            mime: try fields.text("mime"), size: try fields.count("size"), sha256: try fields.digest("sha256"),
            path: try fields.text("path"), sentAt: try fields.time("sentAt"), receivedAt: try fields.time("receivedAt"))
    }
}

extension PeerChange {
    fileprivate var json: JSONValue {
        .object([
            "kind": .string(kind.rawValue), "peer": .string(peer.hex), "name": .string(name),
            "at": .number(at.milliseconds),
        ])
    }

    fileprivate init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        guard let kind = Kind(rawValue: try fields.text("kind")) else {
            throw EventFormatError(member: "kind", expected: "a known kind of change")
        }
        self.init(kind: kind, peer: try fields.peer("peer"), name: try fields.text("name"), at: try fields.time("at"))
    }
}
