import Domain

extension Notice {
    /// The notice as a subscriber of the control protocol gets it; `type` is `log`, `fileProgress` or `ping`.
    public var json: JSONValue {
        switch self {
        case .log(let level, let text):
            .object(["type": "log", "level": .string(level.rawValue), "text": .string(text)])
        case .fileProgress(let id, let sent, let total):
            .object(["type": "fileProgress", "id": .string(id), "sent": .number(sent), "total": .number(total)])
        case .ping(let result):
            .object([JSONValue.Member("type", "ping")] + (result.json.members ?? []))
        }
    }
}

extension PingResult {
    /// `id`, `peer`, and where known `roundTrip` (milliseconds) and `hops`; without `roundTrip` nothing came back.
    public var json: JSONValue {
        .object([
            "id": .number(id), "peer": .string(peer.hex), "roundTrip": roundTrip.map { .number($0) },
            "hops": hops.map { .number($0) },
        ])
    }
}
