import Domain

extension Record {
    /// The entry as a store keeps it, sealed. Names are camelCase, times milliseconds UTC; what is absent is left out.
    public var json: JSONValue {
        switch self {
        case .metric(let metric, let count):
            .object(["type": "metric", "metric": .string(metric.rawValue), "count": .number(count)])
        case .outgoing(let entry): entry.recordJSON
        }
    }

    /// Reads what ``json`` writes; members that it does not know are ignored, so that a newer writer is understood.
    public init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        switch json["type"]?.string {
        case "metric": self = .metric(try fields.metric("metric"), try fields.unsigned("count"))
        case "outgoing": self = .outgoing(try OutboxEntry(recordJSON: json))
        default: throw EventFormatError(member: "type", expected: "a known type of entry")
        }
    }
}

extension JSONFields {
    fileprivate func metric(_ name: String) throws(EventFormatError) -> Metric {
        guard let metric = Metric(rawValue: try text(name)) else {
            throw EventFormatError(member: name, expected: "a known counter")
        }
        return metric
    }
}
