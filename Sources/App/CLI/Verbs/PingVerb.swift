import Domain

/// `ping`: asks whether a peer is there and how far away.
enum PingVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "ping", summary: "ask a peer for a sign of life",
            details: """
                Sends a mesh probe and waits for the answer, at most ten seconds. The peer may be named by nickname, \
                nickname#suffix, peer ID, fingerprint or key. Exit code 124 when nothing came back.
                """,
            positionals: [PositionalSpec("PEER", .required, "whom to ask")], example: "satchel ping pebble"),
        run: { context throws(Failure) in
            let peer = context.invocation.argument("PEER") ?? ""
            let connection = try NodeConnection.open(context.places())
            // The node gives a probe ten seconds; it answers then in any case.
            let result = try connection.call("ping", .object(["to": .string(peer)]), timeout: .seconds(15))
            if context.invocation.wantsJSON { try context.output.answer(result) }
            guard let time = result["roundTrip"]?.integer else {
                context.output.note("satchel: no answer from \(DisplayText.line(peer)) within ten seconds")
                return .timeout
            }
            if !context.invocation.wantsJSON {
                let hops = result["hops"]?.integer.map { ", \($0) \($0 == 1 ? "hop" : "hops")" } ?? ""
                let id = result["peer"]?.string ?? "?"
                try context.output.answer("\(DisplayText.line(peer)) (\(id)): \(time) ms\(hops)\n")
            }
            return .done
        })
}
