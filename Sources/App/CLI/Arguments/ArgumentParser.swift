/// Turns words from the shell into an ``Invocation``, or says what is wrong with them.
struct ArgumentParser {
    /// The verbs there are.
    let verbs: [VerbSpec]
    private var words: ArraySlice<String> = []
    private var found: [String: [String]] = [:]
    private var loose: [String] = []

    /// Makes a parser for these verbs.
    init(verbs: [VerbSpec]) { self.verbs = verbs }

    /// Reads a whole command line, without the program's own name.
    ///
    /// Nothing at all means `help`; `--version` means `version`; options may also stand in front of the verb.
    static func parse(_ words: [String], verbs: [VerbSpec]) throws(Failure) -> Invocation {
        var parser = ArgumentParser(verbs: verbs)
        return try parser.parse(words)
    }

    private mutating func parse(_ words: [String]) throws(Failure) -> Invocation {
        self.words = words[...]
        let verb = try verb()
        while let word = self.words.popFirst() {
            if word == "--" {
                loose += self.words
                break
            }
            try read(word, options: verb.allOptions, verb: verb)
        }
        var invocation = Invocation(verb: verb, options: found)
        // Help answers before anything else is found wrong.
        guard !invocation.has("help") else { return invocation }
        invocation.positionals = try positionals(of: verb)
        return invocation
    }

    private mutating func verb() throws(Failure) -> VerbSpec {
        // Which verb follows is not known yet, but an option of one name has one form in all verbs.
        var options = VerbSpec.common
        for verb in verbs {
            options += verb.options.filter { option in !options.contains { $0.name == option.name } }
        }
        while let word = words.popFirst() {
            switch word {
            case "--version", "-V": return try named("version")
            case _ where word.hasPrefix("--"): try read(word, options: options, verb: nil)
            case _ where word.hasPrefix("-"): try read(word, options: VerbSpec.common, verb: nil)
            default:
                let verb = try named(word)
                for name in found.keys.sorted() where !verb.allOptions.contains(where: { $0.name == name }) {
                    throw unknown("--\(name)", options: verb.allOptions, verb: verb)
                }
                return verb
            }
        }
        return try named("help")
    }

    private func named(_ name: String) throws(Failure) -> VerbSpec {
        if let verb = verbs.first(where: { $0.name == name }) { return verb }
        var hints = ["'satchel help' lists the commands"]
        if let near = EditDistance.suggestion(for: name, among: verbs.map(\.name)) {
            hints.insert("did you mean '\(near)'?", at: 0)
        }
        throw Failure(.usage, "there is no command '\(name)'", hints: hints)
    }

    private mutating func read(_ word: String, options: [OptionSpec], verb: VerbSpec?) throws(Failure) {
        if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            guard let option = options.first(where: { $0.name == name }) else {
                throw unknown("--\(name)", options: options, verb: verb)
            }
            try take(option, as: "--\(name)", attached: parts.count > 1 ? String(parts[1]) : nil, options: options)
        } else if word.hasPrefix("-"), let letter = word.dropFirst().first {
            guard let option = options.first(where: { $0.short == letter }) else {
                throw unknown(word, options: options, verb: verb)
            }
            let attached = word.count > 2 ? String(word.dropFirst(2)) : nil
            try take(option, as: "-\(letter)", attached: attached, options: options)
        } else {
            loose.append(word)
        }
    }

    private mutating func take(
        _ option: OptionSpec, as title: String, attached: String?, options: [OptionSpec]
    ) throws(Failure) {
        guard found[option.name] == nil || option.repeats else { throw Failure(.usage, "\(title) is given twice") }
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw Failure(.usage, "\(title) takes no value") }
            found[option.name] = []
            return
        }
        guard let value = attached ?? option.implied ?? nextValue(options: options) else {
            throw Failure(.usage, "\(title) needs a value: \(title) \(placeholder)")
        }
        guard option.choices.isEmpty || option.choices.contains(value) else {
            throw Self.notAllowed(value, for: title, choices: option.choices)
        }
        found[option.name, default: []].append(value)
    }

    /// The next word, unless it is itself an option: then the value was forgotten.
    private mutating func nextValue(options: [OptionSpec]) -> String? {
        guard let word = words.first, word != "--" else { return nil }
        let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
        guard !options.contains(where: { "--\($0.name)" == name }) else { return nil }
        return words.popFirst()
    }

    private func positionals(of verb: VerbSpec) throws(Failure) -> [String: [String]] {
        var rest = loose[...]
        var result: [String: [String]] = [:]
        for positional in verb.positionals {
            let taken: ArraySlice<String>
            let least: Int
            switch positional.arity {
            case .required: (taken, least) = (rest.prefix(1), 1)
            case .optional: (taken, least) = (rest.prefix(1), 0)
            case .rest(let atLeast): (taken, least) = (rest, atLeast)
            }
            guard taken.count >= least else {
                throw Failure(
                    .usage, "\(positional.title) is missing", hints: ["usage: " + HelpText.usageLine(of: verb)])
            }
            if !positional.choices.isEmpty, let wrong = taken.first(where: { !positional.choices.contains($0) }) {
                throw Self.notAllowed(wrong, for: positional.name, choices: positional.choices)
            }
            if !taken.isEmpty { result[positional.name] = Array(taken) }
            rest = rest.dropFirst(taken.count)
        }
        if let extra = rest.first {
            throw Failure(
                .usage, "'\(extra)' is one argument too many", hints: ["usage: " + HelpText.usageLine(of: verb)])
        }
        return result
    }

    private static func notAllowed(_ value: String, for title: String, choices: [String]) -> Failure {
        var hints = ["one of: " + choices.joined(separator: ", ")]
        if let near = EditDistance.suggestion(for: value, among: choices) {
            hints.insert("did you mean '\(near)'?", at: 0)
        }
        return Failure(.usage, "\(title) cannot be '\(value)'", hints: hints)
    }

    private func unknown(_ word: String, options: [OptionSpec], verb: VerbSpec?) -> Failure {
        var hints: [String] = []
        let names = options.map { "--\($0.name)" }
        if let near = EditDistance.suggestion(for: word, among: names) { hints.append("did you mean '\(near)'?") }
        if let verb {
            hints.append("'satchel help \(verb.name)' lists the options")
            if verb.positionals.contains(where: { $0.arity != .optional }) {
                hints.append("put -- in front of arguments that begin with a dash")
            }
        } else if word.count == 2 {
            hints.append("short options of a command stand behind it")
        }
        return Failure(.usage, "there is no option '\(word)'" + (verb.map { " for '\($0.name)'" } ?? ""), hints: hints)
    }
}
