/// Every verb there is, in the order of the help.
enum Verbs {
    /// The verbs.
    static let all: [Verb] = [
        SendVerb.verb, RecvVerb.verb, PeersVerb.verb, PingVerb.verb, StatusVerb.verb, IdentityVerb.verb,
        ConfigVerb.verb, Help.verb,
    ]
}
