import Domain

/// `status`: the node at a glance.
enum StatusVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "status", summary: "show the running node at a glance",
            details: """
                Identity, uptime, links, peers, sessions, waiting messages, the clock, and counters of what was \
                received, sent, relayed and dropped for which reason. A clock that is wrong holds back what is sent \
                until it is right: phones would drop it.
                """,
            options: [
                .value(
                    "watch", "SECONDS", implied: "2",
                    "show it again and again, with rates, until Ctrl-C; every two seconds without a number")
            ],
            example: "satchel status --watch=5"),
        run: { context throws(Failure) in
            if context.invocation.has("watch") {
                var watch = try StatusWatch(context)
                try watch.run()
                return .done
            }
            let status = try NodeConnection.open(context.places()).call("status")
            if context.invocation.wantsJSON {
                try context.output.answer(status)
            } else {
                try context.output.answer(text(of: status))
            }
            return .done
        })

    private static func role(_ role: JSONValue?) -> String {
        role == "relay" ? "relay only: passes on what others say, cannot chat" : DisplayText.line(role?.string ?? "?")
    }

    private static func clock(_ clock: JSONValue?) -> String {
        let word = DisplayText.line(clock?["state"]?.string ?? "?")
        let isDisputed = clock?["isDisputed"]?.bool == true
        return "\(word == "wrong" ? "WRONG" : isDisputed ? word + ", disputed" : word): "
            + DisplayText.line(clock?["explanation"]?.string ?? "?") + lastKnown(clock)
    }

    /// The time that a clock is behind of, where that is what is wrong with it.
    static func lastKnown(_ clock: JSONValue?) -> String {
        guard clock?["reason"] == "beforeFloor", let floor = clock?["floor"]?.unsigned else { return "" }
        return " (the last known time is \(LocalTime.full(WallTime(milliseconds: floor))))"
    }

    /// The Bluetooth adapters, and what to do about those that are not ready.
    private static func radios(of status: JSONValue) -> [[String]] {
        var rows: [[String]] = []
        for adapter in status["adapters"]?.array ?? [] {
            rows.append(["", AdapterText.line(of: adapter, at: status["time"]?.unsigned)])
            if let remedy = adapter["remedy"]?.string { rows.append(["", "  → " + DisplayText.line(remedy)]) }
            let faults = (adapter["faults"]?.members ?? []).filter { $0.value.unsigned != 0 }
            for fault in faults { rows.append(["", "  \(fault.name) \(fault.value.unsigned ?? 0)"]) }
        }
        guard !rows.isEmpty else { return [["adapters", "none"]] }
        rows[0][0] = "adapters"
        return rows
    }

    /// The links; the arrow points to whom we opened one, and from whom we took one.
    private static func links(of status: JSONValue) -> [[String]] {
        let links = status["links"]?.array ?? []
        let carriers = AdapterText.carriers(in: status["adapters"]?.array ?? [])
        return [["links", String(links.count)]]
            + links.map { link in
                let name = DisplayText.line(link["name"]?.string ?? "?")
                let arrow = link["isOutgoing"]?.bool == false ? "←" : "→"
                let notes = [
                    link["isAuthenticated"]?.bool == true ? "authenticated" : nil,
                    link["id"]?.unsigned.flatMap { carriers[$0] },
                ]
                let peer = DisplayText.line(link["peer"]?.string ?? "nobody yet")
                return ["", (["\(name) \(arrow) \(peer)"] + notes.compactMap(\.self)).joined(separator: ", ")]
            }
    }

    /// The report for a person.
    ///
    /// - Parameter rates: What counters gained per second, by name.
    static func text(of status: JSONValue, rates: [String: String] = [:]) -> String {
        func word(_ name: String) -> String {
            switch status[name] {
            case .string(let text)?: DisplayText.line(text)
            case .number(let text)?: text
            default: "?"
            }
        }
        var rows = [
            ["nickname", word("nickname")], ["role", role(status["role"])], ["id", word("id")],
            ["fingerprint", word("fingerprint")],
            ["process", word("process")], ["version", word("version")],
            ["running for", LocalTime.span(Milliseconds(status["uptime"]?.integer ?? 0))],
            ["peers", "\(word("connectedPeers")) connected, \(word("reachablePeers")) reachable"],
            ["sessions", word("sessions")],
            ["waiting", "\(word("queuedMessages")) private messages, \(word("heldMessages")) public ones"],
            ["clock", clock(status["clock"])],
        ]
        rows += radios(of: status) + links(of: status)
        for counter in status["counters"]?.members ?? [] {
            guard case .number(let value) = counter.value, value != "0" else { continue }
            rows.append([counter.name, value + (rates[counter.name].map { "  +\($0)" } ?? "")])
        }
        let width = rows.map { $0[0].count }.max() ?? 0
        return rows.map { $0[0] + String(repeating: " ", count: width - $0[0].count + 2) + $0[1] + "\n" }.joined()
    }
}
