import Domain

/// `peers`: who is here.
enum PeersVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "peers", summary: "list the peers that were heard of lately",
            details: """
                Name, peer ID, when the peer was last heard of, and four separate facts, none of which stands for \
                another: whether a link of ours ends there (connected), whether it was heard of lately, itself or \
                through others (reachable), whether what is sent now leaves now (prompt), and whether a Noise session \
                stands, so that nobody else can read along (secure). With --fingerprints, also the fingerprint of \
                each key, to be compared over another channel.
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
                let headings =
                    ["NAME", "ID", "CONNECTED", "REACHABLE", "PROMPT", "SECURE", "LAST SEEN"]
                    + (showsKeys ? ["FINGERPRINT"] : [])
                try context.output.answer(
                    Table.lines(headings, peers.map { row(of: $0, at: now, showsKeys: showsKeys) }))
            }
            return .done
        })

    private static func row(of peer: JSONValue, at now: WallTime, showsKeys: Bool) -> [String] {
        let signals = ["isConnected", "isReachable", "isPrompt", "isSecure"].map { name in
            peer[name]?.bool == true ? "yes" : "no"
        }
        let seen = WallTime(milliseconds: peer["lastSeen"]?.unsigned ?? 0)
        let age = now < seen ? 0 : Milliseconds(Int64(clamping: now.distance(to: seen)))
        var row = [
            DisplayText.line(peer["displayName"]?.string ?? "?"), peer["id"]?.string ?? "?",
        ]
        row += signals + [LocalTime.span(age) + " ago"]
        if showsKeys { row.append(peer["fingerprint"]?.string ?? "?") }
        return row
    }
}
