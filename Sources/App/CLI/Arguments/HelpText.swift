/// The texts of `help`, made of the declarations.
enum HelpText {
    /// `satchel verb [options] ARGUMENTS`.
    static func usageLine(of verb: VerbSpec) -> String {
        (["satchel", verb.name, "[OPTIONS]"] + verb.positionals.map(\.title)).joined(separator: " ")
    }

    /// The help of one verb.
    static func help(of verb: VerbSpec) -> String {
        var lines = ["satchel \(verb.name): \(verb.summary)", "", "Usage: \(usageLine(of: verb))", ""]
        lines += wrap(verb.details)
        if !verb.positionals.isEmpty {
            lines += ["", "Arguments:"] + table(verb.positionals.map { ($0.name, describe($0.help, $0.choices)) })
        }
        if !verb.options.isEmpty {
            lines += ["", "Options:"] + table(verb.options.map { ($0.title, describe($0.help, $0.choices)) })
        }
        lines += ["", "Options of every command:"] + table(VerbSpec.common.map { ($0.title, $0.help) })
        lines += ["", "Example:"] + verb.example.split(separator: "\n").map { "  \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The list of verbs, the common options and the exit codes.
    static func overview(of verbs: [VerbSpec]) -> String {
        var lines = [
            "satchel: a node of the bitchat mesh", "", "Usage: satchel COMMAND [OPTIONS] [ARGUMENTS]", "", "Commands:",
        ]
        lines += table(verbs.map { ($0.name, $0.summary) })
        lines += ["", "Options of every command:"] + table(VerbSpec.common.map { ($0.title, $0.help) })
        lines += ["", "Exit codes:"] + table(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
        lines += ["", "'satchel help COMMAND' explains a command and shows an example."]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func describe(_ help: String, _ choices: [String]) -> String {
        choices.isEmpty ? help : "\(help) (\(choices.joined(separator: ", ")))"
    }

    private static func table(_ rows: [(String, String)]) -> [String] {
        let width = min(28, rows.map { $0.0.count }.max() ?? 0)
        return rows.flatMap { title, text -> [String] in
            let lines = wrap(text, width: 100 - width - 4)
            let indent = String(repeating: " ", count: width + 4)
            let first = "  " + title + String(repeating: " ", count: max(0, width - title.count))
            guard title.count <= width else { return ["  " + title] + lines.map { indent + $0 } }
            return lines.enumerated().map { index, line in index == 0 ? first + "  " + line : indent + line }
        }
    }

    /// Breaks text at blanks; line breaks in it stay.
    static func wrap(_ text: String, width: Int = 100) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph -> [String] in
            var lines = [""]
            for word in paragraph.split(separator: " ") {
                let line = lines[lines.count - 1]
                if line.isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if line.count + word.count < width {
                    lines[lines.count - 1] += " " + word
                } else {
                    lines.append(String(word))
                }
            }
            return lines
        }
    }
}
