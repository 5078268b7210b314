import Domain

/// `peers`: who is here.
enum PeersVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "peers", summary: "list the peers that were heard of lately",
            details: """
                Name, peer ID, whether a link ends there (connected) or others pass it on (reachable), whether a Noise \
                session stands (secure), and when the peer was last heard of. With --fingerprints, also the \
                fingerprint of each key, to be compared over another channel.
                """,
            options: [.flag("fingerprints", "show the fingerprint of each peer's key")],
            example: "satchel peers --fingerprints"),
        run: { context throws(Failure) in
            let answer = try NodeConnection.open(context.places()).call("peers")
            guard !context.invocation.wantsJSON else {
                try context.output.answer(answer)
                return .done
            }
            let peers = answer["peers"]?.array ?? []
            if peers.isEmpty {
                context.output.note("nobody is here")
            } else {
                let now = SystemClock.wall
                let showsKeys = context.invocation.has("fingerprints")
                let headings = ["NAME", "ID", "STATE", "LAST SEEN"] + (showsKeys ? ["FINGERPRINT"] : [])
                try context.output.answer(
                    Table.lines(headings, peers.map { row(of: $0, at: now, showsKeys: showsKeys) }))
            }
            return .done
        })

    private static func row(of peer: JSONValue, at now: WallTime, showsKeys: Bool) -> [String] {
        let state =
            peer["isConnected"]?.bool == true
            ? "connected" : peer["isReachable"]?.bool == true ? "reachable" : "away"
        let seen = WallTime(milliseconds: peer["lastSeen"]?.unsigned ?? 0)
        let age = now < seen ? 0 : Milliseconds(Int64(clamping: now.distance(to: seen)))
        var row = [
            DisplayText.line(peer["displayName"]?.string ?? "?"), peer["id"]?.string ?? "?",
            state + (peer["isSecure"]?.bool == true ? ", secure" : ""), LocalTime.span(age) + " ago",
        ]
        if showsKeys { row.append(peer["fingerprint"]?.string ?? "?") }
        return row
    }
}
