/// One option of a verb, as declared.
struct OptionSpec: Hashable, Sendable {
    /// The long name, without its dashes.
    let name: String
    /// The one-letter form, if there is one.
    let short: Character?
    /// What stands for the value in the help, `nil` for a flag, which takes none.
    let placeholder: String?
    /// The only values allowed; empty allows all.
    let choices: [String]
    /// Whether it may be given several times.
    let repeats: Bool
    /// The value when none is attached with `=`; `nil` for an option that must have one.
    let implied: String?
    /// One line for the help.
    let help: String

    /// An option that is there or not.
    static func flag(_ name: String, short: Character? = nil, _ help: String) -> OptionSpec {
        OptionSpec(name: name, short: short, placeholder: nil, choices: [], repeats: false, implied: nil, help: help)
    }

    /// An option with a value.
    static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, choices: [String] = [], repeats: Bool = false,
        _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, placeholder: placeholder, choices: choices, repeats: repeats, implied: nil,
            help: help)
    }

    /// An option whose value may be left out; what follows as a word of its own is never the value.
    static func value(_ name: String, _ placeholder: String, implied: String, _ help: String) -> OptionSpec {
        OptionSpec(
            name: name, short: nil, placeholder: placeholder, choices: [], repeats: false, implied: implied, help: help)
    }

    /// The option as the help names it: `-n, --count N`.
    var title: String {
        let long = "--\(name)" + (placeholder.map { implied == nil ? " \($0)" : "[=\($0)]" } ?? "")
        return short.map { "-\($0), \(long)" } ?? "    \(long)"
    }
}

/// One positional argument of a verb, as declared.
struct PositionalSpec: Hashable, Sendable {
    /// How many it takes.
    enum Arity: Hashable, Sendable {
        /// Exactly one.
        case required
        /// None or one.
        case optional
        /// All that are left, at least `atLeast`.
        case rest(atLeast: Int)
    }
    /// In capitals, as the help names it.
    let name: String
    /// How many it takes.
    let arity: Arity
    /// The only values allowed; empty allows all.
    let choices: [String]
    /// One line for the help.
    let help: String

    /// Declares a positional argument.
    init(_ name: String, _ arity: Arity, choices: [String] = [], _ help: String) {
        self.name = name
        self.arity = arity
        self.choices = choices
        self.help = help
    }

    /// The argument as the usage line names it.
    var title: String {
        let name = choices.isEmpty ? self.name : choices.joined(separator: "|")
        return switch arity {
        case .required: name
        case .optional: "[\(name)]"
        case .rest(let least): least > 0 ? "\(name)..." : "[\(name)...]"
        }
    }
}

/// What a verb takes and what it is for; parser and help are both made of it, so that they cannot disagree.
struct VerbSpec: Hashable, Sendable {
    /// The verb.
    let name: String
    /// One line for the list of verbs.
    let summary: String
    /// What it does, in full, for its own help.
    let details: String
    /// Positional arguments in their order; only the last may take a rest.
    let positionals: [PositionalSpec]
    /// Its own options, without ``common``.
    let options: [OptionSpec]
    /// A command line that works, and what it does.
    let example: String

    /// Declares a verb.
    init(
        _ name: String, summary: String, details: String, positionals: [PositionalSpec] = [],
        options: [OptionSpec] = [], example: String
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.positionals = positionals
        self.options = options
        self.example = example
    }

    /// The options that every verb takes, also in front of the verb.
    static let common: [OptionSpec] = [
        .value("home", "DIR", "keep configuration, data and socket under DIR instead of the XDG directories"),
        .value("config", short: "c", "FILE", "read this configuration file"),
        .flag("json", "print JSON: one document, or one line each for a stream"),
        .flag("help", short: "h", "print help and an example"),
    ]

    /// Its own options and the common ones.
    var allOptions: [OptionSpec] { options + Self.common }
}
