/// Every verb there is, in the order of the help.
enum Verbs {
    /// The verbs.
    static let all: [Verb] = [
        RunVerb.verb, ChatSessionVerb.verb, SendVerb.verb, RecvVerb.verb, PeersVerb.verb, TopologyVerb.verb,
        PingVerb.verb, TraceVerb.verb, StatusVerb.verb, AdaptersVerb.verb, IdentityVerb.verb, InspectVerb.verb,
        PanicVerb.verb, DoctorVerb.verb, ConfigVerb.verb, VersionVerb.verb, Help.verb,
    ]
}
