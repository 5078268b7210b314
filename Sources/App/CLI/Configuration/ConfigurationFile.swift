import Domain

/// Reads and writes the form of the configuration file: JSON5, settings grouped by the first part of their key.
enum ConfigurationFile {
    /// Reads a file's text; an unknown name or a wrong value is an error that says where.
    static func read(_ text: String, path: String) throws(Failure) -> [String: (SettingValue, TextPosition)] {
        let document: JSON5Value
        do {
            document = try JSON5Parser.parse(text)
        } catch {
            throw Failure(.configuration, "\(path):\(error)")
        }
        guard case .object(let members) = document.kind else {
            throw Failure(
                .configuration,
                "\(path):\(document.position): the configuration must be an object, not \(document.noun)",
                hints: ["'satchel config --example' prints one"])
        }
        var values: [String: (SettingValue, TextPosition)] = [:]
        try read(members, prefix: "", path: path, into: &values)
        return values
    }

    private static func read(
        _ members: [JSON5Value.Member], prefix: String, path: String,
        into values: inout [String: (SettingValue, TextPosition)]
    ) throws(Failure) {
        for member in members {
            let key = prefix + member.name
            let place = "\(path):\(member.position)"
            if let setting = Settings.all.first(where: { $0.key == key }) {
                // null stands for "not set", so that a line can stay in the file.
                if case .null = member.value.kind { continue }
                guard let value = setting.value(from: member.value) else {
                    throw Failure(
                        .configuration, "\(path):\(member.value.position): \(key) must be \(setting.expectation)")
                }
                values[key] = (value, member.position)
            } else if Settings.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                guard case .object(let inner) = member.value.kind else {
                    throw Failure(
                        .configuration,
                        "\(path):\(member.value.position): \(key) must be an object, not \(member.value.noun)")
                }
                try read(inner, prefix: key + ".", path: path, into: &values)
            } else {
                throw unknown(member.name, key: key, prefix: prefix, place: place)
            }
        }
    }

    private static func unknown(_ name: String, key: String, prefix: String, place: String) -> Failure {
        let siblings = Settings.all.filter { $0.key.hasPrefix(prefix) }
            .compactMap { $0.key.dropFirst(prefix.count).split(separator: ".").first.map(String.init) }
        let leaves = Settings.all.filter { $0.key.hasSuffix("." + name) }.map(\.key)
        var hints = ["'satchel config --example' lists all settings"]
        if let near = EditDistance.suggestion(for: name, among: siblings) {
            hints.insert("did you mean '\(prefix)\(near)'?", at: 0)
        } else if let leaf = leaves.first {
            hints.insert("did you mean '\(leaf)'?", at: 0)
        }
        return Failure(.configuration, "\(place): there is no setting '\(key)'", hints: hints)
    }

    /// A complete configuration in which every setting is explained and commented out, so that it changes nothing.
    static var example: String {
        var lines = [
            "// Satchel's configuration, in JSON5. Every line that is commented out shows the default, or the form",
            "// where there is none. Options on the command line and SATCHEL_... variables win over this file.", "{",
        ]
        var group: String?
        for setting in Settings.all {
            let parts = setting.key.split(separator: ".").map(String.init)
            let newGroup = parts.count > 1 ? parts[0] : nil
            if newGroup != group {
                if group != nil { lines.append("  },") }
                if setting != Settings.all.first { lines.append("") }
                if let newGroup { lines.append("  \(newGroup): {") }
                group = newGroup
            } else if setting != Settings.all.first {
                lines.append("")
            }
            let indent = group == nil ? "  " : "    "
            lines += setting.help.split(separator: "\n").map { "\(indent)// \($0)" }
            lines.append("\(indent)// Also --\(setting.option) and \(setting.environment).")
            let value = setting.example ?? setting.standard
            lines.append("\(indent)// \(parts[parts.count - 1]): \(value.map(text(of:)) ?? "null"),")
        }
        if group != nil { lines.append("  },") }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// A value in the form of the file.
    static func text(of value: SettingValue) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): String(number)
        case .list(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
        }
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
