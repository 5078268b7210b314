import Application
import Domain

/// What a subscriber wants to hear of.
struct EventFilter: Sendable {
    /// The last event that the client has; `nil`: begin with what comes from now on.
    let after: UInt64?
    /// Wanted types of events and notices; `nil`: all of them, log lines excepted.
    private let types: Set<String>?
    /// The lowest level of log lines; `nil`: none.
    private let level: LogLevel?

    /// Reads the parameters of `subscribe`; `nil` when they make no sense.
    init?(params: JSONValue?) {
        let params = params ?? .object([])
        guard params.members != nil else { return nil }
        after = params["after"]?.unsigned
        if let given = params["after"], !given.isNull, after == nil { return nil }
        switch params["types"] {
        case nil, .null?: types = nil
        case .array(let elements)?:
            let names = elements.compactMap(\.string)
            guard names.count == elements.count else { return nil }
            types = Set(names)
        default: return nil
        }
        level = params["log"]?.string.flatMap { LogLevel(rawValue: $0) }
        if let given = params["log"], !given.isNull, level == nil { return nil }
    }

    /// Whether an event, as JSON, is wanted.
    func wants(_ event: JSONValue) -> Bool {
        guard let types else { return true }
        return event["type"]?.string.map { types.contains($0) } ?? false
    }

    /// Whether a notice is wanted.
    func wants(_ notice: Notice) -> Bool {
        switch notice {
        case .log(let level, _): self.level.map { level >= $0 } ?? false
        case .fileProgress: types?.contains("fileProgress") ?? true
        case .ping: types?.contains("ping") ?? true
        }
    }
}
