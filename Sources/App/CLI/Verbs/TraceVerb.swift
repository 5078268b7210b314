import Domain

/// `trace`: the way that a packet to a peer would take.
enum TraceVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "trace", summary: "show the way to a peer",
            details: """
                The route that packets to the peer take now, hop by hop, as far as the announces of the last minute \
                confirm it from both sides. Where none is known packets are flooded: every node passes them on. \
                Nothing is sent; 'ping' measures. The peer may be named by nickname, nickname#suffix, peer ID, \
                fingerprint or key.
                """,
            positionals: [PositionalSpec("PEER", .required, "where the way leads")], example: "satchel trace pebble"),
        run: { context throws(Failure) in
            let peer = context.invocation.argument("PEER") ?? ""
            let answer = try NodeConnection.open(context.places()).call("trace", .object(["to": .string(peer)]))
            if context.invocation.wantsJSON {
                try context.output.answer(answer)
            } else {
                try context.output.answer(text(of: answer))
            }
            return .done
        })

    /// The way for a person: an estimate by what nodes claim, not a recorded one (spec: app §13.2).
    static func text(of answer: JSONValue) -> String {
        let target = title(answer, id: answer["peer"])
        guard let way = answer["way"]?.string, way != "flooded" else {
            guard answer["isConfirmed"]?.bool == true else {
                return "no confirmed route to \(target) is known: packets to it are flooded\n"
            }
            return
                "there is a confirmed way to \(target), but not all nodes on it were seen to speak packet version 2, "
                + "as a route needs (they show it by sending files): packets to it are flooded\n"
        }
        let nodes = ["you"] + (answer["hops"]?.array ?? []).map { title($0, id: $0["id"]) } + [target]
        let hops = nodes.count - 1
        return nodes.joined(separator: " → ") + " (\(hops) \(hops == 1 ? "hop" : "hops"), as announces tell)\n"
    }

    private static func title(_ node: JSONValue, id: JSONValue?) -> String {
        node["displayName"]?.string.map(DisplayText.line) ?? String(DisplayText.line(id?.string ?? "?").prefix(8)) + "…"
    }
}
