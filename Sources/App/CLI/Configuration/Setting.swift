/// The value of a setting.
enum SettingValue: Hashable, Sendable {
    /// Text.
    case text(String)
    /// On or off.
    case flag(Bool)
    /// A whole number.
    case number(Int64)
    /// A list of texts.
    case list([String])
}

/// One thing that can be configured, declared once: configuration file, environment, command line, `config --example`
/// and `config show` are all made of it.
struct Setting: Hashable, Sendable {
    /// What values it takes.
    enum Kind: Hashable, Sendable {
        /// Any text.
        case text
        /// One of these.
        case choice([String])
        /// On or off.
        case flag
        /// A whole number in this range.
        case number(ClosedRange<Int64>)
        /// A list of texts.
        case list
    }

    /// Its place in the file, names joined by dots.
    let key: String
    /// What values it takes.
    let kind: Kind
    /// The value when nobody sets it; `nil` when there is none, or it is worked out at the start.
    let standard: SettingValue?
    /// The long option of `run` and `chat` that sets it, without dashes.
    let option: String
    /// What stands for the value in the help.
    let placeholder: String
    /// What it does; lines of `config --example`.
    let help: String
    /// A value that shows the form, where there is no ``standard``.
    let example: SettingValue?
    /// Whether a running node takes a new value at SIGHUP.
    let isReloadable: Bool

    /// Declares a setting.
    init(
        _ key: String, _ kind: Kind, standard: SettingValue? = nil, option: String, placeholder: String, help: String,
        example: SettingValue? = nil, isReloadable: Bool = false
    ) {
        self.key = key
        self.kind = kind
        self.standard = standard
        self.option = option
        self.placeholder = placeholder
        self.help = help
        self.example = example
        self.isReloadable = isReloadable
    }

    /// The environment variable that sets it: `log.level` is `SATCHEL_LOG_LEVEL`.
    var environment: String {
        var name = "SATCHEL_"
        for character in key {
            if character == "." {
                name += "_"
            } else if character.isUppercase {
                name += "_" + String(character)
            } else {
                name += character.uppercased()
            }
        }
        return name
    }

    /// The option of `run` and `chat` that sets it.
    var optionSpec: OptionSpec {
        switch kind {
        case .flag: .flag(option, summary)
        case .choice(let choices): .value(option, placeholder, choices: choices, summary)
        case .list: .value(option, placeholder, repeats: true, summary)
        case .text, .number: .value(option, placeholder, summary)
        }
    }

    /// The first sentence of the help.
    private var summary: String {
        let end = help.firstIndex(of: "\n") ?? help.endIndex
        let line = String(help[..<end])
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// What the value must be, in words.
    var expectation: String {
        switch kind {
        case .text: "text"
        case .choice(let choices): "one of " + choices.map { "\"\($0)\"" }.joined(separator: ", ")
        case .flag: "true or false"
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .list: "a list of texts"
        }
    }

    /// Reads the value from a configuration file; `nil` when it is not what ``expectation`` says.
    func value(from json: JSON5Value) -> SettingValue? {
        switch (kind, json.kind) {
        case (.text, .string(let text)): return .text(text)
        case (.choice(let choices), .string(let text)): return choices.contains(text) ? .text(text) : nil
        case (.flag, .bool(let value)): return .flag(value)
        case (.number(let range), .integer(let number)): return range.contains(number) ? .number(number) : nil
        case (.list, .array(let elements)):
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element.kind else { return nil }
                texts.append(text)
            }
            return .list(texts)
        default: return nil
        }
    }

    /// Reads the value from the environment or an option; lists are separated by commas.
    func value(from text: String) -> SettingValue? {
        switch kind {
        case .text: .text(text)
        case .choice(let choices): choices.contains(text) ? .text(text) : nil
        case .flag:
            switch text.lowercased() {
            case "1", "true", "yes", "on": .flag(true)
            case "0", "false", "no", "off": .flag(false)
            default: nil
            }
        case .number(let range): Int64(text).flatMap { range.contains($0) ? .number($0) : nil }
        case .list: .list(Self.elements(of: text))
        }
    }

    /// The texts between commas. A serial adapter has a comma of its own, in front of its speed: `h4:/dev/ttyACM0,1000000`.
    private static func elements(of text: String) -> [String] {
        var elements: [String] = []
        for part in text.split(separator: ",").map({ trimmed($0) }) where !part.isEmpty {
            if let last = elements.last, last.hasPrefix("h4:/"), part.allSatisfy(\.isNumber) {
                elements[elements.count - 1] = last + "," + part
            } else {
                elements.append(part)
            }
        }
        return elements
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
