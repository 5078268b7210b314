/// Every verb there is, in the order of the help.
enum Verbs {
    /// The verbs.
    static let all: [Verb] = [ConfigVerb.verb, Help.verb]
}
