import Domain

extension Refusal {
    /// The refusal for programs: `refusal` names the case, `message` says it in words, the rest are its values.
    public var json: JSONValue {
        var members = [
            JSONValue.Member("refusal", .string(name)), JSONValue.Member("message", .string(explanation)),
        ]
        switch self {
        case .tooLong(let bytes, let limit), .tooManyParts(let bytes, let limit):
            members += [JSONValue.Member("bytes", .number(bytes)), JSONValue.Member("limit", .number(limit))]
        case .noSuchPeer(let name): members.append(JSONValue.Member("name", .string(name)))
        case .ambiguous(let name, let candidates):
            members += [
                JSONValue.Member("name", .string(name)),
                JSONValue.Member("candidates", .array(candidates.map { .string($0.hex) })),
            ]
        case .notReachable(let peer): members.append(JSONValue.Member("peer", .string(peer.hex)))
        case .invalid, .busy, .clockWrong, .forbidden, .nobodyHere: break
        }
        return .object(members)
    }

    /// The refusal in words for a person; names in it are raw text of others.
    public var explanation: String {
        switch self {
        case .invalid(let problem): problem
        case .tooLong(let bytes, let limit): "too long: \(bytes) bytes, the limit is \(limit)"
        case .tooManyParts(let bytes, let limit): "too long: \(bytes) bytes do not fit \(limit) messages"
        case .noSuchPeer(let name): "no peer is called \"\(name)\""
        case .ambiguous(let name, let candidates):
            "\"\(name)\" fits \(candidates.count) peers: \(candidates.map(\.hex).joined(separator: ", "))"
        case .notReachable(let peer): "\(peer.hex) is not reachable now"
        case .nobodyHere: "no neighbour is in reach, so nobody would hear it; this node does not keep it for later yet"
        case .busy(let queue): "full: \(queue)"
        case .clockWrong(let reason): "the clock is wrong, and phones would drop it: \(reason)"
        case .forbidden(let rule): "not allowed: \(rule)"
        }
    }

    private var name: String {
        switch self {
        case .invalid: "invalid"
        case .tooLong: "tooLong"
        case .tooManyParts: "tooManyParts"
        case .noSuchPeer: "noSuchPeer"
        case .ambiguous: "ambiguous"
        case .notReachable: "notReachable"
        case .nobodyHere: "nobodyHere"
        case .busy: "busy"
        case .clockWrong: "clockWrong"
        case .forbidden: "forbidden"
        }
    }
}
