import Domain

/// Adapters as lines for a person; made of JSON, because it comes from another process.
enum AdapterText {
    /// How an adapter stands: `hci0: ready, C0:11:22:33:44:55, advertising, listening, 3 links`.
    ///
    /// - Parameter time: When the report was made, in milliseconds UTC.
    static func line(of adapter: JSONValue, at time: UInt64?) -> String {
        let name = DisplayText.line(adapter["address"]?.string ?? "?")
        let state = DisplayText.line(adapter["state"]?.string ?? "?")
        if state == "ready" {
            return ([name + ": ready"] + activity(of: adapter)).joined(separator: ", ")
        }
        var text = "\(name): \(state)"
        if let time, let since = adapter["since"]?.unsigned, since <= time {
            text += " for " + LocalTime.span(Milliseconds(Int64(clamping: time - since)))
        }
        if let reason = adapter["reason"]?.string { text += ": " + DisplayText.line(reason) }
        return text + (outlook[state] ?? "")
    }

    /// What comes next by itself.
    private static let outlook = [
        "missing": "; taken as soon as it is there", "blocked": "; taken as soon as it is free",
        "failed": "; tried again",
    ]

    private static func activity(of adapter: JSONValue) -> [String] {
        var parts = [adapter["deviceAddress"]?.string.map(DisplayText.line)].compactMap(\.self)
        parts.append(adapter["isAdvertising"]?.bool == true ? "advertising" : "not advertising")
        parts.append(adapter["isScanning"]?.bool == true ? "listening" : "not listening")
        let (opened, taken) = (
            adapter["links"]?["outgoing"]?.integer ?? 0, adapter["links"]?["incoming"]?.integer ?? 0
        )
        switch opened &+ taken {
        case 0: parts.append("no links")
        case 1: parts.append("1 link")
        case let count: parts.append("\(count) links (\(opened) opened, \(taken) taken)")
        }
        if let losses = adapter["losses"]?.integer, losses > 0 {
            parts.append(losses == 1 ? "lost once" : "lost \(losses) times")
        }
        return parts
    }

    /// What carries a link, by the link's number: `MTU 517, -62 dBm`.
    static func carriers(in adapters: [JSONValue]) -> [UInt64: String] {
        var texts: [UInt64: String] = [:]
        for connection in adapters.flatMap({ $0["connections"]?.array ?? [] }) {
            var parts: [String] = []
            if let mtu = connection["mtu"]?.integer { parts.append("MTU \(mtu)") }
            if let signal = connection["signal"]?.integer { parts.append("\(signal) dBm") }
            for link in connection["links"]?.array ?? [] {
                if let number = link.unsigned { texts[number] = parts.joined(separator: ", ") }
            }
        }
        return texts
    }
}
